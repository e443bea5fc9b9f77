"""What a match costs that a referee in Java leads: in a JVM of its own, with an archive of classes, in one for many.

Our test referee asks 200 questions of two bots in C. Before the first one it loads Guice, Guava and Gson, as referees
of the SDK do; `deploy/setup.sh bench` installs them. What the referee costs is the CPU time of all programs of a match,
less that of the same bots in the same game in Python.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from engine.game import Game
from engine.games.loading import load_game
from engine.match import MatchSpec, play
from engine.referees.jvm import starting
from engine.referees.jvm.reused import end_kept
from engine.referees.program import ALL_RULES
from engine.sandbox import open_sandbox
from engine.toolchains.build import Program, build
from engine.toolchains.languages import find_language
from tests.bench.report import line
from tests.referees.as_game import PICKER, as_game
from tests.referees.compiled import HERE, LIBRARIES, referee_with_libraries
from tests.throwaway import in_memory_or_tmp

ROUNDS, MATCHES = 3, 12
TURNS = 100
QUESTIONS = 2 * TURNS
PARAMETERS = {"rounds": TURNS, "libraries": 1}
SEED = 1


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    if missing := [jar.name for jar in LIBRARIES if not jar.is_file()]:
        yield f"referees in Java: {', '.join(missing)} missing; `sh deploy/setup.sh bench` installs what they need"
        return
    with tempfile.TemporaryDirectory(dir=in_memory_or_tmp()) as folder:
        Path(folder).chmod(0o755)
        rounds = measured(Path(folder))
    cost_ms = {way: statistics.median(costs[way].programs_ms for costs in rounds) for way in rounds[0]}
    for way, words in WAYS.items():
        yield line(f"referee in Java, {way}", cost_ms[way] - cost_ms[PYTHON], "ms", words)
    for way, aim in ((ARCHIVE, 1.2), (REUSED, 3.0)):
        times = statistics.median(ratio(costs, way) for costs in rounds)
        yield line(f"{ALONE} : {way}", f"{times:.2f}", "", f"CPU time, of {ROUNDS} rounds; aim: at least {aim}")
    ours_us = statistics.median(costs[REUSED].ours_ms - costs[PYTHON].ours_ms for costs in rounds) * 1000 / QUESTIONS
    yield line("a question of a program", ours_us, "us", "our own CPU time beside rules in Python; aim: at most 100")


PYTHON, OUTER, ALONE, ARCHIVE, REUSED = "rules in Python", "outer", "a JVM a match", "with archive", "reused"
WAYS = {
    OUTER: f"CPU time of a match of {QUESTIONS} questions: its own main class starts the bots",
    ALONE: "its class that speaks the protocol, in a JVM of its own",
    ARCHIVE: "the same with an archive of classes",
    REUSED: f"one JVM for {MATCHES} matches, its start and end included",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU time of a match in milliseconds: of the programs that it started, and of this process."""

    programs_ms: float
    ours_ms: float


def ratio(costs: Mapping[str, Cost], way: str) -> float:
    """Return how many times as much as this way a JVM for each match takes, bots aside."""
    bots_ms = costs[PYTHON].programs_ms
    return (costs[ALONE].programs_ms - bots_ms) / (costs[way].programs_ms - bots_ms)


def measured(folder: Path) -> list[dict[str, Cost]]:
    """Measure each way in turns, so that a slow minute of the machine is slow for all."""
    jar, bot = referee_with_libraries(), build(PICKER, find_language("c"), open_sandbox())
    java = as_game(folder / "java", jar, PARAMETERS)
    reused = as_game(folder / "reused", jar, PARAMETERS, reuse="loader")
    rules = load_game(HERE / "foragers")
    python = replace(rules, referee=partial(rules.referee, rounds=TURNS))
    ways = {
        PYTHON: lambda: play_in(python, bot),
        OUTER: lambda: outer_way(jar, bot),
        ALONE: lambda: without_archive(java, bot),
        ARCHIVE: lambda: play_in(java, bot),
        REUSED: lambda: play_in(reused, bot),
    }
    play_in(java, bot)  # makes the archive
    play_in(reused, bot)  # compiles the launcher
    end_kept()
    return [{way: cost_of(match) for way, match in ways.items()} for _ in range(ROUNDS)]


def cost_of(match: Callable[[], None]) -> Cost:
    """Play some matches, and return what one of them costs."""
    before = [resource.getrusage(whose) for whose in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    for _ in range(MATCHES):
        match()
    end_kept()
    after = [resource.getrusage(whose) for whose in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    spent_s = [
        now.ru_utime + now.ru_stime - then.ru_utime - then.ru_stime for now, then in zip(after, before, strict=True)
    ]
    return Cost(*(1000 * seconds / MATCHES for seconds in spent_s))


def play_in(game: Game, bot: Program) -> None:
    """Play a match of two bots. Raises AssertionError where it is not the one that it should be."""
    result = play(MatchSpec(game, ALL_RULES, SEED), [bot, bot], open_sandbox())
    assert len(result.turns) == QUESTIONS


def without_archive(game: Game, bot: Program) -> None:
    """Play a match whose JVM begins with no archive of its classes."""
    with patch.object(starting, "with_class_data", lambda box, *_: box):
        play_in(game, bot)


def outer_way(jar: Path, bot: Program) -> None:
    """Let the jar's main class start the bots and play a match."""
    program = bot.folder / Path(bot.command[0]).name
    bots = [word for seat in (1, 2) for word in (f"-p{seat}", program)]
    parameters = [word for name, value in PARAMETERS.items() for word in (f"-{name}", str(value))]
    command = [
        "java",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "-jar",
        "foragers.jar",
        *bots,
        "-s",
        "-seed",
        str(SEED),
        *parameters,
    ]
    subprocess.run(command, cwd=jar, check=True, stdout=subprocess.DEVNULL)
