"""`make fair`: does the clock catch slow bots, and only those, however busy the machine is?

Bots of which we know what a turn costs them, because they compute or sleep for so long and no longer, play in the real
sandbox while other programs want the same cores. Each turn is judged with a limit of 50 ms. The exit status is 1 if a
turn of 45 ms or less was lost, or if so many of 60 ms or more were not, at any load, that it cannot be chance where one
in a hundred is missed: see `most_by_chance`. Beside busy programs only what was computed counts as missed, as nothing
proves that a bot slept there. What bots in whole matches lose by time is a false time-out: see `tests.fair_matches`.

How this works. As many matches as cores, two at most, are played side by side, each by a process of its own (a player)
that holds a core as workers do. The busy programs are kept to the same cores, each in a session of its own, as those of
other people would be. A bot that has lost a turn is asked for nothing until the answer that it owes is there, and plays
on. The turns of all bots are taken in small portions and in random order, so that a disturbance hits all alike.

A virtual machine's host may take a core away for some milliseconds from a program that computes. Linux counts them as
computed by that program, and nothing tells them from the program's own. So a bot that finds by its own CPU clock that
it has computed for longer than it was told says so on stderr, and there is nothing to judge in that turn: it was void.
So it was where a bot slept for too long and was not caught, though not beside our busy programs, as its core was not
idle for so long: others must have had it.

At the end a referee in Java leads matches, see `tests.fair_referee`. Both import from here: so they are imported late.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from engine.bot.clock import Clock, Spent, TimeRule
from engine.bot.conditions import Conditions
from engine.bot.output import NO_TIME
from engine.bot.process import RunningBot
from engine.conversation import Ask
from engine.cores import core_for_a_match
from engine.errors import HostBusy, MissingTool, SandboxFault
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import open_sandbox
from engine.sandbox.standstill import TICK_NS, CoreTime
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.bench.report import say
from tests.fair_bots import C_BOT, PYTHON_BOT

if TYPE_CHECKING:
    from tests.fair_matches import MatchRow

ROOT = Path(__file__).parents[1]
LIMIT_MS = 50
PATIENCE_MS = 60_000
FAST_MS = 45
"""What costs no more must never be lost..."""
SLOW_MS = 60
"""... and what costs this much must be..."""
MOST_MISSED = 0.01
"""... but for so few in the long run."""
CHANCE_OF_ALARM = 0.001
"""How likely it is at one load that turns are judged as missed too often though only that many are."""
LOADS = (0, 2, 4, 8)
MODESTY = 5
"""How nice a player is to companions."""
MOST_CORES = 2
MATCHES, QUICK_MATCHES = 300, 4
"""Of each bot at each load."""
PORTION = 20
HOG = ("setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", "while :; do :; done")


@dataclass(frozen=True, slots=True)
class Work:
    """What a bot does in each turn, in milliseconds: computes, sleeps, lets threads compute; answers; computes.

    A new thread is started for the turn and ends in it, and so are many, which share the work and compute at once; an
    old one waits for work all the time.
    """

    computed: float = 0
    slept: float = 0
    in_new_thread: float = 0
    in_old_thread: float = 0
    in_many_threads: float = 0
    afterwards: float = 0

    @property
    def cost_ms(self) -> float:
        in_threads = self.in_new_thread + self.in_old_thread + self.in_many_threads
        return self.computed + self.slept + in_threads + self.afterwards

    @property
    def computed_ms(self) -> float:
        return self.cost_ms - self.slept

    @property
    def title(self) -> str:
        parts = ((f"{ms:g} {name.replace('_', ' ')}") for name, ms in asdict(self).items() if ms)
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Taken:
    """One turn: its times, and whether it was lost. `is_void`: the host spoiled it, and there is nothing to judge."""

    spent: Spent = NO_TIME
    is_lost: bool = False
    is_void: bool = False


@dataclass(frozen=True, slots=True)
class Portion:
    """Some turns of one bot, taken in one go. `clock`: by which they are judged."""

    work: Work
    turns: int
    clock: Clock = Clock.FAIR


NEAR_THE_LIMIT = (Work(45), Work(slept=45), Work(60), Work(slept=60))
"""The bots that are tried most often..."""
AT_ONCE = Work(0.1)
"""... but for this one, whose turns are over at once: while it is let go, the referee itself may lose its core."""
OTHERS = (
    Work(20),
    Work(40),
    Work(55),
    Work(slept=20),
    Work(slept=40),
    Work(slept=55),
    Work(20, slept=20),
    Work(30, slept=30),
    Work(in_new_thread=40),
    Work(in_new_thread=60),
    Work(in_old_thread=40),
    Work(in_old_thread=60),
    Work(in_many_threads=40),
    Work(in_many_threads=60),
    Work(30, afterwards=10),
    Work(60, afterwards=10),
)


@dataclass(frozen=True, slots=True)
class Row:
    """How the turns of one bot were judged at one load. Times in milliseconds, shares from 0 to 1."""

    bot: str
    cost_ms: float
    computed_ms: float
    busy_programs: int
    turns: int
    void: int
    wall_ms: tuple[float, float]
    charged_ms: tuple[float, float]
    over_by_wall: float
    over_by_cpu: float
    lost: int

    @property
    def is_false(self) -> bool:
        return self.cost_ms <= FAST_MS and self.lost > 0

    @property
    def missed(self) -> int:
        return self.turns - self.lost if self.is_slow else 0

    @property
    def is_slow(self) -> bool:
        return (self.computed_ms if self.busy_programs else self.cost_ms) >= SLOW_MS


def main() -> int:
    """Do the experiment, or be one of its players; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fair", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few turns, at two loads")
    parser.add_argument("--matches", type=int, default=None, help="of each bot at each load; 300, or 4 with --quick")
    parser.add_argument("--only", choices=("turns", "matches"), help="only this part")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--player", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--companions", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.player:
        serve(options.companions)
        return 0
    rows, whole = [], []
    if options.only != "matches":
        loads, plan = (LOADS[::2], quick_plan()) if options.quick else (LOADS, full_plan())
        rows = [row for load in loads for row in experiment(load, plan, chatty=not options.json)]
        rows += led_by_java(loads, 40 if options.quick else 200, chatty=not options.json)
    if options.only != "turns":
        matches = options.matches or (QUICK_MATCHES if options.quick else MATCHES)
        whole = list(whole_matches(matches, quick=options.quick, chatty=not options.json))
    faults = faults_of(rows) + [fault for row in whole for fault in row.faults]
    if options.json:
        found = {"rows": [asdict(row) for row in rows], "matches": [asdict(row) for row in whole]}
        say(json.dumps({**found, "faults": faults, "passed": not faults}, indent=2))
    else:
        say("\n".join(faults) or "passed: no false time-out, and those that were missed are few enough")
    return 1 if faults else 0


