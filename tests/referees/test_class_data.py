"""Class-data archives in real boxes: made once, used from then on, made again where they are damaged."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.boxes import Limits
from engine.referees import jvm
from engine.referees.blocks import TIMEOUT, beginning_of_match
from engine.referees.jvm import ARCHIVE, SILENT_ANSWERS, with_class_data
from engine.referees.program import JarStart, ProtocolKind, RefereeProgram, jar_start
from engine.sandbox.box import Box
from engine.sandbox.choice import open_sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.languages import languages
from engine.toolchains.program import present_folders, shown_folders
from engine.workspace import Workspace
from tests.patience import patience_s
from tests.referees.compiled import referees


def silent_match(parameters: dict[str, str]) -> bytes:
    return beginning_of_match(2, parameters) + SILENT_ANSWERS * TIMEOUT


MATCH = silent_match({"seed": "1", "news": "1"})
LOADED = "-Xlog:class+load:stderr"
FROM_ARCHIVE = "shared objects file (top)"


@pytest.fixture
def workspace(open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    referees()  # in the usual one
    root = open_folder / "archives" / tmp_path.name
    monkeypatch.setenv("LADDER_CACHE", str(root))
    return Workspace(root)


def java_paths() -> tuple[Path, ...]:
    return shown_folders(present_folders(languages()["java"].toolchains[0].extra_paths))


def prepared(first_match: bytes = MATCH) -> Box:
    start = jar_start(RefereeProgram(ProtocolKind.SDK, referees(), ("java", "-jar", "foragers.jar")), 19)
    assert start
    box = Box(start.command, referees(), Limits(memory_mb=512), extra_paths=java_paths())
    return with_class_data(box, start, open_sandbox(), first_match)


def classes_from_archive(box: Box) -> int:
    """Play the match without answers in a box; return how many classes came from the archive."""
    options = box.command.index("-cp")
    box = replace(box, command=(*box.command[:options], LOADED, *box.command[options:]))
    ended = run_to_end(open_sandbox(), box, MATCH, wall_limit_s=patience_s(), output_kb=1024)
    assert b"[[SCORES] 2]" in ended.stdout
    assert b"[warning]" not in ended.stderr
    return ended.stderr.decode().count(FROM_ARCHIVE)


def archives(workspace: Workspace) -> list[Path]:
    return list(workspace.root.glob(f"programs/*/{ARCHIVE}"))


def test_an_archive_is_made_once_and_used_by_all_workers_and_a_damaged_one_is_made_again(workspace: Workspace) -> None:
    with ThreadPoolExecutor(2) as workers:
        first, second = workers.map(lambda _: prepared(), range(2))
    assert first == second
    assert classes_from_archive(first) > 20
    (archive,) = archives(workspace)
    made = archive.stat()
    assert prepared() == first
    assert archive.stat().st_ino == made.st_ino
    archive.chmod(0o644)
    with archive.open("r+b") as file:
        file.seek(made.st_size // 2)
        file.write(b"damage" * 1000)
    assert prepared() == first
    assert archive.stat().st_ino != made.st_ino
    assert classes_from_archive(first) > 20


def test_a_silent_jvm_is_ended_and_leaves_its_archive(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "PATIENCE_S", 2)
    assert classes_from_archive(prepared(silent_match({"seed": "1", "linger": "1"}))) > 20
    assert len(archives(workspace)) == 1


def test_another_jvm_has_an_archive_of_its_own(workspace: Workspace) -> None:
    """A JVM is known by its files, so a new version in the old place is another one too."""
    java = workspace.root.parent / "another" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nexec /usr/bin/java "$@"\n')
    java.chmod(0o755)
    identities = [jvm.jvm_identity("java", {"PATH": path}) for path in ("/usr/bin", str(java.parent))]
    os.utime(java, (1, 1))
    identities.append(jvm.jvm_identity("java", {"PATH": str(java.parent)}))
    assert len({jvm.key_of(identity) for identity in identities}) == 3


def test_a_referee_of_which_no_archive_comes_is_started_without(workspace: Workspace, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "many.jar", "w") as many:
        many.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nClass-Path: other.jar\n")
    for start, folder in (
        (JarStart("java", ("--no-such-option",), "foragers.jar"), referees()),
        (JarStart("java", (), "many.jar"), tmp_path),
    ):
        box = Box(start.command, folder, extra_paths=java_paths())
        assert with_class_data(box, start, open_sandbox(), MATCH) == box
    assert len(jvm._hopeless) == 2
    assert archives(workspace) == []
