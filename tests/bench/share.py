"""Whose time a match takes: ours or its bots', by the kind of the bots.

How this works. What this process and those that it has waited for computed in a match, boxes and bots among them, is
all that the match took. What the bots computed in their turns is theirs, and the rest is ours: referee, clock, freezing
and building the boxes. A match has one core, so on a machine with nothing else to do that is its wall time as well. A
busy machine makes ours larger: where a bot waits for its core we look more closely at what it does.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.bot.conditions import OFFICIAL
from engine.bot.process import RunningBot
from engine.cores import core_for_a_match
from engine.errors import MissingTool
from engine.live import play
from engine.match import MatchSpec
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language, language_of
from engine.toolchains.program import Program
from tests.bench.bots import ECHO, QUESTION
from tests.bench.cpu import cpu_s
from tests.bench.report import line
from tests.catalogue import GAMES

MATCHES = 7
TURNS = 2000
AIM = "; aim: at most 10"
OCEAN, FIRE = GAMES.find("ocean-of-code"), GAMES.find("ice-and-fire")
TRIVIAL = (OCEAN.bots_folder / "trivial.c").read_text()
THOUGHT = "        const char *before"
THINKING = "#include <stdlib.h>\n#include <time.h>\n" + TRIVIAL.replace(
    THOUGHT,
    f"        for (clock_t end = clock() + (10 + rand() % 31) * CLOCKS_PER_SEC / 1000; clock() < end;) {{}}\n{THOUGHT}",
)
"""The same bot, which computes for 10 to 40 ms in each turn."""
ECHO_OF_RUNTIMES = {
    "java": ECHO["java"],
    "kotlin": 'fun main() { while (true) { readLine() ?: break; println("pong") } }',
    "csharp": "using System; class Player { static void Main() {"
    ' while (Console.ReadLine() != null) { Console.WriteLine("pong"); } } }',
    "javascript": ECHO["javascript"],
}


@dataclass(frozen=True, slots=True)
class Taken:
    """CPU time, in seconds: what a match took, and what of that its bots computed."""

    whole_s: float
    bots_s: float
    turns: int

    @property
    def percent(self) -> float:
        return 100 * (self.whole_s - self.bots_s) / self.whole_s


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    sandbox = open_sandbox()
    for language, source in ECHO_OF_RUNTIMES.items():
        yield turn_line(language, source, sandbox)
    c = find_language("c")
    yield share_line("trivial bots in C", OCEAN.name, build(TRIVIAL, c, sandbox), sandbox)
    yield share_line("10 to 40 ms a turn", OCEAN.name, build(THINKING, c, sandbox), sandbox, matches=1)
    for game in (OCEAN, FIRE):
        for ending in ("java", "js"):
            file = game.bots_folder.with_name("starters") / f"starter.{ending}"
            yield starter_line(game.name, file, sandbox)


def turn_line(language: str, source: str, sandbox: Sandbox) -> str:
    """Measure what a turn of a bot costs us that answers each line with a word, in CPU time."""
    name = f"a turn, {language}"
    try:
        program = build(source, find_language(language), sandbox)
    except MissingTool as missing:
        return line(name, "not here", "", str(missing))
    with core_for_a_match(), RunningBot(sandbox, program.box(), OFFICIAL, program.runtime) as bot:
        bot.ask(QUESTION)
        began_s = cpu_s()
        bots_us = sum(bot.ask(QUESTION).spent.cpu_us for _ in range(TURNS))
        ours_us = 1e6 * (cpu_s() - began_s) / TURNS
    return line(name, ours_us, "us", f"of our CPU time, mean of {TURNS:,}; the bot's own: {bots_us / TURNS:.0f}")


def starter_line(game: str, file: Path, sandbox: Sandbox) -> str:
    """Measure our share of matches between a game's starters in one language."""
    language = language_of(file)
    try:
        program = build(file.read_text("utf-8"), language, sandbox)
    except MissingTool as missing:
        return line(f"ours, starters in {language.title}", "not here", "", f"{game}: {missing}")
    return share_line(f"starters in {language.title}", game, program, sandbox, aim=AIM)


def share_line(kind: str, game: str, program: Program, sandbox: Sandbox, matches: int = MATCHES, aim: str = "") -> str:
    """Measure our share of matches of a bot against itself."""
    taken = [match(game, program, sandbox, seed) for seed in range(matches)]
    middle, least = statistics.median(one.percent for one in taken), min(one.percent for one in taken)
    words = f"of a match of {game}, median of {matches} (least: {least:.1f}); {of_a_match(taken)}{aim}"
    return line(f"ours, {kind}", middle, "%", words)


def of_a_match(taken: Sequence[Taken]) -> str:
    turns, whole_s, bots_s = (
        statistics.median(getattr(one, name) for one in taken) for name in ("turns", "whole_s", "bots_s")
    )
    return f"{turns:.0f} turns, {1000 * whole_s:.0f} ms of CPU time, the bots' {1000 * bots_s:.0f}"


def match(game: str, program: Program, sandbox: Sandbox, seed: int) -> Taken:
    """Let a bot play against itself, and return whose time that took."""
    found = GAMES.find(game)
    began_s = cpu_s()
    result = play(MatchSpec(found, found.leagues[0].rules_level, seed), (program, program), sandbox)
    return Taken(cpu_s() - began_s, sum(turn.spent.cpu_us for turn in result.turns) / 1e6, len(result.turns))
