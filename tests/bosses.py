"""`make bosses`: is each league's boss better than the one below it, but not by too much?

Each boss plays the boss of the league below it, on the rules of the higher league and with seats swapped. It has to
take 65 to 80 % of the points; draws count half. A newcomer has to get in: the bot in `tests/first_day` plays the boss
of each Wood league, on the rules of that league, and has to take at least 60 %, and half against the highest of them.
So has the game's starter in the leagues that people pass on their first evening (`FIRST_EVENING`). The exit status is 1
where one of them does not, or where a bot was found at fault.

The bots draw nothing but from the map, so the same matches end alike each time. After a change of a bot chance plays a
part: in 400 matches, a boss that truly takes 72 % comes out outside 65 to 80 % about once in a thousand times, and so
does a newcomer that truly takes 60 % below half. With fewer matches the ends give way as far as that needs
(`accepted_percent`, `half_of_the_points`).
"""

import argparse
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from cli.play.series import Seating, complain, in_seats, points, tasks_of
from engine.bot.conditions import OFFICIAL, Conditions
from engine.game import Game, GameLeague
from engine.match import MatchResult, MatchSpec
from engine.sandbox.choice import open_sandbox
from engine.series import PlaySettings, UnplayedTask, in_order
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from engine.toolchains.params import Params, params_text, with_params
from engine.toolchains.program import Program
from tests.bench.report import say
from tests.catalogue import GAMES

LEAST_PERCENT, MOST_PERCENT = 65.0, 80.0
LEAST_PERCENT_OF_NEWCOMER = 60.0  # but in the highest Wood league
PERCENT_OF_STARTER = 75.0  # what it truly takes, about
FIRST_EVENING = {"ice-and-fire": ("wood-3", "wood-2")}
WOOD = "wood-"  # how the names of the leagues begin that are for newcomers
CHANCE_MARGIN = 3.3  # standard deviations: about once in a thousand times a result is further from the truth
FIRST_SEED = 1
FIRST_DAY = Path(__file__).parent / "first_day"
FORM = "{:14} {:10} {:41} {:41} {:>7} {:>7}  {:12} {:>8} {:>7}  {}"
TITLES = ("game", "league", "bot", "against", "matches", "win %", "wanted", "slowest", "faults", "")


@dataclass(frozen=True, slots=True)
class Rival:
    """A bot: its file, and its parameters."""

    file: Path
    params: Params = field(default_factory=dict[str, str])

    @property
    def name(self) -> str:
        return " ".join(
            filter(
                None, ("first day's bot" if self.file.parent == FIRST_DAY else self.file.name, params_text(self.params))
            )
        )

    def built(self) -> Program:
        program = build(self.file.read_text("utf-8"), language_of(self.file), open_sandbox())
        return with_params(program, self.params)


