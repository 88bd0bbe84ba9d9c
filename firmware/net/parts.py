"""An answer whose body is sent in parts, so that no buffer has to hold all of it: a page, a file."""


async def send(connection, reply):
    """Send a reply of 200 whose body is a list of bytes; True if the connection can go on.

    The peer may take head_ms for each part. The header lines tell what the body is: Content-Type and so on.
    """
    _, parts, lines = reply
    request = connection.peer
    keep_alive = request.keep_alive and not connection.queue
    size = 0
    for part in parts:
        size += len(part)
    if not keep_alive:
        lines += b"Connection: close\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (size, lines + request.cors)
    for data in [head] + (parts if request.method != "HEAD" else []):
        if not connection.write(data):
            await connection.drain()
    return keep_alive
