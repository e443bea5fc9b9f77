"""`ladder status` while no worker is alive: one that the supervisor has begun is told apart from none at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk
from workers.commands import embedded_children
from workers.embedded import control
from workers.embedded.child import Child
from workers.embedded.home import LadderHome
from workers.embedded.state import Running

NEVER_THERE = ("sleep", "1000")
"""A worker that starts for as long as anybody looks."""


@pytest.fixture
def home(open_folder: Path) -> Iterator[LadderHome]:
    """A home of which only the supervisor runs, with the servers, and a worker that is never there."""
    home = LadderHome.at(open_folder / "begun")
    control.up(home, [Child(embedded_children(1)[0].name, NEVER_THERE)])
    yield home
    control.destroy(home)
    shutil.rmtree(home.folder, ignore_errors=True)


def test_a_worker_that_has_begun_is_said_to_be_starting_and_where_it_would_say_why_it_does_not(
    home: LadderHome,
) -> None:
    desk = Desk(home.folder)
    shown = desk.ok("status")
    assert "no worker is alive yet: one is starting" in shown
    assert str(home.log("worker")) in shown
    assert "`ladder worker` starts one" not in shown
    assert home.log("worker").exists()
    assert json.loads(desk.ok("status", "--json"))["starting"] is True


def test_without_any_worker_the_command_that_starts_one_is_told(services: Running, open_folder: Path) -> None:
    assert services.ready
    desk = Desk(open_folder / "services")
    assert "no worker is alive: `ladder worker` starts one" in desk.ok("status")
    assert json.loads(desk.ok("status", "--json"))["starting"] is False
