"""`ladder game`: rules, maps and recorded matches."""

import gzip
import json
from pathlib import Path

from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.throwaway import written
from tests.watching import GOLDEN

SAMPLE = GOLDEN / "ocean-of-code.jsonl.gz"


def test_the_games_are_listed_with_their_leagues(desk: Desk) -> None:
    assert "Wood 2, Wood 1, Bronze, Silver, Gold, Legend" in desk.ok("game", "list")
    rows = desk.json("game", "list")
    assert [row["game"] for row in rows] == list(GAMES.names)


def test_the_rules_are_shown_per_league(desk: Desk) -> None:
    wood, legend = (desk.ok("game", "show", "ocean-of-code", "--league", name) for name in ("wood-2", "legend"))
    assert "TORPEDO" in wood
    assert "TRIGGER" not in wood
    assert "TRIGGER" in legend
    assert "TRIGGER" not in desk.ok("game", "show", "ocean-of-code")


def test_the_map_of_a_seed_is_drawn_and_given_as_json(desk: Desk) -> None:
    drawn = desk.ok("game", "map", "ocean-of-code", "--seed", "-1").splitlines()
    told = desk.json("game", "map", "ocean-of-code", "--seed", "-1")
    assert drawn == told["map"]
    assert drawn[0] == "..........xx..."


def test_a_seed_that_is_no_64_bit_number_is_refused(desk: Desk) -> None:
    for seed, sentence in (
        ("9223372036854775808", "the seed 9223372036854775808 is not a signed 64-bit number"),
        ("1.5", "'--seed' / '-s': it should be a whole number"),
        ("abc", "'--seed' / '-s': it should be a whole number"),
    ):
        assert sentence in desk.refused(2, "game", "map", "ocean-of-code", "--seed", seed)


def test_all_records_of_the_sample_are_identical(desk: Desk) -> None:
    told = desk.ok("game", "verify", SAMPLE, GOLDEN / "ocean-of-code-maps.jsonl.gz")
    assert told == "454 matches and 60 maps, 514 identical\n"


def test_the_first_difference_of_each_match_is_shown(desk: Desk, tmp_path: Path) -> None:
    """With the file's name as it is, though it would mean something where brackets and colons do."""
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in (next(file), next(file))]
    records[1]["asks"][2][1][0] = "1 2 3"
    changed = written(
        tmp_path / "[red]changed[red] :bomb:.jsonl", "".join(json.dumps(record) + "\n" for record in records)
    )
    done = desk.run("game", "verify", changed)
    assert done.returncode == 1
    assert "2 matches, 1 identical" in done.stdout
    assert f"{changed}: line 2: ask 3" in done.stdout
    assert "1 2 3" in done.stdout


def test_files_that_cannot_be_read_are_named_and_the_rest_is_checked(desk: Desk, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(SAMPLE.read_bytes()[:1000])
    plain = written(tmp_path / "plain.jsonl.gz", "not gzip")
    words = written(tmp_path / "words.jsonl", "not json\n")
    foreign = written(tmp_path / "foreign.jsonl", json.dumps({"game": "chess", "seed": 1, "map": []}) + "\n")
    done = desk.run("game", "verify", cut, plain, words, foreign, tmp_path / "missing", SAMPLE)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for path in (cut, plain, words, tmp_path / "missing"):
        assert str(path) in done.stderr
    assert f"{foreign}: line 1: unknown game 'chess'" in done.stdout
    assert "454 matches and 1 maps, 454 identical" in done.stdout
