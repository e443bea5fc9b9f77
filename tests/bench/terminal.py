"""The viewer in the terminal: how long it takes to start, and to go a turn on."""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.bench.report import line
from tests.bench.start_up import LADDER
from tests.catalogue import GAMES
from tests.terminals import on_terminal

SIZES = ((80, 24), (140, 50))
STARTS = 7
STEPS = 30
RIGHT = "\x1b[C"


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    for game in GAMES.all:
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "LADDER_HOME": home}
            for old in ("PYTHONDONTWRITEBYTECODE", "NO_COLOR"):
                environment.pop(old, None)
            first, second, *_ = game.bosses
            words = ("play", game.name, first, second, "--seed", "5")
            subprocess.run([LADDER, *words], env=environment, check=True, capture_output=True)
            yield from lines_of(game.name, environment)


def lines_of(game: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Measure the view of the match that was just played."""
    measure(SIZES[0], environment, 0)  # Python compiles what it imports for the first time
    starts = [measure(SIZES[0], environment, 0)[:2] for _ in range(STARTS)]
    started_ms, cpu_ms = (statistics.median(times) for times in zip(*starts, strict=True))
    words = f"median of {STARTS}, the whole command, of that {cpu_ms:.0f} ms CPU time; aim: at most 500"
    yield line(f"terminal, start, {game}", started_ms, "ms", words)
    for size in SIZES:
        *_, steps = measure(size, environment, STEPS)
        words = f"median of {STEPS}, {size[0]} by {size[1]}; aim: at most 30"
        yield line(f"terminal, step, {game}", statistics.median(steps), "ms", words)


def measure(size: tuple[int, int], environment: Mapping[str, str], steps: int) -> tuple[float, float, list[float]]:
    """Return how long the command takes to draw its first screen, what CPU time that costs it, and how long each step
    to the next turn takes, in milliseconds."""
    began = time.perf_counter()
    with on_terminal([LADDER, "match", "view", "play:1"], size, environment) as terminal:
        terminal.wait_for("e pager")
        started_ms = 1000 * (time.perf_counter() - began)
        cpu_ms = cpu_time_ms(terminal.process.pid)
        steps_ms = []
        for turn in range(1, steps + 1):
            began = time.perf_counter()
            terminal.press(RIGHT, f"turn {turn} of")
            steps_ms.append(1000 * (time.perf_counter() - began))
        terminal.end("q")
    return started_ms, cpu_ms, steps_ms


def cpu_time_ms(pid: int) -> float:
    """Return what CPU time a process has used; see proc(5), the fields utime and stime of its stat."""
    numbers = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return 1000 * (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
