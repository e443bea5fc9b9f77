"""One JVM plays many matches: each as if it were the first, until something is wrong with it."""

import os
import select
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import MissingTool, RefereeFault
from engine.game import Game
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.referees import jvm, process
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.referees.as_game import PICKER, as_game
from tests.referees.compiled import referees


@pytest.fixture(scope="module")
def picker() -> Program:
    return build(PICKER, find_language("c"), open_sandbox())


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    jvm.end_kept()
    yield
    jvm.end_kept()


def game(tmp_path: Path, **parameters: object) -> Game:
    return as_game(tmp_path / "game", referees(), {"counter": 1, "rounds": 3, **parameters}, reuse="loader")


def match(game: Game, bot: Program, seed: int = 1) -> MatchResult:
    return play(MatchSpec(game, 19, seed), [bot, bot], open_sandbox())


def pid() -> int | None:
    return jvm._kept[0]._process._process.pid if jvm._kept else None


def kill_idle() -> None:
    process = jvm._kept[0]._process._process
    os.kill(process.pid, signal.SIGKILL)
    select.select([process.pidfd], [], [])


def test_matches_of_one_jvm_do_not_know_of_each_other(tmp_path: Path, picker: Program) -> None:
    foragers = game(tmp_path)
    first = match(foragers, picker)
    one_jvm = pid()
    assert one_jvm
    assert len(first.turns) == 6
    for _ in range(2):
        again = match(foragers, picker)
        assert (again.outcome, again.notes) == (first.outcome, first.notes)
        assert len(os.sched_getaffinity(one_jvm)) == 1
    assert match(foragers, picker, seed=2).notes != first.notes
    assert pid() == one_jvm


def test_there_is_a_new_jvm_after_some_matches_after_a_fault_and_where_one_has_ended(
    tmp_path: Path, picker: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "MOST_MATCHES", 2)
    foragers = game(tmp_path, int_seed=1)
    first = match(foragers, picker)
    seen = [pid()]
    assert match(foragers, picker).outcome == first.outcome
    assert pid() is None  # it has played both
    match(foragers, picker)
    seen.append(pid())
    with pytest.raises(RefereeFault, match="NumberFormatException"):
        match(foragers, picker, seed=2**40)
    assert pid() is None
    match(foragers, picker)
    seen.append(pid())
    kill_idle()
    assert match(foragers, picker).outcome == first.outcome
    seen.append(pid())
    assert None not in seen
    assert len(set(seen)) == 4


def test_a_game_that_is_updated_has_a_new_jvm_and_the_old_one_ends(tmp_path: Path, picker: Program) -> None:
    before, after = game(tmp_path / "before"), game(tmp_path / "after", rounds=4)
    assert (before.name, before.edition == after.edition) == (after.name, False)
    assert len(match(before, picker).turns) == 6
    old = pid()
    assert old
    assert len(match(after, picker).turns) == 8
    assert pid() not in {None, old}
    with pytest.raises(ProcessLookupError):
        os.kill(old, 0)


def test_a_match_that_leaves_a_thread_behind_is_the_last_of_its_jvm(tmp_path: Path, picker: Program) -> None:
    foragers = game(tmp_path, linger=1)
    assert len(match(foragers, picker).turns) == 6
    assert pid() is None


def test_a_jvm_that_cannot_be_moved_to_the_core_of_a_match_ends(
    tmp_path: Path, picker: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose root may not move the programs of others."""

    def refuse(*_: object) -> None:
        raise PermissionError

    foragers = game(tmp_path)
    first, before = match(foragers, picker), pid()
    monkeypatch.setattr(process, "move_to", refuse)
    assert match(foragers, picker).outcome == first.outcome
    assert pid() not in {None, before}


def test_where_the_launcher_does_not_compile_each_match_has_a_jvm_of_its_own(
    tmp_path: Path, picker: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "Launcher.java"
    broken.write_text("class {")
    monkeypatch.setattr(jvm, "SOURCE", broken)
    assert len(match(game(tmp_path), picker).turns) == 6
    assert pid() is None


def test_without_a_compiler_there_is_no_launcher(tmp_path: Path) -> None:
    java = shutil.which("java")
    assert java
    (tmp_path / "java").symlink_to(java)
    with pytest.raises(MissingTool, match="there is no javac"):
        jvm.compile_launcher(tmp_path, {"PATH": str(tmp_path)})
