"""An HTTP server that answers as it is told, odd as that may be, and keeps what it was asked."""

import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler


class Odd:
    """`with Odd(answer) as odd`.  answer: function of (odd, handler, message or None) that writes the whole answer.

    asked: list of (HTTP method, message, headers).  url: str.
    """

    def __init__(self, answer):
        odd = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                size = int(self.headers.get("Content-Length") or 0)
                message = json.loads(self.rfile.read(size)) if size else None
                odd.asked.append((self.command, message, self.headers))
                answer(odd, self, message)

            do_GET = do_DELETE = do_POST

            def log_message(self, *_):
                pass

            def reply(self, status=200, body=b"", kind="application/json", **headers):
                body = json.dumps(body).encode() if isinstance(body, dict) else body
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            def stream(self, *events):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for event in events:
                    self.wfile.write(event)
                self.close_connection = True

            def cut(self):
                self.wfile.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
                )
                self.close_connection = True

            def hang_up(self):
                self.close_connection = True

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

            def handle_error(self, *_):
                pass

        self.asked = []
        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/mcp" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def methods(self):
        """The methods of the messages that came, None for what had none."""
        return [message and message.get("method") for _, message, _ in self.asked]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def result(message, **members):
    return {"jsonrpc": "2.0", "id": message["id"], "result": members}


def event(message, id=None):
    """An event of a stream, bytes."""
    text = ("id: %s\n" % id if id else "") + "data: %s\n\n" % (json.dumps(message) if message else "")
    return text.encode()
