"""All turns of a ladder as a table for other programs, and what `ladder play` plays."""

import csv
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from ladder.views.turns.table import COLUMNS
from tests.acceptance.conftest import Desk
from tests.ladder.rated import History

GAME = "ocean-of-code"
DOCUMENT = Path(__file__).parents[2] / "docs" / "export.md"


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
    queries = re.findall(r"```sql\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
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


def test_without_pyarrow_a_sentence_says_what_to_install(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.views.encoding.find_spec", lambda _: None)
    needs = r"Parquet needs the package pyarrow, which is not installed: sh .*setup\.sh parquet$"
    for words in (("export", "--turns"), ("match", "transitions", "--local", "-o")):
        assert re.search(needs, desk.refused(5, *words, tmp_path / "a.parquet"))


def test_what_is_played_here_is_printed_as_csv_alone(desk: Desk, nonsense: Path) -> None:
    words = ("play", GAME, nonsense, "boss-wood-2", "--seeds", "7,8", "--jobs", "1")
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
