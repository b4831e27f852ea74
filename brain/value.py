"""Values that cost little to define: ``dataclass`` by another road, and the base of plain ones.

The standard decorator writes and compiles six methods a class, half a millisecond each time, and its module
takes another eight: what a project remembers is read by commands that people wait for. The classes here share
their methods; ``__init__`` is compiled when the first value is made. For a type checker, and for the standard
``fields``, ``replace`` and ``asdict``, they are dataclasses like any other. ``scanner.value`` goes the same
road for itself: the two packages share no code.
"""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from typing import Any
else:

    def dataclass(*, slots, frozen=False, unsafe_hash=False):  # noqa: ARG001 - for the type checker
        """As ``dataclasses.dataclass``; slots are always made."""
        return lambda cls: _define(cls, frozen=frozen, hashed=frozen or unsafe_hash)

    def field(*, default_factory):
        """As ``dataclasses.field``, for a default that each value makes for itself."""
        return _Factory(default_factory)

    def replace(value, /, **changes):
        """As ``dataclasses.replace``: a copy of ``value`` with other parts."""
        kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
        return type(value)(**kept, **changes)


__all__ = ["Value", "dataclass", "field", "parts_of", "replace"]


class Value:
    """Equal to another of its class with equal parts; the parts are what ``__slots__`` names.

    They are plain classes with slots: nothing changes one after it is made.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


def parts_of(value: object) -> tuple[str, ...]:
    """The names of the parts of a value that ``dataclass`` made, inherited ones first; none of another."""
    cls = type(value)
    made = isinstance(cls.__dict__.get("__dataclass_fields__"), _Fields)
    return getattr(cls, "__match_args__", ()) if made else ()


class _Factory:
    """The default of a part that each value makes for itself."""

    __slots__ = ("make",)

    def __init__(self, make: object) -> None:
        self.make = make


class _Fields:
    """``__dataclass_fields__``, made when somebody asks for it, which programs seldom do."""

    __slots__ = ("defaults", "types")

    def __init__(self, types: dict[str, object], defaults: dict[str, object]) -> None:
        self.types = types
        self.defaults = defaults

    def __get__(self, _: object, owner: type) -> object:
        import dataclasses  # noqa: PLC0415 - what this module saves

        def standard(name: str) -> object:
            default = self.defaults[name]
            if isinstance(default, _Factory):
                return dataclasses.field(default_factory=default.make)  # type: ignore[call-overload] # untyped here
            return dataclasses.field(default=default)

        parts = [
            (name, kind, standard(name)) if name in self.defaults else (name, kind)
            for name, kind in self.types.items()
        ]
        return dataclasses.make_dataclass(owner.__name__, parts).__dataclass_fields__  # type: ignore[attr-defined] # it has


def _define(cls: type, *, frozen: bool, hashed: bool) -> type:
    """``cls`` again, with slots for its annotated names and the methods of a dataclass."""
    body = dict(cls.__dict__)
    own: dict[str, object] = body.get("__annotations__", {})
    types: dict[str, object] = {}
    defaults: dict[str, object] = {}
    for base in cls.__bases__:
        inherited = base.__dict__.get("__dataclass_fields__")
        if isinstance(inherited, _Fields):
            types |= inherited.types
            defaults |= inherited.defaults
    types |= own
    defaults |= {name: body.pop(name) for name in own if name in body}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body |= {
        "__slots__": tuple(own),
        "__match_args__": tuple(types),
        "__dataclass_fields__": _Fields(types, defaults),
        "__init__": _initially(types, defaults, frozen=frozen),
        "__repr__": _shown,
        "__eq__": _equality(types),
        "__hash__": _hash(types) if hashed else None,
    }
    if frozen:
        body |= {"__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce}
    return type(cls)(cls.__name__, cls.__bases__, body)


def _equality(types: dict[str, object]) -> object:
    key = attrgetter(*types)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - it stands in for one
        return type(other) is type(self) and bool(key(self) == key(other))

    return __eq__


def _hash(types: dict[str, object]) -> object:
    key = attrgetter(*types)

    def __hash__(self: object) -> int:  # noqa: N807 - it stands in for one
        return hash(key(self))

    return __hash__


def _initially(types: dict[str, object], defaults: dict[str, object], *, frozen: bool) -> object:
    def __init__(self: object, *args: object, **kwargs: object) -> None:  # noqa: N807 - it stands in for one
        cls = type(self)
        made = _initializer(cls, types, defaults, frozen=frozen)
        type.__setattr__(cls, "__init__", made)
        made(self, *args, **kwargs)

    return __init__


def _initializer(
    cls: type, types: dict[str, object], defaults: dict[str, object], *, frozen: bool
) -> Callable[..., None]:
    """The compiled ``__init__`` of ``cls``. A frozen class refuses all but its slots themselves; where none
    refuses, plain assignments take half the time.
    """
    names: dict[str, Any] = {"_Factory": _Factory}
    words, lines = ["self"], []
    for part in types:
        if frozen:
            names[f"_set_{part}"] = getattr(cls, part).__set__
        value = part
        if part in defaults:
            names[f"_default_{part}"] = defaults[part]
            words.append(f"{part}=_default_{part}")
            if isinstance(defaults[part], _Factory):
                value = f"{part}.make() if type({part}) is _Factory else {part}"
        else:
            words.append(part)
        lines.append(f"    _set_{part}(self, {value})\n" if frozen else f"    self.{part} = {value}\n")
    exec(f"def __init__({', '.join(words)}):\n{''.join(lines)}", names)  # noqa: S102 - the names of our own classes
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _shown(self: object) -> str:
    parts = (f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)  # type: ignore[attr-defined] # it has
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _refuse(self: object, name: str, *_: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - what this module saves

    raise FrozenInstanceError(f"cannot change {name!r} of a {type(self).__name__}")


def _reduce(self: object) -> tuple[type, tuple[object, ...]]:
    """How a frozen value is copied and pickled: made anew."""
    return type(self), tuple(getattr(self, name) for name in type(self).__match_args__)  # type: ignore[attr-defined] # it has
