"""`immutable` makes data classes whose objects never change, as `dataclass(frozen=True, slots=True)` does, sooner.

How this works. That one writes and compiles six methods for each class, which takes about 0.6 ms; the pages have 550
classes and took 40 % of their start for it. Only `__init__` differs so much from class to class that it has to be
compiled. The others are the same for all classes here, but for what `attrgetter` reads. Everything else is left to the
library: for `fields`, `replace`, `asdict`, pydantic and type checkers these are data classes as any.

Fields that are only for keywords or for `__post_init__` are not known here.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform

Made = TypeVar("Made")
set_field = object.__setattr__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(described: type[Made]) -> type[Made]:
    """Return the class with slots for its fields, by which its objects are equal, hashed, printed and pickled. A method
    that the class has itself stays. Setting or deleting a field raises FrozenInstanceError.
    """
    own = [name for name in ("__init__", "__eq__", "__hash__", "__repr__") if vars(described).get(name)]
    described.__doc__ = described.__doc__ or described.__name__  # else the library makes one, which takes long
    made = dataclass(init=False, repr=False, eq=False, slots=True)(described)
    its_fields = fields(cast("Any", made))
    compared = tuple_getter([one.name for one in its_fields if one.compare])
    hashed = tuple_getter([one.name for one in its_fields if (one.compare if one.hash is None else one.hash)])
    methods: dict[str, Callable[..., Any]] = {
        "__init__": init_of(made, its_fields),
        "__eq__": lambda ours, other: (
            compared(ours) == compared(other) if other.__class__ is ours.__class__ else NotImplemented
        ),
        "__hash__": lambda ours: hash(hashed(ours)),
        "__repr__": words_of,
        "__setattr__": refuse_to_set,
        "__delattr__": refuse_to_delete,
        "__getstate__": state_of,
        "__setstate__": set_state,
    }
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made


def tuple_getter(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda ours: tuple(getattr(ours, name) for name in names)


def init_of(made: type, its_fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """Compile the `__init__` of a class, in the words that the library would use."""
    known: dict[str, object] = {"MISSING": MISSING, "set_field": set_field}
    parameters = ["self"]
    body: list[str] = []
    for one in its_fields:
        default = f"default_{one.name}"
        is_made = one.default_factory is not MISSING
        known[default] = one.default_factory if is_made else one.default
        has_default = known[default] is not MISSING
        if one.init:
            otherwise = "=MISSING" if is_made else f"={default}" if has_default else ""
            parameters.append(one.name + otherwise)
            value = f"{default}() if {one.name} is MISSING else {one.name}" if is_made else one.name
        elif has_default:
            value = f"{default}()" if is_made else default
        else:
            continue
        body.append(f"set_field(self, {one.name!r}, {value})")
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    exec(text, known)  # noqa: S102 - as the library does
    init = cast("Callable[..., None]", known["__init__"])
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def words_of(ours: Any) -> str:
    values = ", ".join(f"{one.name}={getattr(ours, one.name)!r}" for one in fields(ours) if one.repr)
    return f"{type(ours).__qualname__}({values})"


def refuse_to_set(_ours: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_to_delete(_ours: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def state_of(ours: Any) -> list[object]:
    return [getattr(ours, one.name) for one in fields(ours)]


def set_state(ours: Any, state: list[object]) -> None:
    for one, value in zip(fields(ours), state, strict=True):
        set_field(ours, one.name, value)