def full_plan() -> dict[Work, int]:
    return {AT_ONCE: 4000, **dict.fromkeys(NEAR_THE_LIMIT, 200), **dict.fromkeys(OTHERS, 40)}


def quick_plan() -> dict[Work, int]:
    """Return some turns of each, enough to see whether something is wrong."""
    return {AT_ONCE: 400, **dict.fromkeys((*NEAR_THE_LIMIT, *OTHERS), 10)}


def experiment(load: int, plan: dict[Work, int], *, chatty: bool) -> list[Row]:
    """Let all bots take their turns beside this many busy programs; return the result, shown at once if `chatty`."""
    cores = set(sorted(os.sched_getaffinity(0))[:MOST_CORES])
    taken: dict[Work, list[Taken]] = {work: [] for work in plan}
    portions = portions_of(plan)
    random.Random(load).shuffle(portions)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with ExitStack() as stack:
        players = [stack.enter_context(Player(cores)) for _ in cores]
        stack.enter_context(busy_programs(load, cores))
        progress = stack.enter_context(
            Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        )
        bar = progress.add_task(f"{load} busy programs", total=sum(plan[work] * work.cost_ms for work in plan))
        for portion, turns in played(portions, players):
            taken[portion.work] += turns
            progress.advance(bar, portion.turns * portion.work.cost_ms)
    rows = [row_of(work, load, taken[work]) for work in plan]
    if chatty:
        show(load, rows)
    return rows


def led_by_java(loads: tuple[int, ...], turns: int, *, chatty: bool) -> list[Row]:
    """Let bots take turns in matches that a referee in Java leads; where Java is missing, say so."""
    from tests import fair_referee

    rows: list[Row] = []
    try:
        for row in fair_referee.rows(loads, turns):
            rows.append(row)
            if chatty:
                show(row.busy_programs, [row])
    except MissingTool as fault:
        if chatty:
            say(f"without a referee in Java: {fault}")
    return rows


def whole_matches(matches: int, *, quick: bool, chatty: bool) -> Iterator[MatchRow]:
    """Let bots that never sleep play whole matches beside many busy programs; give the rows, shown if `chatty`."""
    from tests import fair_matches

    if chatty:
        say(fair_matches.TITLES)
    for row in fair_matches.rows(matches, fair_matches.LOADS[:1] if quick else fair_matches.LOADS):
        if chatty:
            say(row.line)
        yield row


