"""The demo: every match is played and recorded exactly once, even when disturbed, and nothing is left behind."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cli.context import Context
from cli.demo import NEXT, PREPARE, Story, report, run_demo
from cli.terminal.words import next_commands
from cli.web.address import pages_of
from engine.errors import ArenaError, Unavailable
from ladder.database.connection import Pool
from ladder.flows.submission import reject
from ladder.leagues import leagues
from ladder.settings import Settings
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.ladder.arena import GAME, claimed_build, on_the_board, play_all, submitted, within
from tests.patience import patience_s, wait_until
from tests.processes import processes_of, workers_of
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Pages, Running, announced, name_of


@pytest.fixture
def shell(open_folder: Path) -> Iterator[Shell]:
    shell = Shell(open_folder / "for-demo")
    yield shell
    shutil.rmtree(demo_home(shell), ignore_errors=True)


def demo_home(shell: Shell) -> Path:
    return shell.home.with_name("for-demo-demo")


def start_demo(shell: Shell, remarks: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    full, pipe = shell.full_environment(**environment), subprocess.PIPE
    with remarks.open("w") as stderr:
        return subprocess.Popen([LADDER, "demo", *options], stdout=pipe, stderr=stderr, text=True, env=full)


@pytest.mark.long
@pytest.mark.parametrize("options", [("--battles", "4"), pytest.param((), marks=pytest.mark.weekly)])
def test_every_promotion_shows_and_no_match_is_lost(shell: Shell, tmp_path: Path, options: tuple[str, ...]) -> None:
    remarks = tmp_path / "remarks.txt"
    demo = start_demo(shell, remarks, *options)
    wait_until(lambda: "scheduler run" in remarks.read_text(), "the demo's services run", 0.3)
    for _ in range(2):
        time.sleep(1.5)
        for worker in workers_of(demo_home(shell))[:1]:
            worker.send_signal(signal.SIGKILL)
    stdout, _ = demo.communicate(timeout=patience_s())
    assert demo.returncode == 0, stdout + remarks.read_text()
    counted = re.search(r"matches: (\d+) asked for, (\d+) played and recorded, 0 void", stdout)
    assert counted
    assert int(counted[1]) == int(counted[2]) > 100
    assert f"{2 * int(counted[1])} ledger lines for {counted[1]} matches" in stdout
    assert not processes_of(demo_home(shell))

    rounds, _, ending = stdout.partition("\n\n")
    for event in (r"kraken@v1 up to Bronze: beat boss-wood-1 \d+:0", r"kraken@v2 takes over in \w+"):
        assert re.search(rf"^ +\d+ s +\d+ +\d+\.\d  {event}$", rounds, re.MULTILINE), rounds
    ends = {row["version"]: row["league"] for row in Desk(demo_home(shell)).json("board")}
    own = {bot: ends[bot] for bot in ends if not bot.startswith("boss-")}
    assert own == {"minnow@v1": "wood-2", "orca@v1": "bronze", "kraken@v2": "legend"}
    assert "Gold, Silver, Wood 1 (ocean-of-code): only their bosses play here yet\n" in ending
    position = r"^match (\d+), \w+: .*kraken.*\n.*seed -?\d+\n\n((?:[.x]{15} {3} *\d+  .+\n){15})"
    drawn = re.search(position, ending, re.MULTILINE)
    assert drawn, ending
    assert max(map(len, drawn[0].splitlines())) <= 80
    assert Desk(demo_home(shell)).ok("match", "show", drawn[1])
    for line, words in zip(ending.splitlines()[-len(NEXT) :], NEXT, strict=True):
        assert line.startswith(f"  {LADDER} {words} ")
    assert max(map(len, next_commands(NEXT, "bin/ladder").splitlines())) <= 80


@pytest.mark.long
def test_without_a_sandbox_the_demo_says_so_and_plays_until_ctrl_c(shell: Shell, tmp_path: Path) -> None:
    remarks = tmp_path / "remarks.txt"
    demo = start_demo(shell, remarks, "--battles", "1", PATH="/nowhere", PYTHONUNBUFFERED="1")
    assert demo.stdout is not None
    assert any(" up to Wood 1: " in line for line in demo.stdout), remarks.read_text()
    for _ in range(3):
        demo.send_signal(signal.SIGINT)
        time.sleep(0.3)
    demo.communicate(timeout=patience_s())
    told = remarks.read_text()
    assert demo.returncode == 130, told
    assert "bubblewrap is not installed" in told
    assert "with no sandbox at all; `ladder up` would not" in told
    assert "sandbox: none, which will do for house bots alone" in told
    assert told.endswith("ladder: interrupted\n")
    assert "Traceback" not in told
    assert not processes_of(demo_home(shell))


def run_demo_in_which(happens: Callable[[Running], object], home: LadderHome) -> None:
    """Run a demo here, whose services are without workers, and to which something happens when bots are submitted."""

    def start(context: Context, _: object) -> None:
        running = control.up(context.home, prepare=PREPARE)
        changed.setattr("cli.demo.submit_entry", lambda *_: str(happens(running)))
        changed.setattr("cli.demo.pages_that_start", lambda _: None)

    handler = signal.getsignal(signal.SIGTERM)
    context = Context(Settings(None, None, 100_000))
    context.home = home
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("cli.demo.start_services", start)
        try:
            run_demo(context, 2)
        finally:
            signal.signal(signal.SIGTERM, handler)


def test_a_demo_that_gets_a_signal_to_end_stops_its_services_first(shell: Shell) -> None:
    with pytest.raises(SystemExit) as ended:
        run_demo_in_which(lambda _: os.kill(os.getpid(), signal.SIGTERM), LadderHome.at(shell.home))
    assert ended.value.code == 128 + signal.SIGTERM
    assert not processes_of(demo_home(shell))


def test_a_demo_whose_services_are_killed_says_that_they_have_ended(shell: Shell) -> None:
    def kill(running: Running) -> None:
        with suppress(ProcessLookupError):  # it has ended for the first bot, and this is another one
            os.kill(running.pid, signal.SIGKILL)
        wait_until(lambda: not processes_of(demo_home(shell)), "the end of the services")

    with pytest.raises(Unavailable, match=r"^the demo's services have ended; (?!.*ladder up)"):
        run_demo_in_which(kill, LadderHome.at(shell.home))


@pytest.fixture
def context(database_url: str) -> Context:
    return Context(Settings(database_url, "redis://127.0.0.1:1/0", 100_000))


def test_the_address_of_the_pages_is_printed_once_as_soon_as_they_are_there_also_in_the_middle(
    context: Context, pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str], bosses: None
) -> None:
    within(pool, leagues.set_battles, GAME, 1)
    play_all(pool, stronger=on_the_board(pool, "kraken"))
    context.home = LadderHome.at(tmp_path / "home")
    context.home.create()
    story = Story(context)
    story.wait_until_quiet()
    assert "watch it" not in capsys.readouterr().err
    with announced(context.home, Pages("http://127.0.0.1:8299/", 8299, name_of(context.database_url))):
        wait_until(lambda: pages_of(context), "the pages")
        story.wait_until_quiet()
        story.wait_until_quiet()
    assert capsys.readouterr().err.count("watch it in a browser: http://127.0.0.1:8299/?key=") == 1


def test_a_demo_in_which_nothing_was_played_fails(context: Context, pool: Pool, bosses: None) -> None:
    with pytest.raises(ArenaError, match="not all matches were played"):
        report(context)


def test_a_demo_in_which_a_bot_was_rejected_fails_and_names_it_with_the_reason(
    context: Context, pool: Pool, capsys: pytest.CaptureFixture[str], bosses: None
) -> None:
    within(pool, leagues.set_battles, GAME, 1)
    play_all(pool, stronger=on_the_board(pool, "kraken"))
    report(context)
    assert "what next" in capsys.readouterr().out
    assert within(pool, reject, claimed_build(pool, submitted(pool, source="b")), "no compiler")
    with pytest.raises(ArenaError, match="kraken@v2: no compiler"):
        report(context)
