"""Values that cost little to define: ``dataclass`` by another road, and the base of plain ones.

The decorator of the standard library writes and compiles six methods a class, half a millisecond each time,
and brings ``inspect`` along: a quarter of what an empty scan took. The classes here share their methods; the
one that differs, ``__init__``, is compiled when the first value is made. For a type checker, and for
``dataclasses.fields``, ``replace`` and ``asdict``, they are dataclasses like any other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from typing import Any
else:

    def dataclass(*, frozen=False, slots):  # noqa: ARG001 - for the type checker, slots are always made
        """As ``dataclasses.dataclass``."""
        return lambda cls: _define(cls, frozen=frozen)

    def field(*, default_factory):
        """As ``dataclasses.field``, for a default that each value makes for itself."""
        return _Factory(default_factory)

    def replace(value, /, **changes):
        """As ``dataclasses.replace``: a copy of ``value`` with other parts."""
        kept = {name: getattr(value, name) for name in value.__slots__ if name not in changes}
        return type(value)(**kept, **changes)


__all__ = ["Value", "dataclass", "field", "replace"]


class Value:
    """Equal to another of its class with equal parts; the parts are what ``__slots__`` names.

    The base of small values that are made by the ten thousand: nothing changes one after it is made, though
    nothing forbids it, for that takes three times as long to make.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(parts)})"


def _parts(value: Value) -> tuple[object, ...]:
    return tuple(getattr(value, name) for name in value.__slots__)


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


def _define(cls: type, *, frozen: bool) -> type:
    """``cls`` again, with slots for its annotated names and the methods of a dataclass."""
    body = dict(cls.__dict__)
    types: dict[str, object] = body["__annotations__"]
    defaults = {name: body.pop(name) for name in types if name in body}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body |= {
        "__slots__": tuple(types),
        "__match_args__": tuple(types),
        "__dataclass_fields__": _Fields(types, defaults),
        "__init__": _initially(types, defaults, frozen=frozen),
        "__repr__": Value.__repr__,
        "__eq__": Value.__eq__,
        "__hash__": Value.__hash__ if frozen else None,
    }
    if frozen:
        body |= {"__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce}
    return type(cls)(cls.__name__, cls.__bases__, body)


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
    """The compiled ``__init__`` of ``cls``; where it is ``frozen`` it sets the slots past its own refusal,
    which takes twice as long.
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


def _refuse(self: object, name: str, *_: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - what this module saves

    raise FrozenInstanceError(f"cannot change {name!r} of a {type(self).__name__}")


def _reduce(self: Value) -> tuple[type, tuple[object, ...]]:
    """How a frozen value is copied and pickled: made anew."""
    return type(self), _parts(self)
