"""Each turn of matches for other programs: as a table, with the states around it, and beside one's own simulation."""

import csv
import json
import re
import shlex
import sqlite3
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyarrow.parquet import read_table

from engine.games.golden import MatchRecord
from ladder.views.turns.table import COLUMNS
from tests.acceptance.conftest import Desk
from tests.ladder.rated import History
from tests.throwaway import written
from tests.unit.test_official_files import records, saved
from tests.watching import records_of

OCEAN, ICE = "ocean-of-code", "ice-and-fire"
DOCUMENT = Path(__file__).parents[2] / "docs" / "transitions.md"
KEYS = [
    *("match", "game", "league", "rules_level", "seed", "turn", "seat"),
    *("sent", "orders", "fault", "setup", "before", "after"),
]


def ended(game: str, *ends: str) -> MatchRecord:
    """Return the first recorded match that ended in one of these ways."""
    return next(record for record in records_of(game) if record.end in ends)


def a_file(path: Path, *found: MatchRecord) -> Path:
    return written(path, json.dumps([saved(one) | {"gameId": number} for number, one in enumerate(found)]))


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("game", "ends", "fault"),
    [
        (OCEAN, ("dead",), None),
        (ICE, ("hq",), None),
        (ICE, ("unrecognised",), "illegal"),
        (ICE, ("timeout",), "timeout"),
    ],
)
def test_each_turn_of_a_match_is_a_line_with_both_states(
    desk: Desk, tmp_path: Path, game: str, ends: tuple[str, ...], fault: str | None
) -> None:
    record = ended(game, *ends)
    found = lines_of(desk.ok("match", "transitions", a_file(tmp_path / "one.json", record)))
    assert list(found[0]) == KEYS
    assert [one["turn"] for one in found] == list(range(1, len(record.asks) + 1))
    for one, ask in zip(found, record.asks, strict=True):
        assert (one["seat"], one["orders"]) == (ask.seat, ask.answer)
        assert one["sent"] == [list(ask.lines) if seat == ask.seat else None for seat in (0, 1)]
    assert all(one["after"] == following["before"] for one, following in pairwise(found))
    assert [one["fault"] for one in found] == [*[None] * (len(found) - 1), fault]
    assert {one["seed"] for one in found} == {str(record.seed)}


def test_states_are_those_of_the_match_as_it_is_viewed(desk: Desk, tmp_path: Path) -> None:
    desk.ok("match", "import", a_file(tmp_path / "one.json", ended(ICE, "turns")))
    viewed = desk.json("match", "view", "official:1")
    found = lines_of(desk.ok("match", "transitions", "official:1"))
    assert found == lines_of(desk.ok("match", "transitions", "--official", "--game", ICE))
    assert [one["before"] for one in found] == [viewed["start"], *(turn["state"] for turn in viewed["turns"][:-1])]
    assert [one["after"] for one in found] == [turn["state"] for turn in viewed["turns"]]
    assert all(one["setup"] == viewed["setup"] for one in found)


def test_transitions_are_written_into_a_file_whole_or_not_at_all(desk: Desk, tmp_path: Path) -> None:
    matches, output = a_file(tmp_path / "some.json", *records(OCEAN, 3)), tmp_path / "some.ndjson"
    done = desk.run("match", "transitions", matches, "-o", output)
    found = lines_of(output.read_text())
    assert done.stderr == f"{output} holds {len(found)} transitions\n"
    assert len({one["match"] for one in found}) == 3
    assert "exists already" in desk.refused(3, "match", "transitions", matches, "-o", output)
    before = output.read_bytes()
    wrong = written(tmp_path / "wrong.json", json.dumps(saved(records(OCEAN, 1)[0]) | {"scores": [91.0, 92.0]}))
    assert "scores: expected (91, 92)" in desk.refused(2, "match", "transitions", wrong, "-o", output, "--force")
    assert output.read_bytes() == before
    files = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert files == ["some.json", "some.ndjson", "wrong.json"]
    left_out = desk.run("match", "transitions", matches, wrong, "-o", output, "--force")
    assert left_out.returncode == 0
    assert f"left out: {wrong}: " in left_out.stderr
    assert output.read_bytes() == before


