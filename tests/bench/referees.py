"""What a match costs that a referee in Java leads: in a JVM of its own, with an archive of classes, in one for many.

Our test referee asks 200 questions of two bots in C. Before the first one it loads Guice, Guava and Gson, as referees
of the SDK do; `deploy/setup.sh bench` installs them. What the referee costs is the CPU time of all programs of a match,
less that of the same bots in the same game in Python.
"""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from engine.game import Game
from engine.games.game_folder import load_game
from engine.live import play
from engine.match import MatchSpec
from engine.referees import jvm
from engine.referees.jvm import end_kept
from engine.referees.program import ALL_RULES
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.bench.cpu import cpu_s_of_children
from tests.bench.report import line
from tests.referees.as_game import PICKER, as_game
from tests.referees.compiled import HERE, LIBRARIES, referee_with_libraries
from tests.throwaway import in_memory_or_tmp

ROUNDS, MATCHES, OWN_MATCHES = 3, 12, 60
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
        ways = ways_in(Path(folder))
        rounds = [{way: programs_ms(match) for way, match in ways.items()} for _ in range(ROUNDS)]
        own_us = own_us_a_question({way: ways[way] for way in (PYTHON, REUSED)})
    cost_ms = {way: statistics.median(costs[way] for costs in rounds) for way in ways}
    for way, words in WAYS.items():
        yield line(f"referee in Java, {way}", cost_ms[way] - cost_ms[PYTHON], "ms", words)
    for way, aim in ((ARCHIVE, 1.2), (REUSED, 3.0)):
        times = statistics.median(ratio(costs, way) for costs in rounds)
        yield line(f"{ALONE} : {way}", f"{times:.2f}", "", f"CPU time, of {ROUNDS} rounds; aim: at least {aim}")
    words = f"our own CPU time beside the {own_us[PYTHON]:.0f} with rules in Python; aim: at most 100"
    yield line("a question of a program", own_us[REUSED] - own_us[PYTHON], "us", words)


PYTHON, OUTER, ALONE, ARCHIVE, REUSED = "rules in Python", "outer", "a JVM a match", "with archive", "reused"
WAYS = {
    OUTER: f"CPU time of a match of {QUESTIONS} questions: its own main class starts the bots",
    ALONE: "its class that speaks the protocol, in a JVM of its own",
    ARCHIVE: "the same with an archive of classes",
    REUSED: f"one JVM for {MATCHES} matches, its start and end included",
}


def ratio(costs_ms: Mapping[str, float], way: str) -> float:
    return (costs_ms[ALONE] - costs_ms[PYTHON]) / (costs_ms[way] - costs_ms[PYTHON])


def ways_in(folder: Path) -> dict[str, Callable[[], None]]:
    """Return how a match is played in each way. `folder`: for the games; what is made at first use is made."""
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
    return ways


def programs_ms(match: Callable[[], None]) -> float:
    """Play some matches; return the CPU time of the programs that one of them starts, in milliseconds.

    All ways are measured in turns, so that a slow minute of the machine is slow for all.
    """
    before_s = cpu_s_of_children()
    for _ in range(MATCHES):
        match()
    end_kept()
    return 1000 * (cpu_s_of_children() - before_s) / MATCHES


def own_us_a_question(ways: Mapping[str, Callable[[], None]]) -> dict[str, float]:
    """Return the CPU time of this process for a question, in microseconds: the least of matches played in turns.

    Other programs empty our caches and share our cores, which adds to CPU time too, and never takes away.
    """
    least_s = dict.fromkeys(ways, float("inf"))
    for _ in range(OWN_MATCHES):
        for way, match in ways.items():
            before_s = time.process_time()
            match()
            least_s[way] = min(least_s[way], time.process_time() - before_s)
    end_kept()
    return {way: 1e6 * seconds / QUESTIONS for way, seconds in least_s.items()}


def play_in(game: Game, bot: Program) -> None:
    """Play a match of two bots. Raises AssertionError where it is not the one that it should be."""
    result = play(MatchSpec(game, ALL_RULES, SEED), [bot, bot], open_sandbox())
    assert len(result.turns) == QUESTIONS


def without_archive(game: Game, bot: Program) -> None:
    with patch.object(jvm, "with_class_data", lambda box, *_: box):
        play_in(game, bot)


def outer_way(jar: Path, bot: Program) -> None:
    """Let the jar's main class start the bots and play a match."""
    program = bot.folder / Path(bot.command[0]).name
    bots = [word for seat in (1, 2) for word in (f"-p{seat}", program)]
    parameters = [word for name, value in PARAMETERS.items() for word in (f"-{name}", str(value))]
    options = ["--add-opens=java.base/java.lang=ALL-UNNAMED", "-jar", "foragers.jar"]
    command = ["java", *options, *bots, "-s", "-seed", str(SEED), *parameters]
    subprocess.run(command, cwd=jar, check=True, stdout=subprocess.DEVNULL)
