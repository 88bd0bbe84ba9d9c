"""The host command, run in the test's own process."""

import json

from tsumiki import cli


class Command:
    """Called with words, it gives the exit status; then `out` and `err` are what was printed."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *words):
        self._capsys.readouterr()
        try:
            status = cli.main([str(word) for word in words])
        except SystemExit as e:
            status = e.code
        self.out, self.err = self._capsys.readouterr()
        return status

    @property
    def json(self):
        return json.loads(self.out)


def written(path, value):
    """path, after the value was written there: JSON, or for a list of rows NDJSON."""
    if isinstance(value, list):
        path.write_text("".join(json.dumps(row) + "\n" for row in value))
    else:
        path.write_text(json.dumps(value))
    return path
