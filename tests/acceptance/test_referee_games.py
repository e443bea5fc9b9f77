"""`ladder game add | list | show | update | remove`, and `ladder play --game-folder`: games with a referee program."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.boxes import CGROUP
from engine.conversation import UNFAIR
from engine.referees.program import ProgramBounds
from tests.acceptance.conftest import Desk
from tests.referees.cgroups import NIM
from tests.referees.compiled import PYTHON, compile_java, referees

WAITER = """
import sys
while True:
    line = sys.stdin.readline()
    if not line:
        break
    print("WAIT", flush=True)
"""
ADD = ("game", "add", "tron", "--referee", "./referee.py")
ONE_GAME = ("--kind", "sdk", "--players", "2")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a referee and a bot that waits for berries that nobody brings."""
    folder = tmp_path / "here"
    folder.mkdir()
    shutil.copy(PYTHON, folder / "foragers.py")
    (folder / "referee.py").write_text("#!/usr/bin/env python3\n" + PYTHON.read_text())
    (folder / "referee.py").chmod(0o755)
    (folder / "waiter.py").write_text(WAITER)
    (folder / "rules.md").write_text("# Pick berries\n")
    monkeypatch.chdir(folder)
    return folder


def test_a_folder_is_written_and_played_without_any_service(desk: Desk, here: Path) -> None:
    said = desk.ok(*ADD[:3], "--referee", "python3 foragers.py", *ONE_GAME, "--param", "rounds=3", "--to", "folder")
    assert said == "folder: tron, for 2 players, by rules level 19; nothing was added to a ladder\n"
    assert {path.name for path in (here / "folder").iterdir()} == {"game.toml", "foragers.py"}
    played = desk.ok("play", "--game-folder", "folder", "waiter.py", "./waiter.py", "--seed", "42", "--json")
    (match,) = json.loads(played)
    assert (match["spec"]["game"], match["spec"]["seed"]) == ("tron", 42)
    assert match["spec"]["first_limit_ms"] is None, "the referee says its limits itself"
    again = desk.ok("play", "tron", "waiter.py", "./waiter.py", "--seed", "42", "--json", "--game-folder", "folder")
    assert json.loads(again)[0]["outcome"] == match["outcome"]


