"""Views as bytes between two processes of ours: every field as it is, and back to the same dataclasses.

How this works. `ladder.views.encoding` writes JSON for everybody, in which some fields are merged, renamed or left out.
Here nothing is, and the reader goes by the function's own types. A game is written as its name and edition, and
becomes one of the reader's games again; so a reader needs the games of what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from inspect import Parameter, signature
from math import isfinite
from typing import Any, get_origin, get_type_hints

from cattrs.preconf.orjson import OrjsonConverter, make_converter
from cattrs.strategies import configure_union_passthrough

from engine.errors import ArenaError, Refused, UsageFault
from engine.game import FindsGames, Game, Games
from engine.text import shortened
from engine.toolchains.source import Source, Tree, unpacked
from ladder.access import Actor
from ladder.database.connection import Connection, Pool
from ladder.ids import LARGEST_ID
from ladder.leagues.file import LeagueFile, read_table
from ladder.leagues.settings import Value
from ladder.queue import Queue, Scheduling

OWN = (Connection, Pool, Actor, Queue, Scheduling)
"""What a view or an action is given by the side that calls it."""
MEDIA_TYPE = "application/vnd.ladder.view+json"
View = Callable[..., Any]


def written(view: View, found: object, games: FindsGames) -> bytes:
    return converter(games).dumps(found, unstructure_as=types_of(view)["return"])


def read(view: View, body: bytes, games: FindsGames) -> Any:
    return structured(converter(games), lambda one: one.loads(body, types_of(view)["return"]))


def written_words(view: View, given: Mapping[str, object], games: FindsGames) -> str:
    own, hints = converter(games), types_of(view)
    return own.dumps({name: own.unstructure(given[name], hints[name]) for name in words_of(view, given)}).decode()


def read_words(view: View, given: Mapping[str, Any], games: FindsGames) -> dict[str, Any]:
    """Read what a view or an action is asked with. Raises UsageFault for what does not fit its parameters."""
    own, kind = converter(games), kind_of(view)
    if unknown := given.keys() - parameters(view).keys():
        raise UsageFault(f"this {kind} is not asked with {shortened(min(unknown))}")
    if lacking := {name for name, one in parameters(view).items() if is_needed(view, one)} - given.keys():
        raise UsageFault(f"this {kind} has to be asked with {shortened(min(lacking))}")
    return {name: read_word(own, view, name, value) for name, value in given.items()}


def read_word(own: OrjsonConverter, view: View, name: str, value: object) -> Any:
    fault = f"this {kind_of(view)} cannot be asked with such a {shortened(name)}"
    return structured(own, lambda one: one.structure(value, types_of(view)[name]), fault)


def kind_of(view: View) -> str:
    """Say what that is, for people: what is given a connection is a view, what is given an actor an action."""
    return "action" if Actor in types_of(view).values() else "view"


def is_needed(view: View, parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty and parameter.name != games_parameter(view)


def structured(own: OrjsonConverter, make: Callable[[OrjsonConverter], Any], fault: str = "this is not a view") -> Any:
    """Return what is made of something that was sent. Raises UsageFault with `fault`, Refused for an unknown game."""
    try:
        return make(own)
    except Exception as error:
        if (known := own_error_in(error)) is not None:
            raise known from error
        raise UsageFault(f"{fault}: {type(error).__name__}") from error


def own_error_in(error: BaseException) -> ArenaError | None:
    """Return what our own code said of a part of what was sent, which the library wraps; None where it said nothing."""
    if isinstance(error, UsageFault | Refused):
        return error
    parts = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next(filter(None, map(own_error_in, parts)), None)


def words_of(view: View, given: Mapping[str, object]) -> list[str]:
    """Return the names of what is given and is sent: the catalogue of games is each side's own."""
    return [name for name in parameters(view) if name in given and not isinstance(given[name], Games)]


def parameters(view: View) -> Mapping[str, Parameter]:
    """Return what a view or an action is asked with, by name: all but what each side has of its own."""
    hints = types_of(view)
    return {name: one for name, one in signature(view).parameters.items() if not is_own(hints[name])}


def is_own(hint: Any) -> bool:
    """Say whether something of that type is never sent: a connection, who does it, a queue, what shows progress."""
    return hint in OWN or get_origin(hint) is Callable


def games_parameter(view: View) -> str | None:
    return next((name for name, hint in types_of(view).items() if hint is Games), None)


@cache
def types_of(view: View) -> Mapping[str, Any]:
    return get_type_hints(view)


MOST_KEPT = 8
KEPT: dict[int, tuple[FindsGames, OrjsonConverter]] = {}
"""The converter of each catalogue of games, by its identity: as long as the catalogue is kept here, no other has it."""


def converter(games: FindsGames) -> OrjsonConverter:
    """Return what turns views into JSON and back; made once for each catalogue, as it writes code for every type."""
    kept = KEPT.get(id(games))
    if kept is None:
        if len(KEPT) >= MOST_KEPT:
            KEPT.clear()
        kept = KEPT[id(games)] = (games, new_converter(games))
    return kept[1]


def of_kind(value: object, kind: type[object]) -> object:
    if issubclass(kind, Enum):
        return kind(value)
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not a {kind.__name__}")
    return value


def whole_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        raise TypeError(f"{value!r} is not a whole number")
    if not -LARGEST_ID - 1 <= value <= LARGEST_ID:
        raise ValueError(f"{value} is out of range")
    return int(value)


def new_converter(games: FindsGames) -> OrjsonConverter:
    own = make_converter(forbid_extra_keys=True)
    configure_union_passthrough(str | int | float | bool | None, own)
    own.register_structure_hook(bool, of_kind)
    own.register_structure_hook(str, of_kind)
    own.register_structure_hook(int, lambda value, _: whole_number(value))
    own.register_unstructure_hook(float, lambda value: value if isfinite(value) else str(value))
    own.register_structure_hook(float, lambda value, _: value if isinstance(value, int | float) else float(value))
    own.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    own.register_unstructure_hook(timedelta, lambda value: value.total_seconds())
    own.register_structure_hook(timedelta, lambda value, _: timedelta(seconds=value))
    own.register_unstructure_hook(datetime, datetime.isoformat)
    own.register_structure_hook(datetime, lambda value, _: datetime.fromisoformat(value))
    own.register_unstructure_hook(Game, lambda game: [game.name, game.edition])
    own.register_structure_hook(Game, lambda value, _: games.find(value[0], value[1] or None))
    own.register_unstructure_hook(Tree, lambda tree: own.unstructure(tree.packed))
    own.register_structure_hook(Tree, lambda value, _: unpacked(own.structure(value, bytes)))
    own.register_unstructure_hook_func(
        lambda kind: kind == Source,
        lambda source: {"text": source} if isinstance(source, str) else {"tree": own.unstructure(source)},
    )
    own.register_structure_hook_func(
        lambda kind: kind == Source,
        lambda value, _: str(value["text"]) if "text" in value else own.structure(value["tree"], Tree),
    )
    own.register_unstructure_hook_func(
        lambda kind: kind == Value,
        lambda value: {"moment": value.isoformat()} if isinstance(value, datetime) else value,
    )
    own.register_structure_hook_func(
        lambda kind: kind == Value,
        lambda value, _: datetime.fromisoformat(value["moment"]) if isinstance(value, dict) else value,
    )
    own.register_unstructure_hook(LeagueFile, lambda file: {"game": file.game, "leagues": file.leagues})
    own.register_structure_hook(LeagueFile, lambda value, _: read_table(value, games))
    return own