@dataclass(frozen=True, slots=True)
class Contest:
    """Two bots on the rules of a league, and the percent of the points that the first one has to take."""

    game: Game
    league: GameLeague
    first: Rival
    second: Rival
    wanted: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a bot did. `percent`: of the points, draws count half. `slowest_ms`: without the answer at the start."""

    percent: float
    slowest_ms: float
    faults: tuple[str, ...]

    def is_passed(self, wanted: tuple[float, float]) -> bool:
        """Whether the percent is neither below nor above what is wanted, and nobody was at fault."""
        least, most = wanted
        return least <= self.percent <= most and not self.faults


def main() -> int:
    """Play all trials, print them as a table, and return the exit status."""
    options = parsed_options()
    games = [GAMES.find(options.game)] if options.game else list(GAMES.all)
    say(FORM.format(*TITLES))
    wanted = newcomers_contests if options.newcomers else contests
    passed = [show(contest, options) for game in games for contest in wanted(game, options.matches)]
    return 0 if all(passed) else 1


def parsed_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bosses", description=__doc__)
    parser.add_argument("--matches", type=int, default=400, help="per pair of bots; 400 by default")
    parser.add_argument("--game", choices=list(GAMES.names), help="this one only")
    parser.add_argument("--newcomers", action="store_true", help="the bots of a first day only")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="matches at once")
    options = parser.parse_args()
    if options.matches < 1 or options.jobs < 1:
        parser.error("--matches and --jobs begin at 1")
    return options


def accepted_percent(matches: int) -> tuple[float, float]:
    """Return the least and the most percent of the points that a boss may take against the one below it.

    65 to 80, and as much more as the binomial distribution asks for where there are few matches: a boss in the middle
    between the two comes out beyond one of the ends about once in a thousand times.
    """
    middle = (LEAST_PERCENT + MOST_PERCENT) / 2
    margin = chance_margin(middle, matches)
    return min(LEAST_PERCENT, middle - margin), max(MOST_PERCENT, middle + margin)


def half_of_the_points(matches: int) -> tuple[float, float]:
    """Return the least and the most percent of the points that a newcomer may take against the highest Wood boss.

    Half, and less where there are few matches: one that truly takes 60 % is below that about once in a thousand times.
    """
    return min(50.0, LEAST_PERCENT_OF_NEWCOMER - chance_margin(LEAST_PERCENT_OF_NEWCOMER, matches)), 100.0


def wanted_of_starter(matches: int) -> tuple[float, float]:
    """Return the least and the most percent of the points that a starter may take: 60, less where matches are few."""
    return min(LEAST_PERCENT_OF_NEWCOMER, PERCENT_OF_STARTER - chance_margin(PERCENT_OF_STARTER, matches)), 100.0


def chance_margin(percent: float, matches: int) -> float:
    """Return how far from the percent that a bot truly takes chance alone may bring it."""
    return CHANCE_MARGIN * math.sqrt(percent * (100 - percent) / matches)


def contests(game: Game, matches: int) -> Iterator[Contest]:
    yield from newcomers_contests(game, matches)
    for lower, league in pairwise(guarded(game)):
        yield Contest(game, league, boss_of(game, league), boss_of(game, lower), accepted_percent(matches))


def newcomers_contests(game: Game, matches: int) -> Iterator[Contest]:
    """Give the contests of the bot of a first day, and of the starter: against the bosses of Wood leagues."""
    newcomer = Rival(FIRST_DAY / f"{game.folder.name}.py")
    *lower, highest = [league for league in guarded(game) if league.name.startswith(WOOD)]
    for league in lower:
        yield Contest(game, league, newcomer, boss_of(game, league), (LEAST_PERCENT_OF_NEWCOMER, 100.0))
    yield Contest(game, highest, newcomer, boss_of(game, highest), half_of_the_points(matches))
    for league in lower:
        if league.name in FIRST_EVENING.get(game.name, ()):
            starter = Rival(game.bots_folder.parent / "starters" / "starter.py")
            yield Contest(game, league, starter, boss_of(game, league), wanted_of_starter(matches))


def guarded(game: Game) -> list[GameLeague]:
    return [league for league in game.leagues if league.boss is not None]


def boss_of(game: Game, league: GameLeague) -> Rival:
    return Rival(game.bots_folder / str(league.boss), league.boss_params)


def show(contest: Contest, options: argparse.Namespace) -> bool:
    """Play one trial, print its row, and say whether it was passed."""
    trial = try_out(contest, options.matches, options.jobs)
    is_passed = trial.is_passed(contest.wanted)
    row = (
        contest.game.name,
        contest.league.name,
        contest.first.name,
        contest.second.name,
        options.matches,
        f"{trial.percent:.1f}",
        "{:.1f} to {:.1f}".format(*contest.wanted),
        f"{trial.slowest_ms:.1f} ms",
        len(trial.faults),
        "" if is_passed else "FAILED",
    )
    say(FORM.format(*row).rstrip())
    for fault in trial.faults:
        say(f"    {fault}")
    return is_passed


def each_result(
    series: list[Seating], programs: tuple[Program, Program], conditions: Conditions, jobs: int
) -> Iterator[MatchResult]:
    """Play the matches and give the results in order. Raises HostBusy at the first that cannot be played."""
    for played in in_order(tasks_of(series, programs), PlaySettings(conditions, jobs)):
        if isinstance(played.result, UnplayedTask):
            complain([played.result])
        else:
            yield played.result


def try_out(contest: Contest, matches: int, jobs: int) -> Trial:
    """Let the two bots of a contest play, on seeds from 1 on, each with both seat orders."""
    programs = (contest.first.built(), contest.second.built())
    series = [
        Seating(
            MatchSpec(contest.game, contest.league.rules_level, FIRST_SEED + number // 2), (number % 2, 1 - number % 2)
        )
        for number in range(matches)
    ]
    played = list(zip(series, each_result(series, programs, OFFICIAL, jobs), strict=True))
    names = (contest.first.name, contest.second.name)
    return Trial(
        percent=100 * sum(points(seating, result) for seating, result in played) / matches,
        slowest_ms=max(slowest_ms(seating, result) for seating, result in played),
        faults=tuple(fault for seating, result in played for fault in faults_of(seating, result, names)),
    )


def slowest_ms(seating: Seating, result: MatchResult) -> float:
    """Return the most that the first bot was charged for a turn. Its first answer has a limit of its own."""
    seat = in_seats(seating, (0, 1)).index(0)
    times_us = [turn.spent.charged_us for turn in result.turns if turn.seat == seat]
    return max(times_us[1:], default=0) / 1000


def faults_of(seating: Seating, result: MatchResult, names: tuple[str, str]) -> Iterator[str]:
    for name, verdict in zip(in_seats(seating, names), result.outcome.verdicts, strict=True):
        if verdict.verdict != "ok":
            yield f"seed {result.spec.seed}: {name} {verdict.verdict}: {verdict.message}"


if __name__ == "__main__":
    sys.exit(main())
