"""What the sandbox costs: starting a bot, per tier and language, and asking it, frozen in between."""

import statistics
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

from engine.bot.conditions import OFFICIAL
from engine.bot.process import RunningBot
from engine.boxes import PATH_INSIDE
from engine.conversation import Ask
from engine.cores import core_for_a_match
from engine.errors import MissingTool
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import offered, open_sandbox
from engine.sandbox.starter import as_bot_user
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.bench.report import line, median_ms

STARTS = 40
TURNS = 20_000
QUESTION = Ask(0, ("ping",), 1000)
TURN = Ask(0, ("ping",), 50)
ECHO = {
    "c": '#include <stdio.h>\nint main(void) { char line[99]; while (fgets(line, 99, stdin)) puts("pong"); }',
    "python": "import sys\nfor line in sys.stdin:\n    print('pong', flush=True)\n",
    "java": "import java.util.Scanner;\nclass Player { public static void main(String[] words) {"
    " Scanner in = new Scanner(System.in);"
    ' while (in.hasNextLine()) { in.nextLine(); System.out.println("pong"); } } }',
    "javascript": "while (true) { readline(); console.log('pong'); }",
}
BURNER = """
#include <stdio.h>
#include <time.h>
int main(void) {
    char line[99];
    while (fgets(line, 99, stdin)) {
        for (clock_t end = clock() + CLOCKS_PER_SEC / 50; clock() < end;) {}
        puts("pong");
    }
}
"""
LONG_TURNS = 200


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    yield line("start, bwrap itself", bwrap_ms(), "ms", "added to `true` by `bwrap --unshare-all` with one mount")
    for found in starts():
        yield line(
            f"start, {found.tier}",
            found.added_ms,
            "ms",
            f"added to {found.bare_ms:.1f} by {found.language} bots alone, until the first answer "
            f"(the box alone: {found.ready_ms:.1f}; half of {STARTS} in {found.middle_half_ms}); aim: at most 5",
        )
    for language in ("c", "python"):
        times_us = turns_us(language)
        middle_us, late_us = times_us[len(times_us) // 2], times_us[len(times_us) * 99 // 100]
        words = f"median of {len(times_us):,}, frozen in between (99 %: {late_us:.0f}); aim: at most 60"
        yield line(f"a turn, {language}", middle_us, "us", words)
    words = "more than it computed took a bot that computed 20 ms: our looks"
    yield line("a long turn, c", looks_percent(), "%", words)


@dataclass(frozen=True, slots=True)
class Start:
    """Starting a bot in one tier, again and again: medians in milliseconds.

    `ready_ms`: until its gate is ready. `added_ms`: what is added to the bare start before, until the first answer.
    """

    tier: str
    language: str
    bare_ms: float
    ready_ms: float
    added_ms: float
    middle_half_ms: str


def bare_start_s(program: Program) -> float:
    """Return how long the program takes to be started under the bots' account and to answer: the baseline."""
    command = [str(program.folder) + word[4:] if word.startswith("/bot") else word for word in program.command]
    environment = {"PATH": PATH_INSIDE, "HOME": str(program.folder), "LANG": "C.UTF-8", **program.environment}
    began = time.perf_counter()
    with as_bot_user():
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment)
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"ping\n")
        process.stdout.read(1)
        answered = time.perf_counter()
        process.kill()
    return answered - began


def bwrap_ms() -> float:
    with core_for_a_match():
        return run_ms("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--", "true") - run_ms("true")


def run_ms(*command: str) -> float:
    """Return the median time of a command, in milliseconds."""
    return median_ms(lambda: subprocess.run(command, stdin=subprocess.DEVNULL, check=True), STARTS)


def starts() -> Iterator[Start]:
    """Measure each tier that works here with a bot of each language that is here."""
    tiers = [tier for tier, fault in offered().items() if fault is None]
    for language in ECHO:
        try:
            program = echo_program(language, open_sandbox())
        except MissingTool:
            continue
        fitting = [tier for tier in tiers if tier != "nested" or language != "java"]  # which needs /proc
        with core_for_a_match():
            yield from starts_of(program, language, [open_sandbox(tier) for tier in fitting])


def starts_of(program: Program, language: str, sandboxes: list[Sandbox]) -> Iterator[Start]:
    """Start the bot without a sandbox and in each of these, in turns: a slow minute of the machine is slow for all."""
    bare: list[float] = []
    ready: dict[str, list[float]] = {sandbox.name: [] for sandbox in sandboxes}
    added: dict[str, list[float]] = {sandbox.name: [] for sandbox in sandboxes}
    for _ in range(STARTS):
        bare.append(bare_start_s(program))
        for sandbox in sandboxes:
            ready_s, answered_s = start_s(sandbox, program)
            ready[sandbox.name].append(ready_s)
            added[sandbox.name].append(answered_s - bare[-1])
    for tier, differences in added.items():
        low, middle, high = (1000 * quarter for quarter in statistics.quantiles(differences, n=4))
        bare_ms, ready_ms = 1000 * statistics.median(bare), 1000 * statistics.median(ready[tier])
        yield Start(tier, language, bare_ms, ready_ms, middle, f"{low:.1f} to {high:.1f}")


def echo_program(language: str, sandbox: Sandbox) -> Program:
    """Build the bot that answers every line. Raises MissingTool."""
    return build(ECHO[language], find_language(language), sandbox)


def start_s(sandbox: Sandbox, program: Program) -> tuple[float, float]:
    """Start the bot; return how long that takes until its gate is ready, and until its first answer."""
    began = time.perf_counter()
    with RunningBot(sandbox, program.box(), OFFICIAL) as bot:
        bot.ready()
        ready = time.perf_counter()
        spent = bot.ask(QUESTION).spent
        return ready - began, ready - began + spent.wall_us / 1e6


def turns_us(language: str) -> list[float]:
    """Ask one bot many times; return what each turn cost us, writing, letting go, measuring and freezing included."""
    sandbox = open_sandbox()
    program = echo_program(language, sandbox)
    times: list[float] = []
    with core_for_a_match(), RunningBot(sandbox, program.box(), OFFICIAL) as bot:
        bot.ask(QUESTION)
        for _ in range(TURNS):
            began = time.perf_counter()
            bot.ask(QUESTION)
            times.append(1e6 * (time.perf_counter() - began))
    return sorted(times)


def looks_percent() -> float:
    """Return how much longer than its CPU time the turn of a bot takes that computes for 20 ms, in percent of that."""
    sandbox = open_sandbox()
    program = build(BURNER, find_language("c"), sandbox)
    with core_for_a_match(), RunningBot(sandbox, program.box(), OFFICIAL) as bot:
        spent = [bot.ask(TURN).spent for _ in range(LONG_TURNS)]
    return statistics.median(100 * (turn.wall_us - turn.cpu_us) / turn.cpu_us for turn in spent)
