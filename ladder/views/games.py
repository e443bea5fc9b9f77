"""The games, their leagues and their maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.game import Game


@dataclass(frozen=True, slots=True)
class LeagueOfGame:
    """A league as its game defines it; `boss`: the file of its boss, or None."""

    name: str
    title: str
    rules_level: int
    boss: str | None


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game with its leagues, the lowest first."""

    game: str
    title: str
    leagues: list[LeagueOfGame]


def listed_game(game: Game) -> ListedGame:
    """Return a game with its leagues."""
    own = [LeagueOfGame(one.name, one.title, one.rules_level, one.boss) for one in game.leagues]
    return ListedGame(game.name, game.title, own)


def listed(games: Iterable[Game]) -> list[ListedGame]:
    """Return games with their leagues."""
    return [listed_game(game) for game in games]


@dataclass(frozen=True, slots=True)
class GameMap:
    """The map that a seed gives, as golden records hold it."""

    MERGED: ClassVar = ("facts",)

    game: str
    seed: int
    facts: Mapping[str, Any]
