"""One thing that `tsumiki check` has found."""

from typing import NamedTuple

ERROR = "error"
WARNING = "warning"


class Finding(NamedTuple):
    """code: str, FX... of fixtures, CS... of cassettes.  severity: `ERROR` or `WARNING`.

    path: str, a JSON pointer into the fixture, or `line N` of a cassette.  message: str.
    """

    code: str
    severity: str
    path: str
    message: str

    def as_dict(self):
        """What --json prints of it."""
        return self._asdict()

    def __lt__(self, other):
        return _order(self) < _order(other)


# By place, and there by code; the numbers in a path count as numbers.
def _order(finding):
    parts = finding.path.replace(" ", "/").split("/")
    return [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in parts], finding.code, finding.message


def pointer(path, *names):
    """A JSON pointer (RFC 6901): `path` and the members below it."""
    for name in names:
        path += "/" + str(name).replace("~", "~0").replace("/", "~1")
    return path
