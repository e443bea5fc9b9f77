"""Matches that a referee program led, looked at afterwards: what it asked, its limits, and what it said besides."""

import contextlib
import json
import shutil
from pathlib import Path

import pytest

from ladder.views.turns.watched_match import SCHEMA_FILE
from tests.acceptance.conftest import Desk, have_few_battles
from tests.referees.compiled import PYTHON
from tests.watching import GOLDEN

PICKER = """
import sys
for number, line in enumerate(sys.stdin):
    if len(line.split()) == 6:
        print("at", number, file=sys.stderr)
        print("PICK", number % 6, flush=True)
"""
"""Picks wherever it is asked: the last line of a question has the berries of six bushes."""
ADD = ("game", "add", "foragers", "--referee", "python3 -I foragers.py", "--kind", "sdk", "--players", "2-4")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    shutil.copy(PYTHON, folder)
    for name in "abc":
        (folder / f"{name}.py").write_text(PICKER)
    return folder


@pytest.fixture(autouse=True)
def stays_here(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)


@pytest.fixture(scope="module")
def played(here: Path) -> Desk:
    """A desk with a match that tests look at."""
    desk = Desk(here / "home")
    with contextlib.chdir(here):
        desk.ok(*ADD, "--param", "rounds=3", "--param", "news=1", "--to", "folder")
        desk.ok("play", "--game-folder", "folder", "a.py", "b.py", "c.py", "--seed", "42", "--log", "log", "--force")
    return desk


def test_a_match_is_shown_with_what_its_referee_sent_and_said(played: Desk) -> None:
    shown = played.json("match", "show", "play:1")
    turns = shown["said"]
    assert {turn["limit_ms"] for turn in turns} == {1000, 50}
    assert shown["referee"]["parameters"]["seed"] == "42"
    assert turns[0]["referee"]["summary"][0].startswith("$0 picked ")
    assert turns[3]["referee"]["sent"][0].startswith("NEWS ")
    text = played.ok("match", "show", "play:1", "--turns")
    assert "< what the seat was sent before it answered" in text
    for mark, words in (("<", turns[3]["referee"]["sent"][0]), ("=", turns[0]["referee"]["summary"][0])):
        assert f"       {mark}  {words}\n" in text


def test_it_is_looked_at_turn_by_turn(played: Desk, here: Path) -> None:
    replay = played.json("match", "view", "play:1")
    assert replay["fault"] == ""
    assert [seat["seat"] for seat in replay["seats"]] == [0, 1, 2]
    assert replay["turns"][0]["events"][0]["kind"] == "summary"
    assert "$0 picked" in played.ok("match", "view", "play:1")
    assert "c.py" in played.ok("match", "view", "play:1", "--turn", "3")
    played.ok("match", "view", "play:1", "--html", "match.html")
    assert (here / "match.html").read_text().count("c.py") >= 3
    assert SCHEMA_FILE.is_file()


def test_what_a_seat_was_sent_is_printed_and_logged(played: Desk, here: Path) -> None:
    for seat, name in enumerate(("a", "b", "c")):
        (log,) = (here / "log").glob(f"*/seat-{seat}-{name}.py")
        sent = played.ok("match", "input", "play:1", "--seat", str(seat))
        assert sent == (log / "in.txt").read_text()
        assert sent.count("NEWS") > 0
    assert "seat 3" in played.refused(2, "match", "input", "play:1", "--seat", "3")


