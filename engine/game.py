"""What a game brings with it: a name, its leagues and a referee. One folder under `engine/games` each."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.conversation import Referee, TimeLimits
from engine.errors import UnknownName


@dataclass(frozen=True, slots=True)
class GameLeague:
    """A league as its game defines it, lowest first: which rules it plays by and which bot guards its upper end.

    `battles`: how many battles (one seed, both seat orders) a version plays there before it can be promoted.
    `boss`: a file in the game's `bots` folder, or None where nobody guards the league: nobody is promoted from it then.
    """

    name: str
    title: str
    rules_level: int
    battles: int
    boss: str | None


@dataclass(frozen=True, slots=True)
class Game:
    """One game.

    `referee(seed, rules_level, limits)` starts its conversation; the seed is a signed 64-bit integer.
    `limits`: its own limits of time, which count where a match has no others.
    `map_facts(seed, rules_level)` is what a seed gives, as golden map records and `--json` hold it.
    `draw_map(seed, rules_level)` is the same as rows of text for people.
    """

    name: str
    title: str
    folder: Path
    leagues: tuple[GameLeague, ...]
    draw_probability: float
    most_asks_per_seat: int
    limits: TimeLimits
    referee: Callable[[int, int, TimeLimits], Referee]
    map_facts: Callable[[int, int], dict[str, object]]
    draw_map: Callable[[int, int], tuple[str, ...]]

    def league(self, name: str) -> GameLeague:
        """Return the league called `name` (any case; blanks count as hyphens). Raises UnknownName."""
        wanted = name.strip().lower().replace(" ", "-")
        for league in self.leagues:
            if league.name == wanted:
                return league
        raise UnknownName.of(f"league of {self.name}", name, [league.name for league in self.leagues])

    @property
    def bots_folder(self) -> Path:
        """Where the bots that ship with the game live."""
        return self.folder / "bots"

    def statement(self, rules_level: int) -> str:
        """Return the rules of a level as its players read them: Markdown, from `statement/level-N.md`."""
        return (self.folder / "statement" / f"level-{rules_level}.md").read_text("utf-8")


def load_game(
    folder: Path,
    referee: Callable[[int, int, TimeLimits], Referee],
    map_facts: Callable[[int, int], dict[str, object]],
    draw_map: Callable[[int, int], tuple[str, ...]],
) -> Game:
    """Read `game.toml` in `folder` and join it with the game's functions."""
    with (folder / "game.toml").open("rb") as file:
        table: dict[str, Any] = tomllib.load(file)
    leagues = tuple(
        GameLeague(row["name"], row["title"], row["rules_level"], row["battles"], row.get("boss"))
        for row in table.pop("leagues")
    )
    limits = TimeLimits(table.pop("first_limit_ms"), table.pop("turn_limit_ms"))
    return Game(
        folder=folder,
        leagues=leagues,
        limits=limits,
        referee=referee,
        map_facts=map_facts,
        draw_map=draw_map,
        **table,
    )
