"""What a result of 2026-07-28 asks for before it is complete (patterns: multi round-trip requests)."""

from .client_errors import InvalidResponse, LimitError
from .exchange import Work


def answered(session, params, result, last):
    """Flow: have the callbacks answer; returns the params for the next round.

    params: dict, of the round before.  last: bool, there have been enough rounds.
    Raises LimitError, InvalidResponse for a request that the session did not say it could answer, CallbackFailed.
    """
    requests = result.get("inputRequests", {})
    state = result.get("requestState")
    if not isinstance(requests, dict) or not (state is None or isinstance(state, str)):
        raise _invalid()
    if not requests and state is None:
        raise _invalid()
    if last:
        raise LimitError("input_required: too many rounds")
    made = {key: value for key, value in params.items() if key not in ("inputResponses", "requestState")}
    if requests:
        for request in requests.values():
            if not isinstance(request, dict) or request.get("method") not in session.handled:
                raise _invalid()
        from .client_features import fulfil

        work = Work(lambda: fulfil(session, requests))
        yield work
        made["inputResponses"] = work.result
    if state is not None:
        made["requestState"] = state
    return made


def _invalid():
    return InvalidResponse("Invalid JSON-RPC response: input_required")
