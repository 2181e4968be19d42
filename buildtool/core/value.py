"""The base class of values: immutable objects with named fields.

    class Version(Value):
        name: str
        numbers: tuple[int, ...] = ()

As with `typing.NamedTuple`, a value is a tuple of its fields and compares as one.  In addition,
subclasses can add fields and have cached properties.  NamedTuple and dataclasses compile source
code for each class: for the classes that an up-to-date build imports, this took a fifth of all its
instructions (callgrind: 247 million with NamedTuple).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Annotated, Any, Literal, Self, TypeVar, dataclass_transform

T = TypeVar("T")
Inline = Annotated[T, "its keys are in the object itself"]


def computed(value: Callable[[Any], T], *, init: Literal[False] = False) -> T:
    """In place of a default: what is annotated is no field but a property."""
    del init  # for type checkers: the property is no argument of the class
    return property(value)  # type: ignore[return-value]


class _ValueType(type):
    """Makes each annotated name of a class a field, in source order."""

    _fields: tuple[str, ...]
    _field_defaults: dict[str, Any]

    def __new__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], *, kw_only: bool = False
    ) -> _ValueType:
        del kw_only  # for type checkers: fields without a default may follow those that have one
        fields: tuple[str, ...] = getattr(bases[0], "_fields", ())
        defaults: dict[str, Any] = dict(getattr(bases[0], "_field_defaults", {}))
        for field in space.get("__annotations__", ()):
            if isinstance(space.get(field), property):
                continue
            if field in space:
                defaults[field] = space.pop(field)
            if field not in fields:
                space[field] = property(itemgetter(len(fields)))
                fields = (*fields, field)
        space |= {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
        return super().__new__(cls, name, bases, space)


@dataclass_transform(frozen_default=True, field_specifiers=(computed,))
class Value(tuple[Any, ...], metaclass=_ValueType):
    """Base class of values.  Raises `TypeError` when a field is missing, repeated or unknown."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        if len(given) != len(cls._fields):
            rest = cls._fields[len(given) :]
            try:
                given += tuple(
                    named.pop(field) if field in named else cls._field_defaults[field]
                    for field in rest
                )
            except KeyError as missing:
                raise TypeError(f"{cls.__name__} is made without the field {missing}") from None
        if named or len(given) != len(cls._fields):
            raise TypeError(f"{cls.__name__} has only the fields {', '.join(cls._fields)}")
        return tuple.__new__(cls, given)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)  # for `copy`

    def _replace(self, **changes: Any) -> Self:
        """A copy of the value with some fields changed."""
        return type(self)(**{**self._asdict(), **changes})

    def _asdict(self) -> dict[str, Any]:
        """The fields by name, in order."""
        return dict(zip(type(self)._fields, self, strict=True))

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({', '.join(fields)})"


class Described(Value):
    """A value that commands print: each field with a description is a key of its JSON object.

        class Part(Described):
            name: Annotated[str, "name of the part"]
            size: Annotated[int, "its bytes"] = computed(lambda self: len(self.data))
            place: Inline[Place]
            data: bytes

    The schemas in docs/json are made of the descriptions, which nothing evaluates at run time.
    """

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        document: dict[str, Any] = {}
        for key, annotation in described(type(self)).items():
            value = _plain(getattr(self, key))
            document.update(value if annotation.startswith("Inline[") else {key: value})
        return document


def described(kind: type) -> dict[str, str]:
    """The fields that are keys of JSON, with their annotations, those of base classes first."""
    return {
        key: annotation
        for cls in reversed(kind.__mro__)
        for key, annotation in getattr(cls, "__annotations__", {}).items()
        if annotation.startswith(("Annotated[", "Inline["))
    }


def _plain(value: Any) -> Any:
    """A field as JSON has it."""
    if isinstance(value, Value):
        return value.as_json() if hasattr(value, "as_json") else value._asdict()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value.__fspath__() if hasattr(value, "__fspath__") else value
