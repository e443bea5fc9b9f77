"""`make bosses`: is each league's boss as much better than the one below it as we claim?

Each boss plays the boss of the league below it, on the rules of the higher league and with seats swapped. The exit
status is 1 if one takes less than 65 % of the points, or if a bot was found at fault.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cli.play import Seating, each_result, in_seats, points
from engine.conditions import OFFICIAL
from engine.game import Game, GameLeague
from engine.games import GAMES
from engine.match import MatchResult, MatchSpec
from engine.sandbox import open_sandbox
from engine.toolchain import Program, build, language_of

LEAST_PERCENT = 65.0
FIRST_SEED = 1
FORM = "{:14} {:10} {:16} {:16} {:>7} {:>7} {:>8} {:>7}  {}"
TITLES = ("game", "league", "boss", "boss below", "matches", "win %", "slowest", "faults", "")


@dataclass(frozen=True, slots=True)
class Trial:
    """How a boss did. `percent`: of the points, draws count half. `slowest_ms`: without the answer at the start."""

    percent: float
    slowest_ms: float
    faults: tuple[str, ...]

    @property
    def is_passed(self) -> bool:
        """Whether this is good enough for us."""
        return self.percent >= LEAST_PERCENT and not self.faults


def main() -> int:
    """Play all trials, print them as a table, and return the exit status."""
    options = parsed_options()
    games = [GAMES[options.game]] if options.game else list(GAMES.values())
    say(FORM.format(*TITLES))
    passed = [show(game, lower, league, options) for game in games for lower, league in neighbours(game)]
    return 0 if all(passed) else 1


def parsed_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bosses", description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="per pair of bosses; 200 unless told")
    parser.add_argument("--game", choices=list(GAMES), help="this one only")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="matches at once")
    options = parser.parse_args()
    if options.matches < 1 or options.jobs < 1:
        parser.error("--matches and --jobs begin at 1")
    return options


def neighbours(game: Game) -> Iterator[tuple[GameLeague, GameLeague]]:
    """Give each two leagues that follow one another and both have a boss, the lower one first."""
    return pairwise(league for league in game.leagues if league.boss is not None)


def show(game: Game, lower: GameLeague, league: GameLeague, options: argparse.Namespace) -> bool:
    """Play one trial, print its row, and say whether it was passed."""
    trial = try_out(game, lower, league, options.matches, options.jobs)
    percent, slowest = f"{trial.percent:.1f}", f"{trial.slowest_ms:.1f} ms"
    result = "" if trial.is_passed else "FAILED"
    row = (
        game.name,
        league.name,
        league.boss,
        lower.boss,
        options.matches,
        percent,
        slowest,
        len(trial.faults),
        result,
    )
    say(FORM.format(*row).rstrip())
    for fault in trial.faults:
        say(f"    {fault}")
    return trial.is_passed


def try_out(game: Game, lower: GameLeague, league: GameLeague, matches: int, jobs: int) -> Trial:
    """Let a league's boss play against the one below."""
    programs = (program_of(game, league), program_of(game, lower))
    series = [
        Seating(MatchSpec(game.name, league.rules_level, FIRST_SEED + number // 2), swapped=number % 2 == 1)
        for number in range(matches)
    ]
    played = list(zip(series, each_result(series, programs, OFFICIAL, jobs), strict=True))
    names = (str(league.boss), str(lower.boss))
    return Trial(
        percent=100 * sum(points(seating, result) for seating, result in played) / matches,
        slowest_ms=max(slowest_ms(seating, result) for seating, result in played),
        faults=tuple(fault for seating, result in played for fault in faults_of(seating, result, names)),
    )


def program_of(game: Game, league: GameLeague) -> Program:
    """Build the boss of a league."""
    path = game.bots_folder / str(league.boss)
    return build(path.read_text("utf-8"), language_of(path), open_sandbox())


def slowest_ms(seating: Seating, result: MatchResult) -> float:
    """Return the most that the first bot was charged for a turn. Its first answer has a limit of its own."""
    seat = in_seats(seating, (0, 1)).index(0)
    times_us = [turn.spent.charged_us for turn in result.turns if turn.seat == seat]
    return max(times_us[1:], default=0) / 1000


def faults_of(seating: Seating, result: MatchResult, names: tuple[str, str]) -> Iterator[str]:
    """Tell which bots broke a rule or a limit in a match."""
    for name, verdict in zip(in_seats(seating, names), result.outcome.verdicts, strict=True):
        if verdict.verdict != "ok":
            yield f"seed {result.spec.seed}: {name} {verdict.verdict}: {verdict.message}"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
