"""A part of `make fair`: whole matches of bots that never sleep, beside many busy programs: nobody loses by time.

Three bots play against themselves: one in Python that prints twice a turn, once to stderr; one in Java that answers at
once; and one in Java that leaves garbage to be collected. Each is as suspected as a bot can be: where the host were
blamed for keeping it from its core, it would lose. As they are all of one player, nothing excuses them but what is to
be seen on the machine. A match that stays void is not a verdict, and is counted.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from engine.bot.conditions import OFFICIAL
from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, TimeLimits, Verdict
from engine.errors import HostBusy, MissingTool
from engine.game import Game
from engine.live import play
from engine.match import MatchSpec
from engine.parallel import in_processes
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.fair import MOST_CORES, busy_programs

LOADS = (8, 30, 60)
LOAD_OF_A_PLAYER = 20
"""With each so many busy programs one more match is played on each core: it is busy as well, and saves much time."""
ROUNDS = 10
SUSPICION = "so it was in every match before"
PYTHON = "import sys\nfor line in sys.stdin:\n    print('thinking', file=sys.stderr)\n    print('done', flush=True)\n"
JAVA = """
import java.util.*;
class Player {
    static List<int[]> kept = new ArrayList<>();
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            in.nextLine();
            for (int i = 0; i < GARBAGE; i++) {
                kept.add(new int[1000]);
                if (kept.size() > 2000) kept = new ArrayList<>(kept.subList(1000, 2000));
            }
            System.out.println("done");
        }
    }
}
"""
BOTS = {
    "Python, two prints a turn": ("python", PYTHON),
    "Java, answers at once": ("java", JAVA.replace("GARBAGE", "0")),
    "Java, collects garbage": ("java", JAVA.replace("GARBAGE", "3000")),
}


@dataclass(frozen=True, slots=True)
class MatchRow:
    """How the matches of one bot beside this many busy programs ended. `verdicts`: of seats that lost, in words."""

    bot: str
    busy_programs: int
    matches: int
    void: int
    verdicts: tuple[str, ...]

    @property
    def faults(self) -> list[str]:
        found = Counter(self.verdicts)
        words = [f"FALSE: {self.bot}, {self.busy_programs} busy programs: {one} ({n})" for one, n in found.items()]
        return words or ["nothing to judge: " + self.line] * (self.void == self.matches)

    @property
    def line(self) -> str:
        judged = self.matches - self.void
        return f"{self.bot:28} {self.busy_programs:>4} {judged:>8} {self.void:>5} {len(self.verdicts):>6}"


TITLES = f"\n{'whole matches':28} {'busy':>4} {'played':>8} {'void':>5} {'lost':>6}"


def rows(matches: int, loads: tuple[int, ...] = LOADS) -> Iterator[MatchRow]:
    """Play so many matches of each bot at each load. A bot whose language is missing here is left out."""
    cores = frozenset(sorted(os.sched_getaffinity(0))[:MOST_CORES])
    programs = built_bots()
    for load in loads:
        players = max(2, len(cores) * (1 + load // LOAD_OF_A_PLAYER))  # one alone would be this very process
        for bot, program in programs.items():
            with busy_programs(load, set(cores)):
                ends = list(in_processes(partial(end_of, program, cores), range(matches), players))
            yield MatchRow(bot, load, matches, ends.count(None), tuple(filter(None, ends)))


def built_bots() -> dict[str, Program]:
    """Return the bots whose language is here, built, before anything else is busy."""
    programs = {}
    for bot, (language, source) in BOTS.items():
        with suppress(MissingTool):
            programs[bot] = build(source, find_language(language), open_sandbox())
    return programs


@cache
def stay_on(cores: frozenset[int]) -> None:
    os.setsid()
    os.sched_setaffinity(0, cores)


def end_of(program: Program, cores: frozenset[int], seed: int) -> str | None:
    """Play a match on these cores; say what a seat lost by, "" where none did, None where the host was too busy."""
    stay_on(cores)
    try:
        spec = MatchSpec(game(), 1, seed)
        result = play(spec, (program, program), open_sandbox(), OFFICIAL, suspicions=(SUSPICION, SUSPICION))
    except HostBusy:
        return None
    return "; ".join(one.words for one in result.outcome.verdicts if one.verdict is not Verdict.OK)


def game() -> Game:
    """Return a game in which each seat is asked for some words, so often."""
    return Game(
        name="words",
        title="Words",
        folder=Path(),
        leagues=(),
        draw_probability=0.5,
        most_asks_per_seat=ROUNDS,
        limits=TimeLimits(1000, 50),
        referee=lead,
    )


def lead(_seed: int, _rules_level: int, limits: TimeLimits) -> Referee:
    """Ask both seats in turn; the first one that does not answer loses."""
    for number in range(ROUNDS):
        for seat in (0, 1):
            limit_ms = limits.turn_ms if number else limits.first_ms
            if (yield Ask(seat, (str(number),), limit_ms)) is None:
                return ended(seat)
    return ended(None)


def ended(loser: int | None) -> Outcome:
    """Return how a match ends that this seat loses; None: nobody does."""
    verdicts = tuple(NO_ANSWER if seat == loser else OK for seat in (0, 1))
    return Outcome(tuple(0 if seat == loser else 1 for seat in (0, 1)), "end", verdicts)
