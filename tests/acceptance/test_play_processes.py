"""The processes in which `ladder play` plays several matches at once: they end with the command, and bots with them."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.acceptance.conftest import LADDER, PATIENCE_S, Shell
from tests.processes import processes_of


def are_playing(processes: list[psutil.Process]) -> bool:
    """Say whether the boxes of two matches are among them."""
    try:
        return [process.name() for process in processes].count("bwrap") >= 4
    except psutil.NoSuchProcess:
        return False


@contextmanager
def playing(shell: Shell, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command that plays matches of bots that think for ever, two at once."""
    slow = folder / "slow.py"
    slow.write_text("import time\ntime.sleep(600)\n")
    words = [LADDER, "play", "ocean-of-code", slow, slow, "--matches", "60", "--jobs", "2"]
    outputs = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, env=shell.full_environment(), **outputs) as command:  # type: ignore[call-overload]
        deadline = time.monotonic() + PATIENCE_S
        while not are_playing(psutil.Process(command.pid).children(recursive=True)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield command


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_of_a_series_outlives_the_command_that_somebody_ends(
    shell: Shell, tmp_path: Path, number: signal.Signals
) -> None:
    with playing(shell, tmp_path) as command:
        begun = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(number)
    assert psutil.wait_procs(begun, timeout=PATIENCE_S)[1] == []
    assert processes_of(shell.home) == []


def test_a_process_that_somebody_kills_ends_the_command_with_a_sentence(shell: Shell, tmp_path: Path) -> None:
    with playing(shell, tmp_path) as command:
        begun = psutil.Process(command.pid).children(recursive=True)
        next(process for process in begun if process.name() == "ladder").kill()
        _, said = command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 1
    assert said.splitlines()[-1] == "ladder: a process that played matches was killed, perhaps because memory was short"
    assert psutil.wait_procs(begun, timeout=PATIENCE_S)[1] == []
