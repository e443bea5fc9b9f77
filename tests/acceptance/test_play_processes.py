"""The processes in which `ladder play` plays several matches at once: they end with the command, and bots with them."""

from __future__ import annotations

import signal
import subprocess
import time
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


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_of_a_series_outlives_the_command_that_somebody_ends(
    shell: Shell, tmp_path: Path, number: signal.Signals
) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(600)\n")
    words = ("play", "ocean-of-code", slow, slow, "--matches", "60", "--jobs", "2")
    with subprocess.Popen([LADDER, *words], stdout=subprocess.DEVNULL, env=shell.full_environment()) as command:
        deadline = time.monotonic() + PATIENCE_S
        while not are_playing(begun := psutil.Process(command.pid).children(recursive=True)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        command.send_signal(number)
    assert psutil.wait_procs(begun, timeout=PATIENCE_S)[1] == []
    assert processes_of(shell.home) == []
