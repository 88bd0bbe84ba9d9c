"""The servers of others, started when a test first asks for one."""

import pytest

from peers.our_client import Peer


@pytest.fixture(scope="module")
def peers():
    """A peer by its kind, started when first asked for."""
    started = {}

    def find(kind):
        if kind not in started:
            started[kind] = Peer(kind)
        return started[kind]

    yield find
    for peer in started.values():
        peer.listener.close()
