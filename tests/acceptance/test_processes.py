"""Work in several processes: what comes of it, and that they end with those who began them and at Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from cli.context import Context
from cli.gauntlet import local
from engine.errors import ArenaError
from engine.interrupts import held_back, interrupts_delayed
from engine.parallel import in_processes
from ladder.settings import settings_from
from tests.acceptance.conftest import LADDER, SURFACER, Shell
from tests.patience import patience_s, wait_until
from tests.processes import finished, players_of, processes_of
from tests.throwaway import written
from workers.commands import scheduler_command, worker_command


def slow_if_even(task: int) -> tuple[int, bytes]:
    time.sleep(0.02 * (task % 2 == 0))
    return task, bytes(100_000)


def refuse_seven(task: int) -> int:
    if task == 7:
        raise ArenaError("not seven")
    return task


def children() -> list[psutil.Process]:
    return psutil.Process().children()


@pytest.mark.parametrize("jobs", [1, 2, 5, 50])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    before = children()
    assert [task for task, _ in in_processes(slow_if_even, range(20), jobs)] == list(range(20))
    assert children() == before


def test_no_tasks_are_no_work() -> None:
    assert list(in_processes(refuse_seven, [], 4)) == []


def test_a_caller_that_needs_no_more_leaves_no_process_behind() -> None:
    before = children()
    with closing(in_processes(time.sleep, [0, *[600] * 9], 3)) as results:
        next(results)
        assert len(children()) == len(before) + 3
    assert children() == before


def test_what_the_work_raises_is_raised_where_its_result_is_waited_for() -> None:
    with pytest.raises(ArenaError, match="not seven"):
        list(in_processes(refuse_seven, range(20), 2))


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
def test_nothing_outlives_a_command_that_is_ended(shell: Shell, tmp_path: Path, number: signal.Signals) -> None:
    with playing(shell, tmp_path) as (command, _):
        begun = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(number)
    assert psutil.wait_procs(begun, timeout=patience_s())[1] == []
    assert processes_of(shell.home) == []


def test_a_process_that_somebody_kills_ends_the_command_with_a_sentence(shell: Shell, tmp_path: Path) -> None:
    with playing(shell, tmp_path) as (command, players):
        begun = psutil.Process(command.pid).children(recursive=True)
        players[0].kill()
        _, out = command.communicate(timeout=patience_s())
    assert command.returncode == 1
    assert out.splitlines()[-1] == "ladder: a process that worked for this was killed, perhaps because memory was short"
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
    with pytest.raises(KeyboardInterrupt), interrupts_delayed():
        os.kill(os.getpid(), signal.SIGINT)
        raise OSError("and what fails by itself")
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
