"""Games whose command plays whole matches, at the terminal: by an explicit word, and with what they lack in sight."""

import json
import re
import shutil
from pathlib import Path

import pytest

from engine.boxes import CGROUP
from engine.conversation import UNFAIR
from tests.acceptance.conftest import Desk
from tests.referees.cgroups import NIM

BOT = "while True: input(); print({}, flush=True)\n"
ADD = ("game", "add", "nim", "--kind", "command", "--players", "2", "--to", "folder", "--referee")
PLAY = ("play", "--game-folder", "folder", "one.py", "cheat.py", "--seed", "42")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    shutil.copy(NIM, folder)
    (folder / "one.py").write_text(BOT.format(1))
    (folder / "cheat.py").write_text(BOT.format(9))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.takes_cgroup
def test_a_game_is_added_shown_and_played_by_an_explicit_word(desk: Desk, here: Path) -> None:
    desk.ok(*ADD, "python3 nim.py {SEED} {PLAYERS}")
    refused = desk.refused(3, *PLAY)
    assert f"nim is played only with bots that one trusts ({UNFAIR}): `--trusted` says" in refused
    said = desk.ok(*PLAY, "--trusted")
    assert "one.py beats cheat.py (fault of unknown kind, seed 42)" in said
    assert UNFAIR in said
    (match,) = desk.json(*PLAY, "--trusted")
    assert (match["caution"], match["turns"]) == (UNFAIR, [])
    shown = desk.ok("match", "show", "play:1", "--json")
    assert json.loads(shown)["caution"] == UNFAIR
    assert f"sandbox {CGROUP}; {UNFAIR}" in desk.ok("match", "show", "play:1")


@pytest.mark.takes_cgroup
def test_a_gauntlet_of_files_and_lists_of_what_was_played(desk: Desk, here: Path) -> None:
    desk.ok(*ADD, "python3 nim.py {SEED} {PLAYERS}")
    run = (
        "gauntlet",
        "run",
        "./one.py",
        "--against",
        "./cheat.py",
        "--game-folder",
        "folder",
        "--seeds",
        "5",
        "--jobs",
        "1",
    )
    assert "`--trusted` says that one does" in desk.refused(3, *run, "--local")
    assert "--trusted goes with --local" in desk.refused(2, "gauntlet", "run", "one", "--trusted")
    vary = ("gauntlet", "run", "./one.py", "--vary", "X=1,2", "--game-folder", "folder", "--seeds", "5")
    assert "`--trusted` says that one does" in desk.refused(3, *vary)
    done = desk.run(*run, "--local", "--trusted")
    assert (done.returncode, done.stderr) == (6, f"{UNFAIR}\n"), "one seed proves nothing"
    assert re.search(r"^cheat\.py +1 ", done.stdout, re.MULTILINE)
    desk.ok(*PLAY, "--trusted")
    assert "turn" not in desk.ok("match", "view", "play:1").partition("no pictures")[0]
    assert "late" not in desk.ok("match", "show", "play:1", "--turns"), "a table without a row"
    assert not re.search(" 0 +42 ", desk.ok("match", "list", "--local"))


def test_what_needs_lines_or_another_sandbox_is_refused(desk: Desk, here: Path) -> None:
    desk.ok(*ADD, "python3 nim.py {SEED} {PLAYERS}")
    assert "--log or --keep-worst needs the lines that were said" in desk.refused(3, *PLAY, "--trusted", "--log", "log")
    other = desk.refused(3, *PLAY, "--trusted", "--sandbox", "bubblewrap")
    assert f"nim needs the sandbox {CGROUP}, as its command starts the bots itself, and the one here is bub" in other
    assert not (here / "log").exists()
    verified = desk.refused(3, "game", "verify", "folder", "one.py")
    assert "`ladder game verify` needs the lines that were said in a match, and of nim none are stored" in verified


def test_settings_that_make_no_sense_are_one_sentence(desk: Desk, here: Path) -> None:
    desk.ok(*ADD, "python3 nim.py {SEED} {PLAYERS}")
    path = here / "folder" / "game.toml"
    head, leagues = path.read_text().split("[[leagues]]")
    for toml, why in (
        ("match_s = 301", "match_s of [referee] is 301; a match may last at most 300 s"),
        ("match_s = 0", "match_s of [referee] is 0; it must be from 1 to 1000000"),
        ("[parameters]\nx = 1", "parameters means nothing for a command that starts the bots itself"),
    ):
        path.write_text(f"{head.rstrip()}\n{toml}\n\n[[leagues]]{leagues}")
        assert why in desk.refused(2, *PLAY, "--trusted")
