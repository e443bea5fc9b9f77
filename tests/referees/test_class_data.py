"""Class-data archives in real boxes: made once, used from then on, made again where they are damaged."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.referees import class_data
from engine.referees.class_data import ARCHIVE, FirstMatch, JavaWorld, with_class_data
from engine.referees.java import JarStart, jar_start
from engine.sandbox import open_sandbox
from engine.sandbox.box import Box, Limits
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.languages import languages
from engine.toolchains.tools import present_folders, shown_folders
from engine.workspace import Workspace
from tests.referees.compiled import referees

MATCH = FirstMatch(2, {"seed": "1", "news": "1"})
LOADED = "-Xlog:class+load:stderr"
FROM_ARCHIVE = "shared objects file (top)"


@pytest.fixture
def workspace(open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace of the test's own."""
    referees()  # in the usual one
    root = open_folder / "archives" / tmp_path.name
    monkeypatch.setenv("LADDER_CACHE", str(root))
    return Workspace(root)


def world() -> JavaWorld:
    """What Java needs here."""
    patterns = languages()["java"].toolchains[0].extra_paths
    return JavaWorld(shown_folders(present_folders(patterns)))


def prepared() -> tuple[JarStart, JavaWorld]:
    """The test referee's jar, with its archive."""
    start = jar_start(("java", "-jar", "foragers.jar"), referees(), memory_mb=512)
    assert start
    return with_class_data(start, referees(), open_sandbox(), world(), MATCH)


def classes_from_archive(start: JarStart, world: JavaWorld) -> int:
    """Play the match without answers in a box; return how many classes came from the archive."""
    start = replace(start, options=(*start.options, LOADED))
    box = Box(start.command, referees(), Limits(memory_mb=512), extra_paths=world.extra_paths)
    ended = run_to_end(open_sandbox(), box, MATCH.silent(), wall_limit_s=30, output_kb=1024)
    assert b"[[SCORES] 2]" in ended.stdout
    assert b"[warning]" not in ended.stderr
    return ended.stderr.decode().count(FROM_ARCHIVE)


def archives(workspace: Workspace) -> list[Path]:
    """The archives that are kept."""
    return list(workspace.root.glob(f"programs/*/{ARCHIVE}"))


def test_an_archive_is_made_once_and_used_by_all_workers_and_a_damaged_one_is_made_again(workspace: Workspace) -> None:
    """Several workers begin at the same moment."""
    with ThreadPoolExecutor(2) as workers:
        first, second = workers.map(lambda _: prepared(), range(2))
    assert first == second
    assert classes_from_archive(*first) > 20
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
    assert classes_from_archive(*first) > 20


def test_another_jvm_has_an_archive_of_its_own(workspace: Workspace) -> None:
    """JVMs are told apart by their files, so a new version in the old place is another one too."""
    java = workspace.root.parent / "another" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nexec /usr/bin/java "$@"\n')
    java.chmod(0o755)
    usual, there = world(), java.parents[1]
    other = JavaWorld((*usual.extra_paths, there), {"PATH": str(java.parent)})
    identities = [class_data.jvm_identity("java", found.environment) for found in (usual, other)]
    os.utime(java, (1, 1))
    identities.append(class_data.jvm_identity("java", other.environment))
    assert len({class_data.key_of(identity) for identity in identities}) == 3


def test_a_referee_of_which_no_archive_comes_is_started_without(workspace: Workspace, tmp_path: Path) -> None:
    """Such as a jar that needs others beside it, and one that does not start; nothing is tried twice."""
    jar = JarStart("java", ("--no-such-option",), "foragers.jar")
    assert with_class_data(jar, referees(), open_sandbox(), world(), MATCH) == (jar, world())
    assert len(class_data._hopeless) == 1
    with ZipFile(tmp_path / "many.jar", "w") as many:
        many.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nClass-Path: other.jar\n")
    start = JarStart("java", (), "many.jar")
    assert with_class_data(start, tmp_path, open_sandbox(), world(), MATCH) == (start, world())
    assert archives(workspace) == []
