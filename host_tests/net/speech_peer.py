"""A speech server of a few lines: VOICEVOX's two paths and OpenAI's one, and what may go wrong with them."""

import asyncio

from harness import port

QUERY = (
    b'{"accent_phrases":[{"moras":[{"text":"\xe3\x83\x86","consonant":"t","consonant_length":0.06,"vowel":"e",'
    b'"vowel_length":0.1,"pitch":5.8}],"accent":1,"pause_mora":null,"is_interrogative":false}],"speedScale":1.0,'
    b'"outputSamplingRate":24000,"outputStereo":false,"kana":"\xe3\x83\x86"}'
)


class SpeechPeer:
    """sound: bytes, what is said to any text.  kind: its content type.  query: bytes, VOICEVOX's.

    status: int, of each reply, or a list of them, one after the other.  chunked: the sound comes in chunks.
    repeat: how often it is sent as one, for what is larger than a heap.  pause_ms: before each piece of `piece` bytes.
    cut: bytes of the sound after which the connection ends, or None.
    mute: it never answers.  asked: list of (method, target, dict of headers, body).  gone: int, clients that hung up.
    """

    def __init__(self, sound=b"", kind=b"audio/wav", query=QUERY):
        self.port = port()
        self.url = "http://127.0.0.1:%d" % self.port
        self.sound = sound
        self.kind = kind
        self.query = query
        self.status = 200
        self.chunked = self.mute = False
        self.pause_ms = 0
        self.piece = 4096
        self.repeat = 1
        self.cut = None
        self.asked = []
        self.connections = self.gone = self.sent = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    def targets(self):
        return [target for _, target, _, _ in self.asked]

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except OSError:
            self.gone += 1
        writer.close()
        try:
            await writer.wait_closed()
        except OSError:
            pass

    async def _one(self, reader, writer):
        line = await reader.readline()
        if not line:
            return False
        method, target, _ = line.decode().split(" ")
        headers = {}
        while True:
            line = await reader.readline()
            if line == b"\r\n":
                break
            name, value = line.decode().strip().split(": ", 1)
            headers[name.lower()] = value
        body = await reader.readexactly(int(headers["content-length"]))
        self.asked.append((method, target, headers, body))
        while self.mute:
            await asyncio.sleep_ms(20)
        return await self._answer(target, writer)

    async def _answer(self, target, writer):
        status = self.status
        if isinstance(status, list):
            status = status.pop(0)
        if "/audio_query?" in target:
            kind, data, repeat = b"application/json", self.query, 1
        else:
            kind, data, repeat = self.kind, self.sound, self.repeat
        if status != 200:
            kind, data, repeat = b"application/json", b'{"detail":"no"}', 1
        head = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\n" % (status, kind)
        if self.chunked:
            writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        else:
            writer.write(head + b"Content-Length: %d\r\n\r\n" % (len(data) * repeat))
        await writer.drain()
        end = len(data) if self.cut is None or kind == b"application/json" else self.cut
        for _ in range(repeat):
            await self._send(writer, data[:end])
        if end < len(data):
            return False
        if self.chunked:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return True

    async def _send(self, writer, data):
        for at in range(0, len(data), self.piece):
            if self.pause_ms:
                await asyncio.sleep_ms(self.pause_ms)
            piece = data[at : at + self.piece]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if self.chunked else piece)
            await writer.drain()
            self.sent += len(piece)
