"""The DNS of the access point: every name is its own, and what is no question gets no answer."""

import asyncio
import socket

from harness import eq, port
from net.captive_dns import answer, serve

HERE = b"\xc0\xa8\x04\x01"
ASKED = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1"


def test_a_name_has_our_address():
    eq(
        answer(ASKED, HERE),
        b"\x12\x34\x84\0\0\1\0\1\0\0\0\0" + ASKED[12:] + b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + HERE,
    )


def test_another_kind_of_record_is_empty():
    asked = ASKED[:-4] + b"\0\x1c\0\1"  # AAAA
    eq(answer(asked, HERE), b"\x12\x34\x84\0\0\1\0\0\0\0\0\0" + asked[12:])
    more = ASKED + b"\0\0\x29\x10\0\0\0\0\0\0\0"  # EDNS
    eq(answer(more, HERE), answer(ASKED, HERE))


def test_what_is_no_question_has_no_answer():
    for end in range(len(ASKED)):
        eq((end, answer(ASKED[:end], HERE)), (end, None))
    eq(answer(ASKED[:2] + b"\x81" + ASKED[3:], HERE), None)  # an answer
    eq(answer(ASKED[:5] + b"\2" + ASKED[6:], HERE), None)  # two questions
    eq(answer(ASKED[:12] + b"\xc0\x0c\0\1\0\1", HERE), None)  # a pointer in a question
    eq(answer(b"", HERE), None)


async def test_it_answers_over_udp():
    at = port()
    task = asyncio.create_task(serve("127.0.0.1", "192.168.4.1", at))
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setblocking(False)
    peer = socket.getaddrinfo("127.0.0.1", at)[0][-1]
    found = None
    for _ in range(100):
        s.sendto(b"noise", peer)
        s.sendto(ASKED, peer)
        await asyncio.sleep_ms(60)
        try:
            found = s.recv(512)
            break
        except OSError:
            pass
    s.close()
    task.cancel()
    eq(found, answer(ASKED, HERE))
