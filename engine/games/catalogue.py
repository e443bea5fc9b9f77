"""Which games there are: those that ship with Ladder, those in LADDER_GAMES, those of installed packages.

LADDER_GAMES is a list of folders, with colons between them: each sub-folder with a `game.toml` is a game, and so is a
listed folder that has one itself. An installed package brings games by entry points of the group `ladder.games`, whose
values are packages that hold a `game.toml`.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from engine.errors import GameFault, plain_words
from engine.game import Game, Games
from engine.games.game_folder import TABLE, load_game

VARIABLE = "LADDER_GAMES"
GROUP = "ladder.games"
SHIPPED = ("ocean_of_code", "ice_and_fire")
"""The folders of the shipped games, in the order in which they are shown."""


GamePlace: TypeAlias = tuple[Path, str | None]
"""A game's folder, and as which package it can be imported, if as any."""


def shipped_games() -> Games:
    return games_at(shipped_places(), {})


def all_games(environment: Mapping[str, str] = os.environ) -> Games:
    """A game with a fault keeps none of the others out."""
    faults: dict[str, str] = {}
    folders = environment.get(VARIABLE, "")
    return games_at(chain(shipped_places(), places_in(folders, faults), installed_places(faults)), faults)


def absolute_folders(environment: Mapping[str, str]) -> dict[str, str]:
    """LADDER_GAMES for processes that work in another folder; {} where it is not set."""
    if VARIABLE not in environment:
        return {}
    folders = filter(None, environment[VARIABLE].split(os.pathsep))
    return {VARIABLE: os.pathsep.join(str(Path(folder).expanduser().absolute()) for folder in folders)}


def games_at(places: Iterable[GamePlace], faults: dict[str, str]) -> Games:
    """`faults`: those of places, to which those of games are added."""
    games: dict[str, Game] = {}
    for folder, package in places:
        called = folder.name.replace("_", "-")  # by which its fault can be asked for
        try:
            game = load_game(folder, package)
        except GameFault as fault:
            faults[called] = str(fault)
            continue
        if (other := games.setdefault(game.name, game)) is not game:
            why = f"which {other.folder / TABLE} has already"
            faults[called] = f"{folder / TABLE}: name is {game.name!r}, {why}"
    return Games(tuple(games.values()), faults)


def shipped_places() -> Iterator[GamePlace]:
    for name in SHIPPED:
        yield Path(__file__).parent / name, f"{__package__}.{name}"


def places_in(folders: str, faults: dict[str, str]) -> Iterator[GamePlace]:
    for word in filter(None, folders.split(os.pathsep)):
        folder = Path(word).expanduser()
        if (folder / TABLE).is_file():
            yield folder, None
            continue
        try:
            inside = sorted(folder.iterdir())
        except OSError as error:
            faults[word] = f"{VARIABLE}: {plain_words(error)}"
            continue
        yield from ((path, None) for path in inside if (path / TABLE).is_file())


def installed_places(faults: dict[str, str]) -> Iterator[GamePlace]:
    for point in entry_points(group=GROUP):
        with suppress(ImportError, ValueError):
            if (spec := find_spec(point.value)) and spec.submodule_search_locations:
                yield Path(spec.submodule_search_locations[0]), point.value
                continue
        faults[point.name] = f"the entry point {point.name} of {GROUP} names {point.value}, and that is not a package"
