"""Workers do not start where their sandbox does not keep what is demanded."""

import os
import sys
from pathlib import Path

import pytest

from cli import demo
from engine.sandbox import choice
from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk, Shell
from tests.ladder.arena import a_pair, on_the_board, state_of
from tests.patience import wait_until
from tests.processes import a_worker, finished
from tests.throwaway import written
from workers import worker_process
from workers.app import queue_for

NO_BUBBLEWRAP = {"PATH": "/nowhere"}
CELERY = (sys.executable, "-m", "celery", "--app", "workers.app", "--quiet", "worker", "--concurrency", "1")


def demo_home(shell: Shell) -> Path:
    return shell.home.with_name(f"{shell.home.name}-demo")


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sandbox this process would use is not known yet."""
    fresh_look = worker_process.serving_sandbox.__wrapped__
    for module in (worker_process, demo):
        monkeypatch.setattr(module, "serving_sandbox", fresh_look)
    monkeypatch.setattr(choice, "strongest", choice.strongest.__wrapped__)


@pytest.mark.usefixtures("fresh")
def test_nothing_is_started_where_bots_would_not_be_held(desk: Desk) -> None:
    for command, status, environment, sentence in (
        ("up", 3, {"LADDER_SANDBOX": "none"}, "workers run the bots of others"),
        ("worker", 3, {"LADDER_SANDBOX": "none"}, "workers run the bots of others"),
        ("up", 5, NO_BUBBLEWRAP, "sudo apt install bubblewrap"),
    ):
        assert sentence in desk.refused(status, command, **environment)
        assert not desk.home.exists()


@pytest.mark.usefixtures("fresh")
def test_nothing_is_started_with_a_setting_without_sense(desk: Desk) -> None:
    for command, environment, sentence in (
        ("worker", {"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        ("up", {"LADDER_SANDBOX": "paper"}, "unknown sandbox 'paper'; known: auto"),
        ("worker", {"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
        ("up", {"LADDER_LANGUAGES": "/no/table.toml"}, "cannot read /no/table.toml"),
        ("demo", {"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        ("demo", {"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
    ):
        assert sentence in desk.refused(2, command, **environment)
        assert not desk.home.exists()
        assert not demo_home(desk).exists()


def test_a_worker_that_is_started_by_hand_refuses_as_well(shell: Shell) -> None:
    """Celery's own command goes round `ladder worker`, but not round this."""
    services = {"LADDER_DATABASE_URL": "postgresql://nobody", "LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}
    environment = shell.full_environment(LADDER_SANDBOX="none", C_FORCE_ROOT="1", **services)
    done = finished(CELERY, cwd=Path(__file__).parents[2], env=environment)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("ladder: workers run the bots of others")


def test_a_tier_that_is_named_and_holds_is_used(
    database_url: str, broker_url: str, pool: Pool, desk: Desk, tmp_path: Path
) -> None:
    """Another one than the usual: so it is seen in the matches whether it was taken."""
    match_id, _ = a_pair(pool, on_the_board(pool, "seal"), on_the_board(pool, "orca"))
    queue_for(broker_url).enqueue_match(match_id)
    with a_worker(tmp_path / "log", database_url, broker_url, LADDER_SANDBOX="nested"):
        wait_until(lambda: state_of(pool, match_id) == "finished", "the match", 0.1)
    assert desk.json("match", "show", str(match_id))["sandbox"] == "nested"


def test_workers_for_ladders_own_bots_alone_run_no_others(
    database_url: str, broker_url: str, desk: Desk, bot: Path, tmp_path: Path, bosses: None
) -> None:
    """So the permission to go without a sandbox cannot be used for anything else."""
    words = ("submit", bot, "--game", "ocean-of-code", "--bot", "stranger", "--watch")
    alone = {"LADDER_SANDBOX": "none", "LADDER_HOUSE_BOTS_ONLY": "1"}
    with a_worker(tmp_path / "log", database_url, broker_url, 1, **alone):
        done = desk.run(*words)
    assert done.returncode == 3
    assert "only the bots that ship with Ladder" in done.stderr


WORDS = "bwrap: No permissions to create new namespace"


@pytest.fixture
def forbidding(open_folder: Path) -> dict[str, str]:
    """Variables under which bubblewrap is there, and fails as it does where user namespaces are forbidden."""
    folder = open_folder / "forbidding"
    folder.mkdir(exist_ok=True)
    bwrap = written(folder / "bwrap", f"#!/bin/sh\necho '{WORDS}' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.usefixtures("fresh")
def test_a_machine_that_forbids_boxes_is_a_reason_to_refuse(desk: Desk, forbidding: dict[str, str]) -> None:
    for command, environment in (
        ("up", {}),
        ("worker", {"LADDER_SANDBOX": "nested", "LADDER_HOUSE_BOTS_ONLY": "1"}),
        ("demo", {"LADDER_SANDBOX": "bubblewrap"}),
    ):
        told = desk.refused(3, command, **forbidding, **environment)
        assert WORDS in told
        assert "`ladder doctor` says what would help" in told
        assert not desk.home.exists()