def portions_of(plan: dict[Work, int]) -> list[Portion]:
    return [
        Portion(work, min(PORTION, turns - first)) for work, turns in plan.items() for first in range(0, turns, PORTION)
    ]


def row_of(work: Work, load: int, taken: list[Taken]) -> Row:
    """Sum up the turns of one bot at one load."""
    judged = [turn for turn in taken if not turn.is_void]
    return Row(
        bot=work.title,
        cost_ms=work.cost_ms,
        computed_ms=work.computed_ms,
        busy_programs=load,
        turns=len(judged),
        void=len(taken) - len(judged),
        wall_ms=median_and_p99([turn.spent.wall_us / 1000 for turn in judged]),
        charged_ms=median_and_p99([turn.spent.counted_us(Clock.FAIR) / 1000 for turn in judged]),
        over_by_wall=share(TimeRule(clock=Clock.WALL).is_overrun(turn.spent, LIMIT_MS) for turn in judged),
        over_by_cpu=share(turn.spent.cpu_us > 1000 * LIMIT_MS for turn in judged),
        lost=sum(turn.is_lost for turn in judged),
    )


def median_and_p99(times: list[float]) -> tuple[float, float]:
    """Return the time that half of them do not exceed, and the one that 99 in 100 do not."""
    if not times:
        return 0.0, 0.0
    times = sorted(times)
    return times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]


def share(facts: Iterable[bool]) -> float:
    facts = list(facts)
    return sum(facts) / len(facts) if facts else 0.0


def faults_of(rows: list[Row]) -> list[str]:
    """Say in sentences where the rule did not hold."""
    faults = [
        f"FALSE: {row.bot}: {row.lost} of {row.turns} lost, {row.busy_programs} busy programs"
        for row in rows
        if row.is_false
    ]
    faults += [
        f"nothing to judge: {row.bot}, {row.busy_programs} busy programs"
        for row in rows
        if row.turns == 0 and (row.is_slow or row.cost_ms <= FAST_MS)
    ]
    for load in sorted({row.busy_programs for row in rows}):
        slow = [row for row in rows if row.busy_programs == load and row.is_slow]
        missed, turns = sum(row.missed for row in slow), sum(row.turns for row in slow)
        if missed > most_by_chance(turns):
            faults.append(f"MISSED: {missed} of {turns} turns of {SLOW_MS} ms and more, {load} busy programs")
    return faults


def most_by_chance(turns: int) -> int:
    """Return how many of these turns may be missed before that is no chance any more.

    It is the smallest number that is exceeded with a probability of CHANCE_OF_ALARM at most if each turn is missed with
    MOST_MISSED, turn by turn (the binomial distribution's upper tail, computed exactly).
    """
    chance, total, most = (1 - MOST_MISSED) ** turns, 0.0, 0
    while (total := total + chance) < 1 - CHANCE_OF_ALARM:
        chance *= (turns - most) / (most + 1) * MOST_MISSED / (1 - MOST_MISSED)
        most += 1
    return most


FORM = "{:32} {:>5} {:>15} {:>15} {:>7} {:>7} {:>7} {:>5}  {}"
TITLES = ("turn, ms", "turns", "wall, p99", "charged, p99", "wall", "CPU", "fair", "void", "")


def show(load: int, rows: list[Row]) -> None:
    """Print a table; the shares are of turns over the limit by each clock, in percent."""
    say(
        f"\n{load} busy programs; over {LIMIT_MS} ms by wall time, CPU time, the fair clock, in %\n"
        + FORM.format(*TITLES)
    )
    for row in rows:
        times = ("{:.1f}, {:.1f}".format(*row.wall_ms), "{:.1f}, {:.1f}".format(*row.charged_ms))
        shares = (row.over_by_wall, row.over_by_cpu, row.lost / max(1, row.turns))
        percents = (f"{100 * part:.1f}" for part in shares)
        remark = "FALSE" if row.is_false else f"{row.missed} missed" if row.missed else ""
        say(FORM.format(row.bot, row.turns, *times, *percents, row.void, remark).rstrip())


@contextmanager
def busy_programs(count: int, cores: set[int], *, of_other_people: bool = True) -> Iterator[None]:
    """Keep these cores busy with this many programs, which end with the block and with us.

    `of_other_people`: in sessions of their own, between which Linux may share a core before it looks at programs.
    """
    with ExitStack() as stack:
        for _ in range(count):
            hog = subprocess.Popen(HOG, start_new_session=of_other_people, stdin=subprocess.DEVNULL)
            stack.callback(hog.wait)
            stack.callback(hog.kill)
            os.sched_setaffinity(hog.pid, cores)
        yield


