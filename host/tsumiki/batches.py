"""Batches of 2025-03-26: many messages in one, whose answers are one, too."""

from .pipeline import Reply, dumped


async def handled(exchange, handle):
    """Give each message of a batch to `async handle(exchange)`; returns the `Reply` of them all.

    What is sent before an answer goes out as it comes.
    """
    replies = []

    async def sink(action):
        if isinstance(action, Reply):
            replies.append(action.raw)
        else:
            await exchange.send(action)

    for message in exchange.message:
        await handle(exchange.altered(dumped(message)).through(sink))
    replies = [raw for raw in replies if raw]
    return Reply(b"[" + b",".join(replies) + b"]") if replies else Reply(b"", 202)
