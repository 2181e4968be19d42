"""Python names of what an IDL file declares.

Public names have no leading underscore, so generated code uses such names for itself.
"""

from __future__ import annotations

import builtins
import enum
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from buildtool.idl.model import Constant, Enum, Interface, Struct

KEYWORDS = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
# Annotations use the names of builtins and of these imports.
MODULE_NAMES = KEYWORDS | frozenset(dir(builtins)) | {"Buffer", "NamedTuple", "Sequence"}
MEMBERS = KEYWORDS | frozenset(dir(builtins))
ENUMERATORS = KEYWORDS | frozenset(dir(enum.IntEnum)) | {"mro", "name", "value"}
RESULTS = MEMBERS | frozenset(dir(tuple))
METHODS = MEMBERS | {"close", "URI"}
PARAMETERS = KEYWORDS | {"self"}
_C_PREFIX = "_cxx_"  # of names that are reserved in C


def module_name(stem: str) -> str:
    """The name of the module of `<stem>.idl`."""
    return python_name(re.sub(r"\W", "_", stem), KEYWORDS)


def python_name(name: str, taken: Iterable[str]) -> str:
    """`name` as a public Python name that is none of `taken`."""
    plain = name.removeprefix(_C_PREFIX).lstrip("_")
    if not plain.isidentifier():
        plain = f"x{plain}"
    while plain in taken:
        plain += "_"
    return plain


def python_names(names: Iterable[str], reserved: Iterable[str]) -> list[str]:
    """Different Python names for all `names`."""
    taken, made = set(reserved), []
    for name in names:
        made.append(python_name(name, taken))
        taken.add(made[-1])
    return made


def camel(name: str) -> str:
    """`htp_ops` as `HtpOps`."""
    return "".join(part[0].upper() + part[1:] for part in name.split("_") if part)


class ModuleNames:
    """The names at the top of a module: constants keep theirs, types are in CapWords.

    Types whose names would become the same keep those of the IDL.
    """

    def __init__(self, declarations: Sequence[Constant | Enum | Struct | Interface]) -> None:
        self._taken = set(MODULE_NAMES)
        constants = [each for each in declarations if isinstance(each, Constant)]
        types = [each for each in declarations if not isinstance(each, Constant)]
        count = Counter(camel(each.c_name) for each in types)
        self._constants = {each.c_name: self.new(each.c_name) for each in constants}
        self._types = {}
        for each in types:
            name = camel(each.c_name)
            self._types[each.c_name] = self.new(name if count[name] == 1 else each.c_name)

    def new(self, wish: str) -> str:
        """A name that no declaration has: `wish` if possible."""
        name = python_name(wish, self._taken)
        self._taken.add(name)
        return name

    def constant(self, constant: Constant) -> str:
        return self._constants[constant.c_name]

    def type(self, type_: Enum | Struct | Interface) -> str:
        return self._types[type_.c_name]
