"""The games, their leagues and their maps."""

import shlex
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from engine.conformance.programs import ProgramFinding
from engine.conversation import UNFAIR
from engine.game import Game
from engine.immutable import immutable
from engine.referees.program import RefereeProgram


@immutable
class LeagueOfGame:
    """A league as its game defines it; `boss`: the file of its boss, or None."""

    name: str
    title: str
    rules_level: int
    boss: str | None


@immutable
class ListedReferee:
    """A referee that is a program; `files`: by their hash; `match_s`, `caution`: of a command that plays matches."""

    kind: str
    command: str
    files: str
    needs: list[str]
    memory_mb: int
    parameters: dict[str, str]
    first_limit_ms: int | None
    turn_limit_ms: int | None
    fault_line: str | None
    seed_bits: int
    repeated_by: str
    checked: bool
    match_s: int | None = None
    caution: str | None = None


@immutable
class ListedGame:
    """A game with its leagues, the lowest first. `referee`: None where the rules are in Python."""

    game: str
    title: str
    leagues: list[LeagueOfGame]
    players: list[int]
    referee: ListedReferee | None


def listed_game(game: Game) -> ListedGame:
    leagues = [LeagueOfGame(league.name, league.title, league.rules_level, league.boss) for league in game.leagues]
    referee = None if game.program is None else listed_referee(game.program, game.edition)
    return ListedGame(game.name, game.title, leagues, list(game.players), referee)


def listed_referee(program: RefereeProgram, edition: str) -> ListedReferee:
    return ListedReferee(
        kind=program.kind.value,
        command=shlex.join(program.command),
        files=edition,
        needs=list(program.needs),
        memory_mb=program.memory_mb,
        parameters=dict(program.parameters),
        first_limit_ms=program.limits.first_ms if program.limits else None,
        turn_limit_ms=program.limits.turn_ms if program.limits else None,
        fault_line=program.fault_line,
        seed_bits=program.seed_bits,
        repeated_by=program.repeated_by.value,
        checked=program.proven,
        match_s=program.bounds.match_s if program.starts_bots else None,
        caution=UNFAIR if program.starts_bots else None,
    )


@immutable
class CheckedGame:
    """What a check of a game has found. `files`: the hash of its files, with that written into `game.toml`."""

    game: str
    is_sound: bool
    findings: list[ProgramFinding]
    files: str


def listed(games: Iterable[Game]) -> list[ListedGame]:
    return [listed_game(game) for game in games]


@immutable
class GameMap:
    """The map that a seed gives, as golden records hold it."""

    MERGED: ClassVar = ("facts",)

    game: str
    seed: int
    facts: Mapping[str, Any]