class Player:
    """A process that lets bots take turns; it has a session of its own, as a worker has. Use as a context manager."""

    def __init__(self, cores: set[int], companions: int = 0) -> None:
        """Start it. It plays on one of `cores` at a time, with this many busy programs that come before it."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fair", "--player", "--companions", str(companions)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        os.sched_setaffinity(self._process.pid, cores)

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def fileno(self) -> int:
        return self._out.fileno()

    def begin(self, portion: Portion) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(portion)) + "\n")

    def result(self) -> list[Taken]:
        """Wait for the turns that were begun. Raises SandboxFault where the player has ended instead."""
        line = self._out.readline()
        if not line:
            raise SandboxFault("a player of the experiment has ended")
        return [Taken(Spent(**turn["spent"]), turn["is_lost"], turn["is_void"]) for turn in json.loads(line)]

    def play(self, portion: Portion) -> list[Taken]:
        self.begin(portion)
        return self.result()

    @property
    def _out(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout


def played(portions: list[Portion], players: list[Player]) -> Iterator[tuple[Portion, list[Taken]]]:
    """Let all players work until all is played; yield each portion with its turns."""
    waiting = list(portions)
    at_work: dict[Player, Portion] = {}
    idle = list(players)
    while waiting or at_work:
        while idle and waiting:
            player = idle.pop()
            at_work[player] = waiting.pop()
            player.begin(at_work[player])
        for player in select.select(list(at_work), [], [])[0]:
            yield at_work.pop(player), player.result()
            idle.append(player)


def serve(companions: int) -> None:
    """Be a player beside busy programs: read portions, one JSON object per line, and write their turns."""
    sandbox = open_sandbox()
    program = program_that_knows_its_cost(sandbox)
    with busy_programs(companions, os.sched_getaffinity(0), of_other_people=False):
        os.nice(MODESTY if companions else 0)
        for line in sys.stdin:
            request = json.loads(line)
            portion = Portion(Work(**request["work"]), request["turns"], Clock(request["clock"]))
            with core_for_a_match():
                turns = [asdict(turn) for turn in take_turns(sandbox, program, portion)]
            say(json.dumps(turns))


def program_that_knows_its_cost(sandbox: Sandbox) -> Program:
    """Return the program that all bots of the experiment are, in C where that can be compiled."""
    try:
        return build(C_BOT, find_language("c"), sandbox)
    except MissingTool:
        return build(PYTHON_BOT, find_language("python"), sandbox)


def take_turns(sandbox: Sandbox, program: Program, portion: Portion) -> list[Taken]:
    """Start a bot, let it take its turns, and return them. The first one, which makes it warm, is left out."""
    conditions = Conditions(time=TimeRule(clock=portion.clock))
    with RunningBot(sandbox, program.box(), conditions) as bot:
        bot.ask(request(0, portion.work, PATIENCE_MS))
        taken = [take_turn(bot, portion.work, number) for number in range(1, portion.turns + 1)]
    stalled = set(map(int, bot.stderr.split()))
    return [replace(turn, is_void=turn.is_void or number in stalled) for number, turn in enumerate(taken, 1)]


def take_turn(bot: RunningBot, work: Work, number: int) -> Taken:
    """Ask once, with the limit; where the bot owes the answer then, wait for it."""
    core = CoreTime()
    try:
        reply = bot.ask(request(number, work, LIMIT_MS))
    except HostBusy:
        settle(bot, number)
        return Taken(is_void=True)
    if reply.fault is not None and not reply.fault.message.startswith("answered"):
        settle(bot, number)
    is_lost = reply.fault is not None
    idle_ms = (core.idle_ns() + 2 * TICK_NS) / 1e6
    return Taken(reply.spent, is_lost, is_void=not is_lost and work.cost_ms >= SLOW_MS and idle_ms < work.slept)


def request(number: int, work: Work, limit_ms: int) -> Ask:
    return Ask(0, (f"{number} {' '.join(str(ms) for ms in asdict(work).values())}",), limit_ms)


def settle(bot: RunningBot, number: int) -> None:
    """Let a bot go on until it has answered what it was asked."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < until:
        if bot.ask(Ask(0, (), PATIENCE_MS)).line == str(number):
            return
    raise SandboxFault(f"a bot of the experiment still owes answer {number}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
