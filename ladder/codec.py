"""Views as bytes between two processes of ours: every field as it is, and back to the same dataclasses.

How this works. `ladder.views.encoding` writes JSON for everybody, in which some fields are merged, renamed or left out.
Here nothing is, and the reader goes by the function's own types. A game is written as its name and edition, and
becomes one of the reader's games again; so a reader needs the games of what it reads.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from enum import Enum
from functools import cache, partial
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
"""What a view or an action is given by the side that calls it, as it is what shows progress, a `Callable`."""
MEDIA_TYPE = "application/vnd.ladder.view+json"
View = Callable[..., Any]


def written(view: View, value: object, games: FindsGames) -> bytes:
    return converter(games).dumps(value, unstructure_as=types_of(view)["return"])


def read(view: View, body: bytes, games: FindsGames) -> Any:
    return structured(partial(converter(games).loads, body, types_of(view)["return"]), "this is not a view")


def written_words(view: View, words: Mapping[str, object], games: FindsGames) -> str:
    """Write what a view or an action is asked with; without the catalogue of games, which is each side's own."""
    plain, hints = converter(games), types_of(view)
    names = [name for name in parameters(view) if name in words and not isinstance(words[name], Games)]
    sent = {name: plain.unstructure(words[name], hints[name]) for name in names}
    require_utf8(sent)
    return plain.dumps(sent).decode()


def require_utf8(value: object) -> None:
    """Raise UnicodeEncodeError, as the database's driver does, for the first text that is not UTF-8."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, Mapping):
        require_utf8([*value, *value.values()])
    elif isinstance(value, Collection):
        for part in value:
            require_utf8(part)


def read_words(view: View, sent: Mapping[str, Any], games: FindsGames) -> dict[str, Any]:
    """Read what a view or an action is asked with. Raises UsageFault for what does not fit its parameters."""
    structure, hints = converter(games).structure, types_of(view)
    kind = "action" if Actor in hints.values() else "view"
    by_name = parameters(view)
    if unknown := sent.keys() - by_name.keys():
        raise UsageFault(f"this {kind} is not asked with {shortened(min(unknown))}")
    if lacking := {name for name, parameter in by_name.items() if is_needed(view, parameter)} - sent.keys():
        raise UsageFault(f"this {kind} has to be asked with {shortened(min(lacking))}")
    return {
        name: structured(
            partial(structure, value, hints[name]), f"this {kind} cannot be asked with such a {shortened(name)}"
        )
        for name, value in sent.items()
    }


def is_needed(view: View, parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty and parameter.name != games_parameter(view)


def structured(make: Callable[[], Any], fault: str) -> Any:
    """Return what is made of something that was sent. Raises UsageFault with `fault`, Refused for an unknown game."""
    try:
        return make()
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


def parameters(view: View) -> Mapping[str, Parameter]:
    """Return what a view or an action is asked with, by name: all but what each side has of its own."""
    hints = types_of(view)
    return {
        name: parameter
        for name, parameter in signature(view).parameters.items()
        if hints[name] not in OWN and get_origin(hints[name]) is not Callable
    }


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
    pair = KEPT.get(id(games))
    if pair is None:
        if len(KEPT) >= MOST_KEPT:
            KEPT.clear()
        pair = KEPT[id(games)] = (games, new_converter(games))
    return pair[1]


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
    made = make_converter(forbid_extra_keys=True)
    configure_union_passthrough(str | int | float | bool | None, made)
    made.register_structure_hook(bool, of_kind)
    made.register_structure_hook(str, of_kind)
    made.register_structure_hook(int, lambda value, _: whole_number(value))
    made.register_unstructure_hook(float, lambda value: value if isfinite(value) else str(value))
    made.register_structure_hook(float, lambda value, _: value if isinstance(value, int | float) else float(value))
    made.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)

    def add(kind: Any, write: Callable[[Any], Any], read: Callable[[Any], Any]) -> None:
        made.register_unstructure_hook_func(lambda hint: hint == kind, write)
        made.register_structure_hook_func(lambda hint: hint == kind, lambda value, _: read(value))

    add(timedelta, timedelta.total_seconds, lambda value: timedelta(seconds=value))
    add(datetime, datetime.isoformat, datetime.fromisoformat)
    add(Game, lambda game: [game.name, game.edition], lambda value: games.find(value[0], value[1] or None))
    add(Tree, lambda tree: made.unstructure(tree.packed), lambda value: unpacked(made.structure(value, bytes)))
    add(
        Source,
        lambda source: {"text": source} if isinstance(source, str) else {"tree": made.unstructure(source)},
        lambda value: str(value["text"]) if "text" in value else made.structure(value["tree"], Tree),
    )
    add(
        Value,
        lambda value: {"moment": value.isoformat()} if isinstance(value, datetime) else value,
        lambda value: datetime.fromisoformat(value["moment"]) if isinstance(value, dict) else value,
    )
    add(LeagueFile, lambda file: {"game": file.game, "leagues": file.leagues}, lambda value: read_table(value, games))
    return made
