"""What commands cost before they say anything."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.bench.cpu import cpu_s_of_children
from tests.bench.report import line
from tests.catalogue import GAMES
from tests.ten_commands import TEN_COMMANDS

LADDER = Path(sys.executable).with_name("ladder")
RUNS = 9
GAME = GAMES.find("ocean-of-code")
BOT = "trivial"
AIMS_MS = {"--help": 160, "submit --help": 160, "play --help": 160} | dict.fromkeys(
    ("board", "status", "match list", "match show {match}", "bot show {bot}"), 280
)


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    with a_ladder() as environment:
        match = str(json.loads(run(environment, "match", "list", "--bot", BOT, "--json"))[-1]["id"])
        for command in TEN_COMMANDS:
            words = command.format(match=match, bot=BOT).split()
            aim = f"; aim: at most {AIMS_MS[command]}" if command in AIMS_MS else ""
            yield line(f"ladder {' '.join(words)}", cpu_ms(environment, *words), "ms", f"CPU, least of {RUNS}{aim}")


@contextmanager
def a_ladder() -> Iterator[Mapping[str, str]]:
    """Run a ladder on which a bot has had its battles; gives the environment of its commands."""
    with tempfile.TemporaryDirectory(prefix="ladder-bench-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        environment = {**os.environ, "LADDER_HOME": f"{folder}/home"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run(environment, "up", "--no-web")
        try:
            source = GAME.bots_folder / "trivial.c"
            run(environment, "submit", str(source), "--game", GAME.name, "--bot", BOT, "--watch")
            yield environment
        finally:
            run(environment, "down")


def run(environment: Mapping[str, str], *words: str) -> str:
    return subprocess.run([LADDER, *words], env=environment, check=True, capture_output=True, text=True).stdout


def cpu_ms(environment: Mapping[str, str], *words: str) -> float:
    """Return what CPU time a command takes at least, in milliseconds."""
    times = []
    for _ in range(RUNS):
        before = cpu_s_of_children()
        run(environment, *words)
        times.append(cpu_s_of_children() - before)
    return 1000 * min(times)