def test_it_is_written_as_the_sdk_does_and_the_referee_verified_by_that(
    played: Desk, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(here / "folder", tmp_path / "folder")
    monkeypatch.chdir(tmp_path)
    file = Path("match.json")
    played.ok("match", "show", "play:1", "--runner-json", "match.json")
    assert "exists already" in played.refused(3, "match", "show", "play:1", "--runner-json", "match.json")
    written = json.loads(file.read_text())
    assert [agent["name"] for agent in written["agents"]] == ["a.py", "b.py", "c.py"]
    assert played.ok("game", "verify", "folder", "match.json") == "1 match, 1 identical\n"
    assert "unknown league of" in played.refused(2, "game", "verify", "folder", "match.json", "--league", "gold")
    assert "after the name of their game" in played.refused(2, "game", "verify", "match.json", "--league", "gold")
    leagues = "".join(f'[[leagues]]\nname = "{name}"\ntitle = "{name.title()}"\nrules_level = {level}\nbattles = 9\n'
                      for level, name in enumerate(("wood", "gold"), 1))  # fmt: skip
    own = Path("folder", "game.toml").read_text().partition("[[leagues]]")[0]
    Path("folder", "game.toml").write_text(own + leagues)
    by_highest = played.run("game", "verify", "folder", "match.json")
    assert by_highest.stderr == "by the rules of Gold; --league chooses others\n"
    by_wood = played.run("game", "verify", "folder", "match.json", "--league", "wood")
    assert (by_wood.stdout, by_wood.stderr) == ("1 match, 1 identical\n", "by the rules of Wood\n")
    file.write_text(json.dumps({**written, "scores": {"0": 1, "1": 2, "2": 3}}))
    differs = played.run("game", "verify", "folder", "match.json")
    assert differs.returncode == 1
    assert differs.stdout.startswith("match.json: scores: expected (1, 2, 3), got (")
    file.write_text("{}")
    assert "match.json is not a file of a match" in played.refused(2, "game", "verify", "folder", "match.json")
    assert "golden records are for those" in played.refused(3, "game", "verify", "ocean-of-code", "match.json")


def test_golden_records_hold_the_parameters_by_which_a_match_is_repeated(desk: Desk, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    desk.ok(*ADD, "--param", "rounds=2", "--param", "draw=1", "--to", drawn)
    table = drawn / "game.toml"
    table.write_text(f'repeated_by = "parameters"\n{table.read_text()}')
    golden = tmp_path / "golden.jsonl"
    desk.ok("game", "record", drawn, "--bot", "a.py", "--matches", "2", "-o", golden)
    assert desk.ok("game", "verify", drawn, golden) == "2 matches, 2 identical\n"
    lines = golden.read_text().splitlines()
    assert set(json.loads(lines[0])["parameters"]) >= {"seed", "secret"}
    golden.write_text("\n".join(lines).replace('"parameters": {', '"parameters": {"x": 1, '))
    assert "parameters is not an object of texts" in desk.refused(2, "game", "verify", drawn, golden)


@pytest.fixture(scope="module")
def golden_matches(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    desk = Desk(made / "home")
    with contextlib.chdir(here):
        desk.ok(*ADD, "--param", "rounds=2", "--to", made / "foragers")
        record = ("game", "record", made / "foragers", "--bot", "a.py", "--matches", "2", "-o", made / "golden.jsonl")
        desk.ok(*record)
    return made


def test_the_named_game_alone_is_verified_by_golden_records(desk: Desk, golden_matches: Path, tmp_path: Path) -> None:
    golden = golden_matches / "golden.jsonl"
    assert desk.ok("game", "verify", golden_matches / "foragers", golden) == "2 matches, 2 identical\n"
    other = tmp_path / "other"
    shutil.copytree(golden_matches / "foragers", other)
    table = other / "game.toml"
    table.write_text(table.read_text().replace('"foragers"', '"berries"'))
    for named, its_name in ((other, "berries"), ("ocean-of-code", "ocean-of-code")):
        sentence = desk.refused(2, "game", "verify", named, golden)
        assert "line 1: this is a record of foragers" in sentence
        assert f"--as foragers puts it to {its_name} all the same" in sentence
    assert desk.ok("game", "verify", other, golden, "--as", "foragers") == "2 matches, 2 identical\n"
    assert "record of foragers" in desk.refused(2, "game", "verify", other, golden, "--as", "olymbits")
    for sample, folder in (("ocean-of-code", other), ("ice-and-fire", "ocean-of-code")):
        assert "this is a record of" in desk.refused(2, "game", "verify", folder, GOLDEN / f"{sample}.jsonl.gz")
    assert "--as goes with golden records, after the name" in desk.refused(
        2, "game", "verify", golden, "--as", "foragers"
    )


def test_records_of_another_name_are_not_identical(desk: Desk, golden_matches: Path, tmp_path: Path) -> None:
    golden = golden_matches / "golden.jsonl"
    done = desk.run("game", "verify", "ocean-of-code", golden, "--as", "foragers")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "2 matches, 0 identical")
    other = tmp_path / "other"
    shutil.copytree(golden_matches / "foragers", other)
    (other / "foragers.py").write_bytes(bytes(range(256)))
    done = desk.run("game", "verify", other, golden)
    assert done.returncode != 0
    assert "2 identical" not in done.stdout


def test_a_match_of_the_ladder_is_put_to_a_fresh_referee(arena: Desk, here: Path, tmp_path: Path) -> None:
    arena.ok(*ADD, "--param", "rounds=3")
    have_few_battles(arena, "foragers", here)
    try:
        arena.ok("submit", "a.py", "--game", "foragers", "--bot", "first", "--watch")
        arena.ok("submit", "b.py", "--game", "foragers", "--bot", "second", "--watch")
        arena.ok("match", "request", "first", "second", "--game", "foragers", "--battles", "1", "--watch")
        (match, *_) = arena.json("match", "list", "--game", "foragers")
        shown = arena.json("match", "show", str(match["id"]))
        assert shown["edition"] == arena.json("game", "show", "foragers")["referee"]["files"]
        assert {turn["limit_ms"] for turn in shown["said"]} == {1000, 50}
        said = arena.ok("match", "rematch", str(match["id"]), "--recorded")
        asked = len(shown["said"])
        assert said == f"match {match['id']} goes the same way again: the same {asked} questions, and the same scores\n"
        again = arena.json("match", "rematch", str(match["id"]))
        assert again["replayed"]["turns"][0]["limit_ms"] == 1000
        assert again["parting_turn"] is None
        arena.ok("match", "show", str(match["id"]), "--runner-json", tmp_path / "match.json")
        Path("foragers").write_bytes(b"\xff, as the referee is called as the game is")
        assert arena.ok("game", "verify", "foragers", tmp_path / "match.json") == "1 match, 1 identical\n"
        words = ("match", "rematch", str(match["id"]), "--recorded", "--with", "a.py")
        assert "--recorded plays what was said then" in arena.refused(2, *words)
    finally:
        arena.ok("game", "remove", "foragers", "--keep-matches")