def test_what_cannot_be_added_is_refused_in_one_sentence(desk: Desk, here: Path) -> None:
    with (here / "huge").open("wb") as huge:
        huge.truncate(65 * 2**20)
    with ZipFile(here / "a.jar", "w") as jar:
        jar.writestr("Other.class", b"")
    for status, words, why in (
        (
            2,
            ("game", "add", "tron", "--referee", "true", "--players", "2"),
            "say by --kind which protocol the referee speaks, for it asks nothing; sent INIT: ",
        ),
        (
            2,
            ("game", "add", "tron", "--referee", "./referee.py {PLAYERS}", "--players", "2"),
            "it starts them itself: say --kind command",
        ),
        (2, (*ADD, "--kind", "sdk"), "--players is missing"),
        (2, (*ADD, "--kind", "sdk", "--players", "1"), "--players 1: a game has from 2 to 8 players"),
        (2, (*ADD, "--kind", "sdk", "--players", "9"), "--players 9: a game has from 2 to 8 players"),
        (2, (*ADD, "--kind", "sdk", "--players", "2-9"), "--players 2-9: a game has from 2 to 8 players"),
        (
            2,
            (*ADD, "--kind", "brutaltester", "--players", "2-4"),
            "--fault-line is missing: with more than two players",
        ),
        (
            2,
            (*ADD, "--kind", "command", "--players", "2"),
            "command of [referee] names no bot: {PLAYERS} or %ALL_PLAYERS%",
        ),
        (2, ("game", "add", "Tron!", *ADD[3:], *ONE_GAME), "'Tron!' cannot name a game"),
        (2, ("game", "add", "tron", *ONE_GAME), "--referee is missing"),
        (2, ("game", "add", "tron", "--referee", "", *ONE_GAME), "the referee's command is empty"),
        (
            2,
            ("game", "add", "tron", "--referee", "./trom", *ONE_GAME),
            "begins with ./trom, which is neither a file here",
        ),
        (2, ("game", "add", "tron", "--referee", "./rules.md", *ONE_GAME), "rules.md may not be run: `chmod +x "),
        (2, (*ADD, *ONE_GAME, "--file", "maps"), "--file maps: no such file is there"),
        (2, (*ADD, *ONE_GAME, "--param", "x"), "--param x: it must be key=value"),
        (2, (*ADD, *ONE_GAME, "--first-limit", "9"), "--first-limit and --turn-limit go together"),
        (2, (*ADD, *ONE_GAME, "--game-folder", "."), "--game-folder cannot be used with options that say"),
        (2, ("game", "add", "tron", "--game-folder", "nowhere"), "nowhere/game.toml cannot be read"),
        (2, (*ADD, *ONE_GAME, "--file", "huge"), "have 65.0 MB in all; the limit is 64 MB"),
        (2, ("game", "add", "tron", "--referee", "java -jar no.jar", *ONE_GAME), "the jar no.jar, and no such file is"),
        (
            2,
            ("game", "add", "tron", "--referee", "java -jar a.jar", *ONE_GAME),
            "this jar does not speak the protocol of the SDK: ... the older protocol is added with --kind brutaltester",
        ),
        (2, (*ADD, *ONE_GAME, "--to", "."), ". is there already, and is not an empty folder"),
        (4, (*ADD, *ONE_GAME), "no services run for"),
        (2, ("game", "update", "tron", "--players", "3"), "unknown game 'tron'; known: ocean-of-code, ice-and-fire"),
        (2, ("game", "update", "ocean-of-code", "--players", "3"), "the rules of ocean-of-code are in Python"),
        (4, ("game", "remove", "tron"), "no services run for"),
    ):
        sentence = desk.refused(status, *words)
        assert all(part in sentence for part in why.split(" ... ")), sentence
        assert len(sentence.splitlines()) == 1


