"""What all types share.  The types are in `types.py`.

A server keeps its types in RAM for ever, so this is written for size: a type holds only the options that it was
told, and what few servers or few requests need is in a module that is imported when it is needed. A type is
verified when it is built (`options.py`, LocalError), never during a call.
"""

ABSENT = object()  # The default of a type that has none; None is a default.


class Kind:
    """The base of all types.

    Options of each: title, description: str.  default: a value of the type, which makes it optional too.
    optional: bool, may be missing from its object.  nullable: bool, None (null) is taken too.
    enum: tuple of the scalars that are taken.

    Each has `check(value, path="", coerce=True)`: the checked value, of a new container where it is one.
    path: str, the JSON pointer of the value, for errors.
    coerce: bool, True takes "12" for 12 where that is unambiguous, and fills in defaults.
    Raises Violation with the pointer of what is wrong, and a reason that never shows the value.
    """

    enum = loaded = None
    optional = nullable = False
    default = ABSENT
    TYPE = None  # its name in JSON Schema
    # Functions of a type and a value that say why it is refused, or None.
    _refusals = ()

    def __init__(self, **options):
        for name, value in options.items():
            # What most types are told needs no module.
            if type(value) is str:
                simple = name in ("title", "description")
            elif type(value) is bool:
                simple = name in ("optional", "nullable")
            else:
                simple = name == "max_length" and hasattr(self, name) and type(value) is int and value >= 0
            if not simple:
                from .options import apply

                apply(self, options)
                return
            setattr(self, name, value)

    def schema(self):
        """The type as JSON Schema 2020-12; for a type from `schema.load`, the dict that it was loaded from.

        A dict on CPython, an OrderedDict on MicroPython: fields are listed in declared order on both.
        """
        if self.loaded is not None:
            return self.loaded
        from .describe import describe

        return describe(self)

    def _member(self, value, path, coerce):
        for m in self.enum:
            # True equals 1, and is another value in JSON.
            if m == value and isinstance(m, bool) == isinstance(value, bool):
                return m
        from .violations import folded

        return folded(self.enum, value, path, coerce)