def test_a_table_of_transitions_has_their_keys_as_columns_and_states_as_json(desk: Desk, tmp_path: Path) -> None:
    match = a_file(tmp_path / "one.json", records(ICE, 1)[0])
    lines = lines_of(desk.ok("match", "transitions", match))
    desk.ok("match", "transitions", match, "-o", tmp_path / "one.csv")
    desk.ok("match", "transitions", match, "-o", tmp_path / "one.parquet")
    with (tmp_path / "one.csv").open(newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    held = read_table(tmp_path / "one.parquet").to_pylist()
    assert list(held[0]) == list(rows[0]) == KEYS
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in held] == rows
    nested = ("sent", "setup", "before", "after")
    assert [row | {name: json.loads(row[name]) for name in nested} for row in held] == lines


def test_transitions_of_nothing_are_refused_in_a_sentence(desk: Desk, tmp_path: Path) -> None:
    file = written(tmp_path / "half.json", '{"frames": [')
    for words, status, sentence in (
        (["xx"], 2, "'xx' is not a match number"),
        (["official:7"], 2, "there is no match official:7"),
        (["play:1", "--game", OCEAN], 2, "play:1 and --game cannot be used together"),
        (["--local"], 3, "no match fits that has states"),
        (["--local", "--bot", "kraken"], 2, "with --local go only"),
        (["{file}"], 2, "was the file cut off?"),
        (["play:1", "-o", "{folder}/none/a.ndjson"], 2, "there is no folder"),
    ):
        filled = [word.format(file=file, folder=tmp_path) for word in words]
        assert sentence in desk.refused(status, "match", "transitions", *filled)


KNOWING = """
import json, sys
after = {}
for line in open(sys.argv[1]):
    one = json.loads(line)
    after[one["match"], one["turn"]] = one["after"]
for line in sys.stdin:
    one = json.loads(line)
    assert not one.keys() & {"after", "fault"} and one["before"]
    state = after[one["match"], one["turn"]]
    if one["turn"] in map(int, sys.argv[2:]):
        state["submarines"][1]["charge"]["mine"] += 1
    print(json.dumps(state, indent=None))
"""
"""A simulator that has looked the answers up, and is wrong in some turns."""


