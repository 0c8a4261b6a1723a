"""Frozen, slotted, keyword-only values, as :func:`dataclasses.dataclass` makes them, made when they are first needed.

A check of a small wheel takes a tenth of a second, most of it start-up. ``dataclass`` writes and compiles six methods for each
class when its module is imported (1.0 ms each where it was measured; a check defines about a hundred), and ``dataclasses``
itself imports ``inspect`` (20 ms). Here the methods are shared; only a class of which many instances are made has an
``__init__`` compiled for it (0.1 to 0.2 ms), which is faster than the shared one. To a type checker a record is a dataclass
(PEP 681).
"""

from __future__ import annotations

# The name alone is enough for type checkers (PEP 484); importing typing costs 6 ms, here and everywhere else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        """At run time the mark means nothing."""
        return lambda decorated: decorated


_WORTH_COMPILING = 64
"""Instances after which compiling has cost less than the shared ``__init__``, which takes 2 µs longer."""
_made: dict[type[object], int] = {}
"""Class → its instances so far, while it has no ``__init__`` of its own."""


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class a record: its annotated names become slots, set by keyword at construction and never again.

    Defaults are given as in a dataclass, and must be immutable; ``__post_init__`` is called as there. Equal values of one class
    are equal and hash alike.
    """
    namespace = dict(cls.__dict__)
    namespace.pop("__dict__", None)
    namespace.pop("__weakref__", None)
    names = tuple(cls.__annotations__)
    defaults = {name: namespace.pop(name) for name in names if name in namespace}
    namespace.update(__slots__=names, __match_args__=(), __record_fields__=names, __record_defaults__=defaults)
    for name, method in _METHODS.items():
        namespace.setdefault(name, method)
    # A class cannot be given slots afterwards: it is made anew, as dataclasses does.
    made: Any = type(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made  # type: ignore[no-any-return]


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=True, order_default=True)
def ordered_record(cls: type[T]) -> type[T]:
    """A record whose values are ordered by their fields, first to last."""
    for name, method in _ORDER.items():
        setattr(cls, name, method)
    return record(cls)


def replace(value: T, /, **changes: object) -> T:
    """The same value with some fields changed."""
    kept = {name: getattr(value, name) for name in field_names(type(value))}
    return type(value)(**(kept | changes))


def field_names(cls: type[Any]) -> tuple[str, ...]:
    """The names of a record's fields, in order."""
    names: tuple[str, ...] = cls.__record_fields__
    return names


def defaults(cls: type[Any]) -> dict[str, Any]:
    """The defaults of a record's fields; a field without one is absent."""
    return dict(cls.__record_defaults__)


def _shared_init(self: Any, **values: Any) -> None:  # noqa: ANN401
    """``__init__`` of every record, until its class has one of its own."""
    cls = type(self)
    made = _made[cls] = _made.get(cls, 0) + 1
    names = cls.__record_fields__
    values = cls.__record_defaults__ | values
    if made == _WORTH_COMPILING or len(values) != len(names) or not all(name in values for name in names):
        # The compiled one also refuses, in Python's own words, what is missing or unknown.
        cls.__init__ = _written_init(cls)
        self.__init__(**values)
        return
    for name in names:
        object.__setattr__(self, name, values[name])
    if hasattr(cls, "__post_init__"):
        self.__post_init__()


def _written_init(cls: type[Any]) -> Callable[..., None]:
    """``__init__`` with one keyword for each field; it sets the slots through their descriptors, since the class is frozen."""
    names = field_names(cls)
    known = defaults(cls)
    parameters = ", ".join(f"{name}=_default_{name}" if name in known else name for name in names)
    body = "\n".join(f"    _set_{name}(self, {name})" for name in names) or "    pass"
    if hasattr(cls, "__post_init__"):
        body += "\n    self.__post_init__()"
    scope = {f"_set_{name}": cls.__dict__[name].__set__ for name in names}
    scope |= {f"_default_{name}": value for name, value in known.items()}
    # The names are those of a class in this program's source: nothing of an artifact comes here.
    exec(f"def __init__(self{', *, ' if names else ''}{parameters}):\n{body}", scope)  # noqa: S102
    written: Callable[..., None] = scope["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    return written


def _values(self: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return tuple([getattr(self, name) for name in self.__record_fields__])


def _refuse_change(self: object, name: str, *_: object) -> None:
    raise AttributeError(f"cannot change {name!r} of a {type(self).__name__}: records are frozen")


def _remade(cls: type[T], values: tuple[Any, ...]) -> T:
    """For :mod:`copy` and :mod:`pickle`: the slots cannot be set one by one."""
    return cls(**dict(zip(field_names(cls), values, strict=True)))


_METHODS: dict[str, Any] = {
    "__reduce__": lambda self: (_remade, (type(self), _values(self))),
    "__init__": _shared_init,
    "__setattr__": _refuse_change,
    "__delattr__": _refuse_change,
    "__eq__": lambda self, other: _values(self) == _values(other) if type(other) is type(self) else NotImplemented,
    "__hash__": lambda self: hash(_values(self)),
    "__repr__": lambda self: (
        f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__record_fields__)})"
    ),
}
_ORDER: dict[str, Any] = {
    "__lt__": lambda self, other: _values(self) < _values(other) if type(other) is type(self) else NotImplemented,
    "__le__": lambda self, other: _values(self) <= _values(other) if type(other) is type(self) else NotImplemented,
    "__gt__": lambda self, other: _values(self) > _values(other) if type(other) is type(self) else NotImplemented,
    "__ge__": lambda self, other: _values(self) >= _values(other) if type(other) is type(self) else NotImplemented,
}
