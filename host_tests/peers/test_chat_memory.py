"""A dialogue with two remote servers of fourteen tools each, in a heap of a known size beside the running robot."""

from peers import chat_memory

# KB of 64-bit words, the modules in a ROMFS image: 320 were the least on unix MicroPython 1.29, which is the goal. From
# .mpy files, whose bytecode is in the heap too, it takes 450.
HEAP = 324
# 104 KB were seen: 58 are the modules of both clients and of the dialogue, 28 fifty tools, 9 the server that listens.
CONNECTED = 112 * 1024


def test_a_dialogue_in_a_small_heap():
    with chat_memory.Around() as around:
        with chat_memory.of_rom(HEAP, around.arguments) as robot:
            said = chat_memory.turns(robot)
        assert said == [("True", "Well, here I am, and that is that. ", "4", "0")] * 4
        assert around.model.offered == chat_memory.TOOLS
        assert max(around.model.sizes) > 14000


def test_what_a_dialogue_takes():
    found = chat_memory.measure()
    print(found)
    assert 20000 < found.connected < CONNECTED, found
    assert found.talked < found.connected + 32 * 1024, found