def simulator_that_knows(transitions: Path) -> str:
    return shlex.join([sys.executable, str(written(transitions.with_suffix(".py"), KNOWING)), str(transitions)])


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Transitions of the three matches in some.json beside them, and a simulator that knows them."""
    folder = tmp_path_factory.mktemp("known")
    matches, transitions = a_file(folder / "some.json", *records(OCEAN, 3)), folder / "known.ndjson"
    Desk(folder / "home").ok("match", "transitions", matches, "-o", transitions)
    return transitions, simulator_that_knows(transitions)


def test_a_simulation_that_is_right_agrees_everywhere(desk: Desk, known: tuple[Path, str]) -> None:
    transitions, simulator = known
    lines = lines_of(transitions.read_text())
    asked = [one for one in lines if one["orders"] is not None and one["fault"] is None]
    found = desk.json("game", "simcheck", simulator, transitions)
    assert found == {
        "matches": 3,
        "compared": len(asked),
        "differ": 0,
        "unanswered": 0,
        "left_out": len(lines) - len(asked),
        "fields": {},
        "first": None,
        "agree": len(asked),
    }
    beside = desk.ok(
        "game", "simcheck", simulator, transitions, transitions.with_name("some.json"), transitions, "--json"
    )
    assert json.loads(beside)["matches"] == 6, "a file that is named twice counts once"


def test_the_first_difference_is_shown_with_its_picture(desk: Desk, known: tuple[Path, str], tmp_path: Path) -> None:
    transitions, simulator = known
    first = lines_of(transitions.read_text())[8]
    done = desk.run("game", "simcheck", f"{simulator} 9 11", transitions)
    mine = first["after"]["submarines"][1]["charge"]["mine"]
    assert done.returncode == 1
    assert re.search(r"of 3 matches: \d+ agree, 6 differ", done.stdout)
    assert re.search(r"submarines\[\]\.charge\.mine +6", done.stdout)
    assert f"first difference: {first['match']}, turn 9, in which seat {first['seat']} said: " in done.stdout
    assert f"submarines[1].charge.mine: expected {mine}, got {mine + 1}" in done.stdout
    assert re.search(r"^ 0 .*\n 1 ", done.stdout, re.MULTILINE), "the map"
    assert "submarines · ↑→↓← their ways" in done.stdout

    desk.ok("match", "import", transitions.with_name("some.json"))
    desk.ok("match", "transitions", "official:1", "-o", tmp_path / "official.ndjson")
    simulator = simulator_that_knows(tmp_path / "official.ndjson")
    done = desk.run("game", "simcheck", f"{simulator} 9", "official:1")
    assert "`ladder match view official:1 --turn 9` shows all of it" in done.stdout
    found = json.loads(desk.run("game", "simcheck", f"{simulator} 9", "official:1", "--json").stdout)
    assert (found["differ"], found["fields"]) == (1, {"submarines[].charge.mine": 1})
    place = {"match": "official:1", "turn": 9, "seat": first["seat"], "orders": first["orders"]}
    assert found["first"] == place | {"field": "submarines[1].charge.mine", "expected": mine, "got": mine + 1}


def test_a_program_that_is_no_simulator_is_refused_in_a_sentence(desk: Desk, known: tuple[Path, str]) -> None:
    for simulator, sentence in (
        ("cat", "the simulator's answer to .*, turn 1 has no submarines: print it"),
        ("true", r"the simulator ended with exit code 0: it gave 0 of \d+ answers"),
        ("yes null", "the simulator printed more than one line"),
        ("sed s/.*/NaN/", "the simulator's answer to .*, turn 1 is not a number of JSON, but NaN"),
        ("sed s/.*/hello/", "the simulator's answer to .*, turn 1 is not JSON: hello"),
        ("./no-such-program", r"cannot run \./no-such-program: No such file"),
        ("'open", "is not a command: No closing quotation"),
        (" ", "name the command that runs your simulation"),
    ):
        assert re.match(f"ladder: .*{sentence}", desk.refused(2, "game", "simcheck", simulator, known[0])), simulator


def test_a_simulator_that_answers_nothing_has_shown_nothing(desk: Desk, known: tuple[Path, str]) -> None:
    done = desk.run("game", "simcheck", "sed s/.*/null/", known[0])
    assert (done.returncode, "0 agree, 0 differ" in done.stdout) == (1, True)


def test_what_cannot_be_checked_is_refused(desk: Desk, known: tuple[Path, str], tmp_path: Path) -> None:
    assert "name the game with --game" in desk.refused(2, "game", "simcheck", "cat")
    assert "--seed is for matches that are played now" in desk.refused(
        2, "game", "simcheck", "cat", known[0], "--seed", "1"
    )
    broken = written(tmp_path / "broken.ndjson", known[0].read_text()[:-100])
    assert re.search(r"broken\.ndjson, line \d+: it is not JSON", desk.refused(2, "game", "simcheck", known[1], broken))
    whole = lines_of(known[0].read_text())[0]
    for key, value in (("match", None), ("seed", 7), ("seed", "x"), ("turn", "1"), ("orders", 1), ("before", [])):
        wrong = written(tmp_path / "wrong.ndjson", json.dumps(whole | {key: value}, separators=(",", ":")))
        sentence = desk.refused(2, "game", "simcheck", known[1], wrong)
        assert "wrong.ndjson, line 1: it is not a transition" in sentence
        assert f"`{key}` is missing or no such thing" in sentence
    fields = ("--fields", "submarines[].cells")
    assert "no state that was compared has" in desk.refused(2, "game", "simcheck", known[1], known[0], *fields)


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_examples_of_the_document_agree_with_new_matches_of_the_bosses(desk: Desk, tmp_path: Path) -> None:
    python = written(tmp_path / "sim.py", example("python"))
    cpp, program = written(tmp_path / "sim.cpp", example("cpp")), tmp_path / "sim"
    subprocess.run(["g++", "-Wall", "-Werror", "-o", program, cpp], check=True)
    new = ("--game", OCEAN, "--matches", "1", "--seed", "3", "--json")
    cells, trails = "submarines[].cell", "submarines[].trail"
    found = json.loads(desk.ok("game", "simcheck", program, *new, "--fields", cells))
    assert (found["matches"], found["unanswered"], found["compared"] > 100) == (1, 2, True)
    again = desk.ok("game", "simcheck", f"{sys.executable} {python}", *new, "--fields", f"{cells},{trails}")
    assert json.loads(again) == found
    assert desk.json("match", "list", "--local") == [], "none is kept"


def test_of_new_matches_the_one_that_differs_first_is_kept(desk: Desk, tmp_path: Path) -> None:
    python = written(tmp_path / "sim.py", example("python"))
    new = ("--game", OCEAN, "--matches", "2", "--seed", "3", "--json")
    done = desk.run("game", "simcheck", f"{sys.executable} {python}", *new)
    first = json.loads(done.stdout)["first"]
    assert (done.returncode, first["match"]) == (1, "local:1")
    assert [one["id"] for one in desk.json("match", "list", "--local")] == ["local:1"]
    assert lines_of(desk.ok("match", "transitions", "play:1"))[first["turn"] - 1]["orders"] == first["orders"]


OF_EXPORTS = Path(__file__).parents[2] / "docs" / "export.md"


def rows_in(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_each_turn_is_a_row_with_its_bot_and_how_the_match_ended(desk: Desk, history: History, tmp_path: Path) -> None:
    file = tmp_path / "turns.csv"
    done = desk.json("export", "--turns", file)
    rows = rows_in(file)
    assert done == {"file": str(file), "matches": len(history.matches), "turns": len(rows)}
    assert list(rows[0]) == list(COLUMNS)
    assert len({row["match"] for row in rows}) == len(history.matches)
    for number in {row["match"] for row in rows}:
        shown = desk.json("match", "show", number)
        of_match = [row for row in rows if row["match"] == number]
        assert [(int(row["turn"]), int(row["seat"]), int(row["own_turn"]), row["said"]) for row in of_match] == [
            (turn["turn"], turn["seat"], turn["own_turn"], turn["line"] or "") for turn in shown["said"]
        ]
        assert [float(row["ms"]) for row in of_match] == [turn["charged_us"] / 1000 for turn in shown["said"]]
        for row in of_match:
            seat = shown["seats"][int(row["seat"])]
            assert f"{row['bot']}@v{row['version']}" == seat["version"]
            assert (row["verdict"], row["result"]) == (seat["verdict"], RESULTS[seat["result"]])
            assert (row["reason"], row["seed"], row["league"]) == (shown["reason"], str(shown["seed"]), shown["league"])


RESULTS = {"win": "won", "draw": "drawn", "loss": "lost"}


@pytest.mark.usefixtures("history")
def test_a_filter_picks_the_matches_and_parquet_holds_the_same_as_csv(desk: Desk, tmp_path: Path) -> None:
    where = ("--where", "bot = kraken and result = lost")
    some, table = tmp_path / "some.csv", tmp_path / "some.parquet"
    desk.ok("export", "--turns", some, *where)
    assert desk.ok("export", "--turns", table, *where).startswith(f"{table} holds ")
    rows = rows_in(some)
    lost = desk.json("match", "list", "--bot", "kraken", "--lost", "--limit", "100")
    assert {row["match"] for row in rows} == {str(one["id"]) for one in lost} != set()
    held = read_table(table).to_pylist()
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in held] == rows
    assert all(type(row[name]) in {kind, type(None)} for row in held for name, kind in COLUMNS.items())


def test_the_queries_of_the_document_run_on_such_a_table(desk: Desk, history: History, tmp_path: Path) -> None:
    file = tmp_path / "turns.csv"
    desk.ok("export", "--turns", file)
    rows = rows_in(file)
    database = sqlite3.connect(":memory:")
    database.execute(
        f"CREATE TABLE 'turns.parquet' ({', '.join(f'{name} {TYPES[kind]}' for name, kind in COLUMNS.items())})"
    )
    marks = ", ".join("?" * len(COLUMNS))
    database.executemany(
        f"INSERT INTO 'turns.parquet' VALUES ({marks})",  # noqa: S608
        [[None if row[name] == "" else row[name] for name in COLUMNS] for row in rows],
    )
    queries = re.findall(r"```sql\n(.*?)```", OF_EXPORTS.read_text("utf-8"), re.DOTALL)
    slowest, lost, beginnings = (database.execute(query).fetchall() for query in queries)
    turns = Counter(row["bot"] for row in rows if int(row["own_turn"]) > 1)
    assert {(bot, count) for bot, _, _, _, count in slowest} == set(turns.items())
    losses = {row["match"] for row in rows if row["bot"] == "kraken" and row["result"] == "lost"}
    assert 0 < sum(count for _, count, _ in lost) <= len(losses) <= len(history.matches)
    assert sum(times for _, _, times in beginnings) == sum(row["own_turn"] == "2" for row in rows)


TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}


@pytest.mark.usefixtures("history")
def test_a_table_that_cannot_be_written_is_refused_in_a_sentence(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "there.csv").write_text("mine")
    for words, status, sentence in (
        ((), 2, "name a new folder or file for the whole ladder, or with --turns one for all turns"),
        (("{folder}/all", "--turns", "{folder}/a.csv"), 2, "name a new folder or file for the whole ladder"),
        (("{folder}/all", "--where", "bot = kraken"), 2, "--where goes with --turns"),
        (("--turns", "{folder}/a.xls"), 2, "has to end in .csv or .parquet"),
        (("--turns", "{folder}/a.csv", "--where", "bot = nobody"), 2, "nobody"),
        (("--turns", "{folder}/a.csv", "--where", "bott = kraken"), 2, "bott"),
        (("--turns", "{folder}/there.csv"), 3, "exists already"),
        (("--turns", "{folder}/none/a.csv"), 2, "there is no folder"),
    ):
        assert sentence in desk.refused(status, "export", *(word.format(folder=tmp_path) for word in words))
        assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["there.csv"]
        assert (tmp_path / "there.csv").read_text() == "mine"


def test_without_pyarrow_it_says_what_to_install(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.views.encoding.find_spec", lambda _: None)
    needs = r"Parquet needs the package pyarrow, which is not installed: sh .*setup\.sh parquet$"
    for words in (("export", "--turns"), ("match", "transitions", "--local", "-o")):
        assert re.search(needs, desk.refused(5, *words, tmp_path / "a.parquet"))


def test_what_is_played_here_is_printed_as_csv_alone(desk: Desk, nonsense: Path) -> None:
    words = ("play", "ocean-of-code", nonsense, "boss-wood-2", "--seeds", "7,8", "--jobs", "1")
    rows = list(csv.DictReader(desk.ok(*words, "--csv").splitlines()))
    as_json = desk.json(*words)
    assert [(row["seed"], row["bot_0"], row["bot_1"]) for row in rows] == [
        (str(one["spec"]["seed"]), *one["bots"]) for one in as_json
    ]
    assert [(row["score_0"], row["score_1"]) for row in rows] == [
        tuple(map(str, one["outcome"]["scores"])) for one in as_json
    ]
    assert [row["match"] for row in rows] == ["local:1", "local:2", "local:3", "local:4"]
    assert {row["reason"] for row in rows} == {"illegal"}
    assert {(row["points"], row["turns"]) for row in rows} == {("0.0", "2")}
    verdicts = {row[f"verdict_{seat}"] for row in rows for seat in (0, 1) if row[f"bot_{seat}"] == "nonsense.py"}
    assert verdicts == {"illegal"}
    assert all(float(row["slowest_ms_0"]) >= 0 for row in rows)
    for other, sentence in (("--json", "choose one"), ("--view", "leave one"), ("--worse-only", "rows")):
        assert sentence in desk.refused(2, *words, "--csv", other)