def test_a_referee_in_java_is_refused_where_no_java_is(desk: Desk, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    with ZipFile(here / "a.jar", "w") as jar:
        jar.writestr("com/codingame/gameengine/core/RefereeMain.class", b"")
    words = ("game", "add", "tron", "--referee", "java -jar a.jar", "--players", "2")
    assert "this referee needs Java, which is not installed here" in desk.refused(5, *words)


def test_a_key_that_is_not_known_is_named_with_its_file(desk: Desk, here: Path) -> None:
    desk.ok(*ADD, *ONE_GAME, "--to", "folder")
    toml = here / "folder" / "game.toml"
    toml.write_text("colour = 1\n" + toml.read_text())
    for words in (("game", "add", "tron", "--game-folder", "folder"), ("play", "--game-folder", "folder", "a", "b")):
        assert "folder/game.toml: colour is not a known key; known: " in desk.refused(2, *words)


@pytest.fixture
def tron(arena: Desk, here: Path) -> Iterator[Desk]:
    words = ("--file", "rules.md", "--statement", "rules.md", "--title", "Tron 2", "--param", "rounds=3")
    said = arena.ok(*ADD, "--kind", "sdk", "--players", "2-4", *words)
    assert said.startswith("tron is added: for 2 or 3 or 4 players, by rules level 19; files ")
    yield arena
    arena.ok("game", "remove", "tron", "--keep-matches")


def test_a_game_is_added_shown_changed_and_removed(tron: Desk, here: Path) -> None:
    assert "tron: Tron 2; Arena; 2 to 4 players; its referee is a program (sdk)" in tron.ok("game", "list")
    shown = tron.ok("game", "show", "tron")
    for words in ("command     ./referee.py", "parameters  rounds=3", "rules       Arena by level 19", "Pick berries"):
        assert words in shown
    before = tron.json("game", "show", "tron")
    assert before["players"] == [2, 3, 4]
    assert (before["referee"]["kind"], before["referee"]["parameters"]) == ("sdk", {"rounds": "3"})
    assert "there is a game tron already" in tron.refused(3, *ADD, *ONE_GAME)
    assert "nothing to change was said" in tron.refused(2, "game", "update", "tron")
    (here / "second.py").write_bytes((here / "referee.py").read_bytes() + b"# changed\n")
    (here / "second.py").chmod(0o755)
    said = tron.ok("game", "update", "tron", "--referee", "./second.py", "--players", "2", "--param", "bushes=9")
    assert said.startswith("tron is changed: files ")
    after = tron.json("game", "show", "tron")
    assert after["referee"]["command"] == "./second.py"
    assert after["referee"]["parameters"] == {"rounds": "3", "bushes": "9"}
    assert after["players"] == [2]
    assert after["referee"]["files"] != before["referee"]["files"]
    assert "game add" in tron.ok("deeds")
    assert "tron" in tron.ok("league", "list", "--game", "tron")


def test_a_game_that_is_gone_is_no_game(arena: Desk, here: Path) -> None:
    arena.ok("game", "add", "gone", "--referee", "./referee.py", *ONE_GAME)
    assert "ladder game show gone --league arena" not in arena.ok("game", "show", "gone")
    assert arena.ok("game", "remove", "gone") == "gone is removed\n"
    assert "unknown game 'gone'" in arena.refused(2, "game", "show", "gone")


def test_a_jar_of_the_sdk_is_known_by_its_class(desk: Desk, here: Path) -> None:
    shutil.copy(referees() / "foragers.jar", here)
    desk.ok("game", "add", "jar", "--referee", "java -jar foragers.jar", "--players", "2-4", "--to", "folder")
    text = (here / "folder" / "game.toml").read_text()
    assert 'kind = "sdk"' in text
    assert 'needs = ["java"]' in text


BEFORE_THE_SDK = """
import java.util.Scanner;

public class Referee {
    static Scanner in = new Scanner(System.in);

    static void heard() {
        while (!in.nextLine().startsWith("[[GET_GAME_INFO")) { }
    }

    public static void main(String[] words) {
        heard();
        for (int turn = 0; turn < 4; turn++) {
            System.out.println("[[NEXT_PLAYER_INPUT] 1]\\n" + turn);
            System.out.println("[[NEXT_PLAYER_INFO] 3]\\n" + turn % 2 + "\\n1\\n1000");
            heard();
        }
        System.out.println("[[SCORES] 2]\\n0 1\\n1 2");
    }
}
"""
WITH_LINES = """
import java.util.Scanner;

public class Referee {
    public static void main(String[] words) {
        Scanner in = new Scanner(System.in);
        while (!in.nextLine().startsWith("###Start")) { }
        for (int turn = 0; turn < 4; turn++) {
            System.out.println("###Input " + turn % 2 + "\\n" + turn + "\\n###Output " + turn % 2 + " 1");
            in.nextLine();
        }
        System.out.println("###End 1 0");
    }
}
"""


def jar_in(folder: Path, source: str, scratch: Path) -> None:
    (scratch / "Referee.java").write_text(source)
    compile_java([scratch / "Referee.java"], scratch / "classes")
    with ZipFile(folder / "old.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: Referee\r\n\r\n")
        jar.write(scratch / "classes" / "Referee.class", "Referee.class")


def test_a_jar_from_before_the_sdk_is_started_by_its_own_main_class(desk: Desk, here: Path, tmp_path: Path) -> None:
    jar_in(here, BEFORE_THE_SDK, tmp_path)
    for more, folder in (((), "folder"), (("--kind", "sdk"), "said")):
        done = desk.run("game", "add", "old", "--referee", "java -jar old.jar", "--players", "2", *more, "--to", folder)
        assert done.returncode == 0, done.stderr
        assert ("its referee speaks sdk: it asks when it is sent INIT" in done.stderr) == (not more)
        assert 'kind = "sdk"' in (here / folder / "game.toml").read_text()
    played = desk.ok("play", "--game-folder", "folder", "waiter.py", "./waiter.py", "--seed", "42", "--json")
    assert json.loads(played)[0]["outcome"]["scores"] == [1, 2]
    desk.ok("game", "check", "folder", "--bots", "waiter.py", "--seeds", "2")


def test_which_protocol_a_referee_speaks_is_tried_and_said(
    desk: Desk, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.referees.edition.read_bounds", lambda _: ProgramBounds(first_question_s=3))
    jar_in(here, WITH_LINES, tmp_path)
    add = ("game", "add", "tron", "--players", "2", "--referee")
    for number, (command, kind, first) in enumerate(
        (
            ("java -jar old.jar", "brutaltester", "###Start"),
            ("python3 foragers.py", "sdk", "INIT"),
            ("./foragers", "brutaltester", "###Start"),
        )
    ):
        shutil.copy(referees() / "foragers", here)
        done = desk.run(*add, command, "--to", f"folder-{number}")
        assert done.returncode == 0, done.stderr
        assert f"its referee speaks {kind}: it asks when it is sent {first}\n" in done.stderr
        assert f'kind = "{kind}"' in (here / f"folder-{number}" / "game.toml").read_text()
    done = desk.run(*add, "./foragers", "--players", "2-3")
    assert (done.returncode, "--fault-line is missing" in done.stderr) == (2, True)
    assert "added with --kind brutaltester" in desk.refused(2, *add, "java -jar old.jar", "--kind", "sdk")


def test_a_folder_is_checked_and_says_then_what_was_found(desk: Desk, here: Path) -> None:
    desk.ok(*ADD[:3], "--referee", "python3 foragers.py", *ONE_GAME, "--param", "rounds=2", "--to", "folder")
    toml = here / "folder" / "game.toml"
    toml.write_text("# mine\n" + toml.read_text())
    begun = desk.ok("game", "check", "folder")
    assert "unproven  repeated: the same seed begins the same match; whether it goes on so takes bots to see" in begun
    found = desk.json("game", "check", "folder", "--bots", "waiter.py", "--seeds", "2")
    assert (found["game"], found["is_sound"]) == ("tron", True)
    assert {finding["about"]: finding["proof"] for finding in found["findings"]}["repeated"] == "shown"
    assert toml.read_text().startswith("# mine\n")
    assert "checked = true\n" in toml.read_text()
    assert "say --bots before" in desk.refused(2, "game", "check", "folder", "waiter.py")
    assert "name at least one bot" in desk.refused(2, "game", "check", "folder", "--bots")


def test_a_game_is_checked_before_it_is_added(desk: Desk, here: Path) -> None:
    words = ("game", "add", "tron", "waiter.py", "--check", "--referee", "python3 foragers.py", *ONE_GAME)
    said = desk.ok(*words, "--param", "rounds=2", "--to", "folder")
    assert "shown     players: it leads matches of 2 players" in said
    assert "repeatable = true" in (here / "folder" / "game.toml").read_text()
    broken = desk.refused(2, *words, "--param", "bushes=many", "--to", "other")
    assert "tron was not added: no match can be played: " in broken
    assert not (here / "other").exists()


def test_what_takes_repeated_matches_is_refused_where_there_are_none(desk: Desk, here: Path) -> None:
    desk.ok(*ADD[:3], "--referee", "python3 foragers.py", *ONE_GAME, "--param", "chaos=1", "--to", "folder")
    said = desk.ok("game", "check", "folder", "--bots", "waiter.py", "--seeds", "2")
    assert "shown     repeated: no match can be repeated (question " in said
    played = ("play", "--game-folder", "folder", "waiter.py", "./waiter.py", "--seeds", "1..2")
    refused = desk.refused(3, *played, "--worse-only")
    assert "--worse-only needs matches that can be repeated, and those of tron cannot" in refused
    for words in (("--against", "./waiter.py", "--seeds", "1..2", "--local"), ("--vary", "X=1,2", "--pairs", "2")):
        refused = desk.refused(3, "gauntlet", "run", "./waiter.py", *words, "--game-folder", "folder")
        assert "a comparison on common seeds needs matches that can be repeated" in refused


BOT = "while True: input(); print({}, flush=True)\n"
ADD_NIM = ("game", "add", "nim", "--kind", "command", "--players", "2", "--to", "folder", "--referee")
PLAY_NIM = ("play", "--game-folder", "folder", "one.py", "cheat.py", "--seed", "42")


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "nim"
    folder.mkdir()
    shutil.copy(NIM, folder)
    (folder / "one.py").write_text(BOT.format(1))
    (folder / "cheat.py").write_text(BOT.format(9))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.takes_cgroup
def test_a_game_is_added_shown_and_played_by_an_explicit_word(desk: Desk, nim: Path) -> None:
    desk.ok(*ADD_NIM, "python3 nim.py {SEED} {PLAYERS}")
    assert f"nim is played only with bots that one trusts ({UNFAIR}): `--trusted` says" in desk.refused(3, *PLAY_NIM)
    said = desk.ok(*PLAY_NIM, "--trusted")
    assert "one.py beats cheat.py (fault of unknown kind, seed 42)" in said
    assert UNFAIR in said
    (match,) = desk.json(*PLAY_NIM, "--trusted")
    assert (match["caution"], match["turns"]) == (UNFAIR, [])
    assert json.loads(desk.ok("match", "show", "play:1", "--json"))["caution"] == UNFAIR
    assert f"sandbox {CGROUP}; {UNFAIR}" in desk.ok("match", "show", "play:1")


@pytest.mark.takes_cgroup
def test_a_gauntlet_of_files_and_lists_of_what_was_played(desk: Desk, nim: Path) -> None:
    desk.ok(*ADD_NIM, "python3 nim.py {SEED} {PLAYERS}")
    words = ("./one.py", "--against", "./cheat.py", "--game-folder", "folder", "--seeds", "5", "--jobs", "1")
    run = ("gauntlet", "run", *words)
    assert "`--trusted` says that one does" in desk.refused(3, *run, "--local")
    assert "--trusted goes with --local" in desk.refused(2, "gauntlet", "run", "one", "--trusted")
    vary = ("gauntlet", "run", "./one.py", "--vary", "X=1,2", "--game-folder", "folder", "--seeds", "5")
    assert "`--trusted` says that one does" in desk.refused(3, *vary)
    done = desk.run(*run, "--local", "--trusted")
    assert (done.returncode, done.stderr) == (6, f"{UNFAIR}\n"), "one seed proves nothing"
    assert re.search(r"^cheat\.py +1 ", done.stdout, re.MULTILINE)
    desk.ok(*PLAY_NIM, "--trusted")
    assert "turn" not in desk.ok("match", "view", "play:1").partition("no pictures")[0]
    assert "late" not in desk.ok("match", "show", "play:1", "--turns"), "a table without a row"
    assert not re.search(" 0 +42 ", desk.ok("match", "list", "--local"))


def test_what_needs_lines_or_another_sandbox_is_refused(desk: Desk, nim: Path) -> None:
    desk.ok(*ADD_NIM, "python3 nim.py {SEED} {PLAYERS}")
    assert "--log or --keep-worst needs the lines that were said" in desk.refused(
        3, *PLAY_NIM, "--trusted", "--log", "log"
    )
    other = desk.refused(3, *PLAY_NIM, "--trusted", "--sandbox", "bubblewrap")
    assert f"nim needs the sandbox {CGROUP}, as its command starts the bots itself, and the one here is bub" in other
    assert not (nim / "log").exists()
    verified = desk.refused(3, "game", "verify", "folder", "one.py")
    assert "`ladder game verify` needs the lines that were said in a match, and of nim none are stored" in verified


def test_settings_that_make_no_sense_are_one_sentence(desk: Desk, nim: Path) -> None:
    desk.ok(*ADD_NIM, "python3 nim.py {SEED} {PLAYERS}")
    path = nim / "folder" / "game.toml"
    head, leagues = path.read_text().split("[[leagues]]")
    for toml, why in (
        ("match_s = 301", "match_s of [referee] is 301; a match may last at most 300 s"),
        ("match_s = 0", "match_s of [referee] is 0; it must be from 1 to 1000000"),
        ("[parameters]\nx = 1", "parameters means nothing for a command that starts the bots itself"),
    ):
        path.write_text(f"{head.rstrip()}\n{toml}\n\n[[leagues]]{leagues}")
        assert why in desk.refused(2, *PLAY_NIM, "--trusted")
