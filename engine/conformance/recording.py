"""Golden records of any game: matches between its bots, written down question by question.

How this works. Bots play in the sandbox, with far more time than the game gives them, so that a busy machine changes
nothing. What they said is then put to the referee once more, which shows what each of them was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path

from engine.errors import UsageFault
from engine.game import Game
from engine.games.golden import MatchRecord, RecordedAsk
from engine.match import MatchResult, MatchSpec
from engine.rejudge import asks_of

LIMIT_MS = 10_000
"""For each answer."""


@dataclass(frozen=True, slots=True)
class Fixture:
    spec: MatchSpec
    bots: tuple[Path, ...]


def fixtures(game: Game, bots: Sequence[Path], matches: int, first_seed: int) -> list[Fixture]:
    """Levels and numbers of players take turns, each with all orders of bots: without `bots` the bosses up to that
    level. Raises UsageFault where a level has none.
    """
    kinds = {
        (level, players): cycle(product(bots or bosses_up_to(game, level), repeat=players))
        for players, level in product(game.players, game.rules_levels)
    }
    return [
        Fixture(MatchSpec(game, level, first_seed + number, LIMIT_MS, LIMIT_MS, players), next(kinds[level, players]))
        for number, (level, players) in enumerate(islice(cycle(kinds), matches))
    ]


def bosses_up_to(game: Game, level: int) -> list[Path]:
    files = [game.bots_folder / league.boss for league in game.leagues if league.boss and league.rules_level <= level]
    if not files:
        raise UsageFault(f"{game.name} has no boss that plays at rules level {level}: name bots with --bot")
    return files


def recorded(result: MatchResult, name: str) -> MatchRecord:
    """`name`: its id. Raises ArenaError where its lines do not lead to its end."""
    program, notes, outcome = result.spec.game.program, result.notes, result.outcome
    asks = zip(asks_of(result), result.turns, strict=True)
    return MatchRecord(
        game=result.spec.game.name,
        id=name,
        rules_level=result.spec.rules_level,
        seed=result.spec.seed,
        asks=tuple(RecordedAsk(ask.seat, ask.lines, turn.line) for ask, turn in asks),
        scores=outcome.scores,
        winner=outcome.winner,
        end=outcome.reason,
        parameters=program.repeating(notes.parameters) if program and notes else (),
    )
