"""Workers do not start where their sandbox does not keep what is demanded; the demo, with house bots alone, may."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.database.connection import connect
from tests.acceptance.conftest import Desk, Shell
from tests.ladder.arena import keep_one_boss
from tests.patience import patience_s, wait_until
from tests.processes import processes_of
from workers.embedded import state_file
from workers.embedded.home import LadderHome

NO_BUBBLEWRAP = {"PATH": "/nowhere"}
CELERY = (sys.executable, "-m", "celery", "--app", "workers.app", "--quiet", "worker", "--concurrency", "1")


@pytest.fixture
def shell(open_folder: Path) -> Iterator[Shell]:
    shell = Shell(open_folder / "refusals")
    yield shell
    Desk(shell.home).run("down")
    for home in (shell.home, demo_home(shell)):
        shutil.rmtree(home, ignore_errors=True)


def started(shell: Shell, **environment: str) -> None:
    shell.ok("up", "--no-web", "--workers", "1", **environment)
    running = state_file.running(LadderHome.at(shell.home))
    assert running is not None
    with connect(running.database_url) as connection:
        keep_one_boss(connection)


def demo_home(shell: Shell) -> Path:
    return shell.home.with_name(f"{shell.home.name}-demo")


@pytest.mark.parametrize("command", ["up", "worker"])
@pytest.mark.parametrize(
    ("status", "environment", "sentence"),
    [
        (3, {"LADDER_SANDBOX": "none"}, "workers run the bots of others"),
        (5, NO_BUBBLEWRAP, "sudo apt install bubblewrap"),
        (2, {"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        (2, {"LADDER_SANDBOX": "paper"}, "unknown sandbox 'paper'; known: auto"),
        (2, {"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
        (2, {"LADDER_LANGUAGES": "/no/table.toml"}, "cannot read /no/table.toml"),
    ],
    ids=["none", "no bubblewrap", "unknown demand", "unknown tier", "no cache folder", "no table of languages"],
)
def test_nothing_is_started_where_bots_would_not_be_held_or_not_be_made(
    shell: Shell, command: str, status: int, environment: dict[str, str], sentence: str
) -> None:
    assert sentence in shell.refused(status, command, **environment)
    assert not shell.home.exists()


def test_a_worker_that_is_started_by_hand_refuses_as_well(shell: Shell) -> None:
    """Celery's own command goes round `ladder worker`, but not round this."""
    services = {"LADDER_DATABASE_URL": "postgresql://nobody", "LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}
    environment = shell.full_environment(LADDER_SANDBOX="none", C_FORCE_ROOT="1", **services)
    done = subprocess.run(
        CELERY,
        capture_output=True,
        text=True,
        timeout=patience_s(),
        check=False,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("ladder: workers run the bots of others")


def test_a_tier_that_is_named_and_holds_is_used(shell: Shell, bot: Path) -> None:
    """Another one than the usual: so it is seen in the matches whether it was taken."""
    started(shell, LADDER_SANDBOX="nested")
    shell.ok("submit", bot, "--game", "ocean-of-code", "--bot", "seal")
    desk = Desk(shell.home)
    matches = wait_until(lambda: json.loads(desk.ok("match", "list", "--json")), "a match", 0.2)
    assert json.loads(shell.ok("match", "show", str(matches[-1]["id"]), "--json"))["sandbox"] == "nested"


def test_workers_for_ladders_own_bots_alone_run_no_others(shell: Shell, bot: Path) -> None:
    """So the permission to go without a sandbox cannot be used for anything else."""
    alone = {"LADDER_SANDBOX": "none", "LADDER_HOUSE_BOTS_ONLY": "1"}
    started(shell, **alone)
    done = shell.run("submit", bot, "--game", "ocean-of-code", "--bot", "stranger", "--watch", **alone)
    assert done.returncode == 3
    assert "only the bots that ship with Ladder" in done.stderr


@pytest.mark.long
def test_the_demo_goes_without_a_sandbox_where_there_is_none_and_says_so(shell: Shell) -> None:
    done = shell.run("demo", "--battles", "1", **NO_BUBBLEWRAP)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bubblewrap is not installed" in done.stderr
    assert "with no sandbox at all; `ladder up` would not" in done.stderr
    assert "sandbox: none, which will do for house bots alone" in done.stderr
    assert not processes_of(demo_home(shell))


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        ({"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
    ],
)
def test_a_setting_without_sense_stops_the_demo_too(shell: Shell, environment: dict[str, str], sentence: str) -> None:
    assert sentence in shell.refused(2, "demo", **environment)
    assert not demo_home(shell).exists()
