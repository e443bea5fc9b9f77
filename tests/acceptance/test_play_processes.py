"""The processes in which `ladder play` plays several matches at once: they end with the command, and bots with them."""

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.acceptance.conftest import LADDER, SURFACER, Shell
from tests.patience import patience_s, wait_until
from tests.processes import players_of, processes_of
from tests.throwaway import written


@contextmanager
def playing(shell: Shell, folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """Run a command that plays matches of bots that think for ever, two at once; with it the processes that do."""
    slow = written(folder / "slow.py", "import time\ntime.sleep(600)\n")
    words = [LADDER, "play", "ocean-of-code", slow, slow, "--matches", "60", "--jobs", "2"]
    outputs = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, env=shell.full_environment(), **outputs) as command:  # type: ignore[call-overload]
        process = psutil.Process(command.pid)
        yield command, wait_until(lambda: players_of(process), "two that play", fits=lambda found: len(found) >= 2)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_of_a_series_outlives_the_command_that_somebody_ends(
    shell: Shell, tmp_path: Path, number: signal.Signals
) -> None:
    with playing(shell, tmp_path) as (command, _):
        begun = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(number)
    assert psutil.wait_procs(begun, timeout=patience_s())[1] == []
    assert processes_of(shell.home) == []


def test_a_process_that_somebody_kills_ends_the_command_with_a_sentence(shell: Shell, tmp_path: Path) -> None:
    with playing(shell, tmp_path) as (command, players):
        begun = psutil.Process(command.pid).children(recursive=True)
        players[0].kill()
        _, said = command.communicate(timeout=patience_s())
    assert command.returncode == 1
    assert (
        said.splitlines()[-1] == "ladder: a process that worked for this was killed, perhaps because memory was short"
    )
    assert psutil.wait_procs(begun, timeout=patience_s())[1] == []


def test_ctrl_c_in_a_series_shows_the_matches_that_were_played_by_then(shell: Shell, nonsense: Path) -> None:
    played, shown = shown_at_ctrl_c(shell, 40_000, nonsense, "boss-wood-2", "--seeds", "1..20000")
    assert [row["spec"]["seed"] for row in played] == [1 + match // 2 for match in range(len(played))]
    assert f"{len(played)} of 40000 matches were played" in shown


def test_ctrl_c_in_a_search_for_losses_shows_those_found_by_then(shell: Shell, tmp_path: Path, nonsense: Path) -> None:
    """Of two that surface until no life is left player 1 wins: there the new one loses and the old one does not."""
    old = written(tmp_path / "old.py", SURFACER)
    words = (nonsense, old, "--worse-only", "--against", old, "--seeds", "1..20000")
    found, shown = shown_at_ctrl_c(shell, 80_000, *words)
    said = re.search(r"(\d+) of 80000 matches were played", shown)
    assert said is not None
    compared = int(said[1]) // 2
    assert [(row["seed"], row["seat"]) for row in found] == [(1 + one, 1) for one in range(compared // 2)]
    assert found


def shown_at_ctrl_c(shell: Shell, matches: int, *given: str | Path) -> tuple[Any, str]:
    """Press Ctrl-C in `ladder play` when ten matches or more were played; return what it printed, and the screen."""
    words: list[str | Path] = [LADDER, "play", "ocean-of-code", *given, "--jobs", "2", "--json"]
    screen, its_end = pty.openpty()
    environment = shell.full_environment(TERM="xterm", COLUMNS="80")
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=its_end, env=environment, start_new_session=True
    ) as command:
        os.close(its_end)
        shown = ""
        while not re.search(rf"[1-9]\d+/{matches}", shown):
            shown += os.read(screen, 10_000).decode()
        os.killpg(command.pid, signal.SIGINT)
        while "ladder: interrupted" not in shown:
            shown += os.read(screen, 10_000).decode()
        stdout = command.communicate(timeout=patience_s())[0]
    os.close(screen)
    assert command.returncode == 130
    return json.loads(stdout), shown
