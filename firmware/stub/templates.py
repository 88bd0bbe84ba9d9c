"""URI templates of fixtures: those of level 1 as the library reads them, others by their literals alone."""

from umcp.errors import LocalError
from umcp.uri_template import UriTemplate


def matcher(template):
    """match(uri in bytes) -> the variables (dict of str), or None.  template: str.

    Of a template beyond level 1 (`{+path}`, `{?a,b}`) all that its first literal begins matches, with no variables.
    """
    try:
        return UriTemplate(template).match
    except LocalError:
        literal = template.split("{")[0].encode()
        return lambda uri: {} if uri.startswith(literal) else None
