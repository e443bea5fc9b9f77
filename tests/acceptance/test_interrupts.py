"""Ctrl-C while a program still imports what it needs: one line and status 130, as at any other time."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cli.context import Context
from cli.gauntlet import local
from engine.interrupts import held_back, interrupts_delayed
from ladder.settings import settings_from
from tests.acceptance.conftest import LADDER
from tests.patience import patience_s, wait_until
from tests.processes import finished
from workers.commands import scheduler_command, worker_command

INTERRUPTED_WHILE_IT_IS_IMPORTED = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(100)
"""


def test_a_command_interrupted_before_it_has_begun_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(INTERRUPTED_WHILE_IT_IS_IMPORTED)
    done = finished([LADDER, "status"], env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ladder: interrupted\n")


@pytest.mark.parametrize("command", [worker_command(1, "early"), scheduler_command()], ids=["worker", "scheduler"])
def test_what_ladder_turns_into_hears_what_was_kept_back_meanwhile(command: tuple[str, ...]) -> None:
    with held_back({signal.SIGINT}):
        begun = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    begun.send_signal(signal.SIGINT)
    stdout, stderr = begun.communicate(timeout=patience_s())
    assert (begun.returncode, stdout, stderr) == (130, "", "ladder: interrupted\n")


INTERRUPTED_WHILE_IT_FORKS = """
import os, signal
from engine.bot.conditions import OFFICIAL
from engine.series import PlaySettings, in_order
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    list(in_order([None, None], PlaySettings(OFFICIAL, 2)))
except KeyboardInterrupt:
    print("heard")
"""


def test_ctrl_c_is_heard_while_a_process_that_plays_is_begun() -> None:
    done = finished([sys.executable, "-c", INTERRUPTED_WHILE_IT_FORKS])
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


def test_ctrl_c_that_is_held_back_comes_when_the_block_is_done() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt), interrupts_delayed():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("what must not be interrupted")
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_another_thread_gets_waits_to_the_end_of_the_block_too() -> None:
    done = threading.Event()
    begun = threading.Thread(target=done.wait, daemon=True)
    begun.start()
    with pytest.raises(KeyboardInterrupt), held_back({signal.SIGINT}):
        assert begun.ident is not None
        signal.pthread_kill(begun.ident, signal.SIGINT)
        wait_until(lambda: signal.SIGINT in signal.sigpending())
        done.set()
    assert done.is_set()
    begun.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_waits_until_a_gauntlet_here_has_judged_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first verdict imports numpy, which cannot be imported again where that was cut off in its middle."""
    judged = []

    class JudgedAtCtrlC:
        gauntlet = SimpleNamespace(plan=None)

        def take(self, *_: object) -> None:
            signal.raise_signal(signal.SIGINT)

        @property
        def is_answered(self) -> bool:
            judged.append("whole")
            return False

    def pairs(*_: object) -> Iterator[tuple[int, list[object]]]:
        yield 0, []

    monkeypatch.setattr(local, "each_pair", pairs)
    context = Context(settings_from({}))
    assert local.play_through(context, cast(Any, JudgedAtCtrlC()), cast(Any, None), {}, cast(Any, None)) == "stopped"
    assert judged == ["whole"]
