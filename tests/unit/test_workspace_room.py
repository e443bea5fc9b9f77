"""What is built on a machine is kept up to a bound: what was not used for longest goes first."""

import os
import time
from pathlib import Path

import pytest

from engine.errors import NoRoom
from engine.workspace import CACHE_MB_VARIABLE, Workspace, open_workspace

DAYS = 24 * 3600


def entry(workspace: Workspace, key: str, days_ago: float, size: int = 1000) -> None:
    folder = workspace.entry(key)
    folder.mkdir()
    (folder / "program.json").write_bytes(bytes(size))
    used_at = time.time() - days_ago * DAYS
    os.utime(folder, (used_at, used_at))


def publish(workspace: Workspace, key: str) -> None:
    with workspace.scratch() as scratch:
        (scratch / "entry").mkdir()
        workspace.publish(scratch / "entry", key)


def kept(workspace: Workspace) -> set[str]:
    return {path.name for path in (workspace.root / "programs").iterdir()}


@pytest.mark.usefixtures("workspace")
def test_the_entries_used_last_are_kept_and_none_of_today_goes() -> None:
    workspace = open_workspace()
    for key, days_ago in (("old", 9), ("older", 10), ("of today", 0.5), ("in use", 8)):
        entry(workspace, key, days_ago)
    workspace.entry("in use")
    assert workspace.let_go(2500) == 2
    assert kept(workspace) == {"of today", "in use"}
    assert workspace.let_go(0) == 0
    assert list((workspace.root / "scratch").iterdir()) == []


@pytest.mark.usefixtures("workspace")
def test_what_a_match_holds_is_kept_however_long_it_takes() -> None:
    workspace = open_workspace()
    for key in ("held", "old"):
        entry(workspace, key, days_ago=9)
    with workspace.hold(workspace.root / "programs" / "held" / "bot"), workspace.hold(Path("/usr/bin")):
        assert workspace.let_go(0) == 1
        assert kept(workspace) == {"held"}
    assert workspace.let_go(0) == 1


@pytest.mark.usefixtures("workspace")
def test_a_new_entry_makes_room_for_itself_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_MB_VARIABLE, "0")
    workspace = open_workspace()
    entry(workspace, "old", 3)
    publish(workspace, "a")
    assert kept(workspace) == {"a"}
    entry(workspace, "old", 3)
    publish(workspace, "b")
    assert kept(workspace) == {"a", "b", "old"}, "it looked just now"


@pytest.mark.usefixtures("workspace")
def test_a_full_disk_is_cleared_of_what_was_not_used_today_before_it_is_called_full(tmp_path: Path) -> None:
    workspace = open_workspace()
    entry(workspace, "old", 2)
    with pytest.raises(NoRoom, match="99999999999 MB are needed: free some space there, or choose"):
        workspace.require_free(99_999_999_999)
    assert kept(workspace) == set()
