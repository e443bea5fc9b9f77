"""A program of one's own plays in the box like every bot: its folder is shown, read-only, and nothing beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engine.toolchains.given_bot import OwnProgram, mount_program, read_bot

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena, Host

EXPLORER = """#!/usr/bin/env -S python3 -I
import json, os, sys
done = {}
def attempt(name, act):
    try:
        done[name] = act()
    except OSError as error:
        done[name] = error.strerror
attempt("write", lambda: open("/bot/book", "a").close())
attempt("make", lambda: open("/bot/intruder", "w").close())
attempt("mode", lambda: os.chmod("/bot/book", 0o777))
attempt("rename", lambda: os.rename("/bot/book", "/bot/other"))
attempt("remove", lambda: os.remove("/bot/book"))
attempt("link", lambda: os.link("/bot/book", "/bot/other"))
attempt("follow", lambda: open("/bot/out").read())
attempt("up", lambda: open("/bot/up/secret").read())
attempt("beside", lambda: open("/bot/../neighbour/secret").read())
attempt("by its path", lambda: open(sys.argv[1]).read())
done["read"] = open("/bot/book").read()
done["seen"] = sorted(os.listdir("/bot"))
done["name"] = sys.argv[0]
print(json.dumps(done))
"""
"""Tries all that it should not be able to do, and says what came of it."""
REFUSED = ("write", "make", "mode", "rename", "remove", "link", "follow", "up", "beside", "by its path")


def test_it_reads_its_folder_and_reaches_nothing_else(arena: Arena) -> None:
    folder, neighbour = arena.folder / "wahoo", arena.folder / "neighbour"
    for made in (folder, neighbour):
        made.mkdir()
        made.chmod(0o777)
    (neighbour / "secret").write_text("xyzzy")
    (folder / "book").write_text("opening")
    (folder / "book").chmod(0o666)
    (folder / "out").symlink_to(neighbour / "secret")
    (folder / "up").symlink_to("../neighbour")
    program = folder / "wahoo"
    program.write_text(EXPLORER)
    program.chmod(0o755)
    given = read_bot(f"{program} {neighbour}/secret", 100).content
    assert isinstance(given, OwnProgram)
    box = mount_program(given)
    said = json.loads(arena.run(*box.command, folder=str(box.folder), environment=dict(box.environment)).stdout)
    assert (said["read"], said["name"]) == ("opening", "/bot/wahoo")
    assert said["seen"] == ["book", "out", "up", "wahoo"]
    assert all(said[name] for name in REFUSED), said
    assert "xyzzy" not in str(said)
    assert sorted(path.name for path in folder.iterdir()) == said["seen"]
    assert (folder / "book").read_text() == "opening"
    assert (folder / "book").stat().st_mode & 0o777 == 0o666


def test_a_program_of_root_runs_as_an_ordinary_user(arena: Arena, host: Host) -> None:
    """A file that its owner's rights come with has no more than every other one in the box."""
    program = host.folder / "attacker" / "python-of-root"
    assert program.stat().st_mode & 0o4000
    box = mount_program(OwnProgram(program.resolve(), ("-I", "-c", "import os; print(os.getresuid())")))
    assert arena.run(*box.command, folder=str(box.folder)).stdout == b"(1000, 1000, 1000)\n"
