"""`ladder export` and `ladder import`: a ladder goes into files and comes back equal, or nothing happens at all."""

import filecmp
import hashlib
import json
import re
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from engine.toolchains.source import read_folder
from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.database.connection import Pool, transaction
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission
from ladder.ids import VersionId
from ladder.transfer.manifest import FORMER_SEQUENCES
from tests.acceptance.conftest import NO_BROKER, Desk
from tests.catalogue import GAMES
from tests.conftest import cloned, opened
from tests.fakes import RememberingQueue
from tests.foreign import a_psyleague_folder
from tests.ladder.arena import GAME, a_pair, claimed, on_the_board
from tests.ladder.rated import a_history, change, play
from tests.patience import wait_until
from workers.embedded.state_file import Running

PLAYER = "kim"


def desk_of(home: Path, services: Running, name: str) -> Desk:
    url = services.database_url.replace("/ladder?", f"/{name}?")
    return Desk(home, {"LADDER_DATABASE_URL": url, **NO_BROKER, "LADDER_PLAYER": PLAYER})


@pytest.fixture
def new_desk(tmp_path: Path, services: Running) -> Iterator[Desk]:
    with cloned(services, "ladder") as name:
        yield desk_of(tmp_path / "new", services, name)


@pytest.fixture(scope="module")
def full(services: Running, with_bosses: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A ladder with something in each table, which tests leave as it is."""
    folder = tmp_path_factory.mktemp("full")
    with cloned(services, with_bosses) as name, opened(services, name) as pool:
        desk = desk_of(folder / "home", services, name)
        do_everything(desk, pool, folder)
        yield desk


def do_everything(desk: Desk, pool: Pool, folder: Path) -> None:
    a_history(pool, battles=12, names=("kraken", "orca", "eel", "squid"))
    on_the_board(pool, "kraken", "print('ö\\n\\t[\"]')", leaves_rival=True)
    change(pool, 'UPDATE seats SET stderr = E\'odd \\u2028 "words"\\n\\r\\t[x]\', metrics = \'{"depth": "7"}\'')
    (folder / "kraken.py").write_bytes("print('ö')\r\n# no line end".encode())
    words = ("submit", folder / "kraken.py", "--game", GAME, "--note", "new eval", "--param", "DEPTH=6")
    desk.ok(*words)
    (folder / "many").mkdir()
    (folder / "many" / "ladder.toml").write_text('language = "python"\nrun = "python3 kraken.py"\n')
    (folder / "many" / "kraken.py").write_text("import depth")
    (folder / "many" / "depth.py").write_text("DEPTH = 6")
    submitted = Submission(GAME, "kraken", read_folder(folder / "many"), "python")
    submit(Actor("kim"), pool, RememberingQueue(), submitted)
    (folder / "contest").mkdir()
    desk.ok("import", "psyleague", a_psyleague_folder(folder / "contest"), "--game", GAME)
    desk.ok("game", "add", "tron", "--game-folder", a_game(folder), "--player", "olga")
    desk.ok("season", "close", GAME, "--yes", "--now")
    desk.ok("season", "plan", GAME, "--submit-until", "2999-01-01", "--series", "2")
    desk.ok("bot", "rename", "eel", "moray")
    desk.ok("bot", "retire", "moray")
    desk.ok("bot", "disqualify", "squid", "--why", "a copy")
    desk.ok("match", "request", "kraken", "orca", "--battles", "3", "--seed", "5")
    desk.ok("gauntlet", "run", "kraken@v2", "--against", "kraken@v1,orca", "--pairs", "2", "--detach")
    desk.ok("gauntlet", "auto", "kraken", "--pairs", "5")
    desk.ok("gauntlet", "run", "kraken@v2", "--vary", "DEPTH=6,8", "--pairs", "2", "--detach")
    desk.ok("tune", "run", "kraken@v2", "--param", "DEPTH=4..8", "--pairs", "20", "--detach")
    schedule(pool, RememberingQueue(), Random(1), GAMES)
    desk.ok("gauntlet", "stop", "1")
    desk.ok("gauntlet", "stop", "2")
    desk.ok("tune", "stop", "3")
    change(
        pool,
        "UPDATE tune_pairs SET counted = 1, places = '{0.4}', points = '{0.75,0.25}', timeouts = '{0,1}', "
        "faults = '{0,0}', are_alike = false WHERE number = 0",
    )
    running, failed = a_pair(pool, VersionId(1), VersionId(2))
    claimed(pool, running)
    change(pool, "INSERT INTO moves (version_id, from_league, to_league) VALUES (2, 2, 1)")
    change(pool, "INSERT INTO quotas (player_id, tokens) VALUES (NULL, 5)")
    change(pool, "INSERT INTO usage (player_id, hour, cpu_us, matches) VALUES (1, '2020-02-03 04:00Z', 5, 6)")
    change(pool, "INSERT INTO game_locks (game, why, by) VALUES ('tron', 'final', 'olga')")
    change(pool, "INSERT INTO contest_players VALUES ('ocean-of-code', 2, 1, 'Kim', '7b', 'k@x', '9')")
    change(pool, "INSERT INTO board_freezes (game, frozen_from, frozen_by) VALUES (%s, '2999-01-01', 'olga')", GAME)
    change(pool, "INSERT INTO clarifications (asked_by, question) VALUES ('kim', 'Why?')")
    change(pool, "INSERT INTO frozen_standings SELECT * FROM standings LIMIT 1")
    change(pool, "INSERT INTO failed_attempts (match_id, attempt, why) VALUES (%s, 1, 'lost')", failed)


def a_game(folder: Path) -> Path:
    path = folder / "tron"
    path.mkdir()
    (path / "referee.sh").write_text("#!/bin/sh\nexit 1\n")
    (path / "referee.sh").chmod(0o755)
    (path / "game.toml").write_text(
        'name = "tron"\ntitle = "Tron"\nplayers = [2]\ndraw_probability = 0.1\n'
        '[referee]\nkind = "sdk"\ncommand = "./referee.sh"\nfiles = ["referee.sh"]\n'
    )
    return path


LOOKS = [
    ("board", "--json"),
    ("bot", "list", "--all", "--json"),
    ("bot", "show", "kraken", "--json"),
    ("bot", "source", "kraken@v3"),
    ("bot", "source", "kraken@v4", "--json"),
    ("bot", "show", "eel", "--json"),
    ("match", "list", "--limit", "100", "--json"),
    ("match", "show", "3", "--json"),
    ("match", "show", "3", "--turns"),
    ("match", "requests", "--all", "--json"),
    ("gauntlet", "list", "--json"),
    ("gauntlet", "show", "1", "--json"),
    ("gauntlet", "show", "2", "--json"),
    ("gauntlet", "auto", "--json"),
    ("tune", "show", "3", "--json"),
    ("season", "show", GAME, "1", "--json"),
    ("season", "show", GAME, "--json"),
    ("league", "show", GAME),
    ("deeds", "--json"),
    ("rating", "verify"),
]
"""What is seen of a ladder."""


def test_a_ladder_comes_back_equal_from_a_folder(full: Desk, new_desk: Desk, tmp_path: Path) -> None:
    folder, again = tmp_path / "one", tmp_path / "two"
    assert full.ok("export", folder).startswith(f"{folder} holds ")
    empty = [file.name for file in folder.glob("*.jsonl") if not file.stat().st_size]
    assert empty == [], "every table has a row"
    assert "this ladder has " in new_desk.ok("import", folder)
    for words in LOOKS:
        assert new_desk.ok(*words) == full.ok(*words), words
    assert "every number is reproduced" in new_desk.ok("rating", "verify")
    new_desk.ok("export", again)
    assert files_in(again) == files_in(folder)
    new_desk.ok("bot", "reinstate", "squid")
    assert "every number is reproduced" in new_desk.ok("rating", "verify")


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_tar_file_holds_the_same(full: Desk, new_desk: Desk, tmp_path: Path) -> None:
    one, two, folder = tmp_path / "one.tar", tmp_path / "two.tar", tmp_path / "one"
    exported = full.json("export", one)
    full.ok("export", folder)
    with tarfile.open(one) as tar:
        tar.extractall(tmp_path / "out", filter="data")
    assert files_in(tmp_path / "out") == files_in(folder)
    assert new_desk.json("import", one) == exported
    new_desk.ok("export", two)
    assert filecmp.cmp(one, two, shallow=False)
    assert {path.stat().st_mode & 0o077 for path in (one, folder)} == {0}, "they hold everybody's sources"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_into_a_ladder_in_use_nothing_is_imported(full: Desk, tmp_path: Path) -> None:
    full.ok("export", tmp_path / "one")
    before = full.ok("board", "--json")
    told = full.refused(2, "import", tmp_path / "one")
    assert re.search(r"this ladder has bots of players, game files, [a-z, ]+ and [a-z ]+ already: ", told)
    assert "import into a new one" in told
    assert full.ok("board", "--json") == before
    assert "exists already" in full.refused(3, "export", tmp_path / "one")
    assert "cannot write" in full.refused(2, "export", tmp_path / "no" / "folder")


def edit(folder: Path, name: str, old: str, new: str) -> None:
    content = (folder / name).read_text()
    assert old in content
    (folder / name).write_text(content.replace(old, new, 1))


def make_a_number(folder: Path, name: str, column: str) -> None:
    content = (folder / name).read_text()
    text = rf'"{column}": "(?:[^"\\]|\\.)*"'
    assert re.search(text, content)
    (folder / name).write_text(re.sub(text, f'"{column}": 7', content, count=1))


def cut(file: Path, lines: int, more: int) -> None:
    kept = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(kept[: len(kept) - lines])[: -more or None])


DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: cut(folder / "ledger.jsonl", 3, 0), "ledger.jsonl is not as it was written"),
    (lambda folder: cut(folder / "matches.jsonl", 0, 20), "of matches.jsonl is not JSON"),
    (
        lambda folder: make_a_number(folder, "matches.jsonl", "record"),
        "matches cannot be imported: 7 stands where a text",
    ),
    (lambda folder: make_a_number(folder, "seats.jsonl", "stderr"), "seats cannot be imported: 7 stands where a text"),
    (lambda folder: (folder / "seats.jsonl").unlink(), "seats.jsonl is missing"),
    (lambda folder: (folder / "ladder.json").unlink(), "is not an export of a ladder: it has no ladder.json"),
    (lambda folder: (folder / "ladder.json").write_text("{"), "its ladder.json cannot be read"),
    (lambda folder: (folder / "ladder.json").write_text('{"name": "npm"}'), "is not an export of a ladder"),
    (lambda folder: (folder / "ladder.json").write_text("[" * 100_000), "is not an export of a ladder"),
    (lambda folder: edit(folder, "ladder.json", '"version": 2', '"version": 3'), "was made by a newer Ladder"),
    (lambda folder: edit(folder, "ladder.json", '"schema": ', '"schema": 9'), "was made by a newer Ladder"),
    (lambda folder: edit(folder, "ladder.json", '"rows": ', '"rows": "'), "its ladder.json"),
    (lambda folder: edit(folder, "ladder.json", '"pairs": ', '"pears": '), "its ladder.json is damaged"),
    (lambda folder: edit(folder, "players.jsonl", '"name"', '"nome"'), "is not an object with the columns of players"),
    (lambda folder: edit(folder, "standings.jsonl", '"mu": ', '"mu": "x'), "standings"),
    (lambda folder: edit(folder, "versions.jsonl", '"bot_id": ', '"bot_id": 99'), "versions"),
    (lambda folder: edit(folder, "matches.jsonl", '"record": "', '"record": "?'), "matches"),
    (lambda folder: next((folder / "sources").iterdir()).write_text("other"), "is not as it was written"),
    (lambda folder: next((folder / "sources").iterdir()).unlink(), "there are"),
    (
        lambda folder: next((folder / "sources").iterdir()).rename(folder / "sources" / "x"),
        "x is not a name of a source",
    ),
]
"""What happens to an export, and words of the sentence that follows."""


def test_a_damaged_or_foreign_export_is_a_sentence_and_no_change(full: Desk, new_desk: Desk, tmp_path: Path) -> None:
    full.ok("export", tmp_path / "whole")
    new_desk.ok("export", tmp_path / "before")
    before = files_in(tmp_path / "before")
    for number, (damage, words) in enumerate(DAMAGES):
        folder = shutil.copytree(tmp_path / "whole", tmp_path / f"damaged-{number}")
        damage(folder)
        told = new_desk.refused(2, "import", folder)
        assert words in told, number
        assert told.count("\n") == 1, told
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.tar").write_text("hello")
    for place, words in (("empty", "it has no ladder.json"), ("text.tar", "neither"), ("none", "cannot read")):
        assert words in new_desk.refused(2, "import", tmp_path / place)
    full.ok("export", tmp_path / "whole.tar")
    content = (tmp_path / "whole.tar").read_bytes()
    (tmp_path / "half.tar").write_bytes(content[: len(content) // 2])
    assert "half.tar" in new_desk.refused(2, "import", tmp_path / "half.tar")
    new_desk.ok("export", tmp_path / "after")
    assert files_in(tmp_path / "after") == before
    new_desk.ok("import", tmp_path / "whole")


def test_an_older_export_gets_what_is_new_by_default(desk: Desk, new_desk: Desk, pool: Pool, tmp_path: Path) -> None:
    """As though the schema had grown by `note` since then."""
    a_history(pool)
    desk.ok("export", tmp_path / "one")
    manifest = json.loads((tmp_path / "one" / "ladder.json").read_text())
    manifest |= {"version": 1, "schema": 26}
    manifest["tables"]["versions"]["columns"].remove("note")
    lines = [json.loads(line) for line in (tmp_path / "one" / "versions.jsonl").read_text().splitlines()]
    old = "".join(json.dumps({key: line[key] for key in line if key != "note"}) + "\n" for line in lines)
    (tmp_path / "one" / "versions.jsonl").write_text(old)
    manifest["tables"]["versions"]["sha256"] = sha256(old)
    (tmp_path / "one" / "ladder.json").write_text(json.dumps(manifest))
    manifest["tables"]["versions"]["columns"][0] = "number_then"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "ladder.json").write_text(json.dumps(manifest))
    assert "was made by an older Ladder, whose schema" in new_desk.refused(2, "import", tmp_path / "two")
    new_desk.ok("import", tmp_path / "one")
    assert new_desk.ok("board", "--json") == desk.ok("board", "--json")


BEFORE_THE_FIRST_RELEASE = Path(__file__).with_name("before-the-first-release.tar.xz")
"""A small export, written by the last program whose schema came about by migrations from before the first release.

Two players' bots, a season that was closed, a gauntlet, a request, an automatic gauntlet and a bot that was renamed.
"""


def test_an_export_from_before_the_first_release_is_imported_whole(new_desk: Desk, tmp_path: Path) -> None:
    with tarfile.open(BEFORE_THE_FIRST_RELEASE) as tar:
        tar.extractall(tmp_path / "old", filter="data")
    manifest = json.loads((tmp_path / "old" / "ladder.json").read_text())
    assert (manifest["version"], manifest["schema"]) == (1, 59)
    new_desk.ok("import", tmp_path / "old")
    new_desk.ok("export", tmp_path / "new")
    for name, part in manifest["tables"].items():
        if name != "sources":
            files = [tmp_path / folder / f"{name}.jsonl" for folder in ("old", "new")]
            old, new = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
            assert [{key: row[key] for key in part["columns"]} for row in new] == old, name
    assert files_in(tmp_path / "new" / "sources") == files_in(tmp_path / "old" / "sources")
    numbers = json.loads((tmp_path / "new" / "ladder.json").read_text())["next"]
    then = {FORMER_SEQUENCES.get(name, name): number for name, number in manifest["next"].items()}
    assert {name: numbers[name] for name in then} == then
    assert "84 matches" in new_desk.ok("export", tmp_path / "again")
    assert "every number is reproduced" in new_desk.ok("rating", "verify")
    board = new_desk.json("board", "--game", "ice-and-fire", "--league", "bronze")
    owners = [(row["version"], row["player"]) for row in board]
    assert owners == [("boss-bronze@v1", "house"), ("wahoo@v1", "olga"), ("pike@v1", "kim")]
    assert new_desk.json("bot", "show", "minnow")["name"] == "pike"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def exporting(desk: Desk, pool: Pool, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Let an export run until it waits for a table that is held for the block."""
    with transaction(pool) as connection:
        connection.execute("LOCK TABLE moves IN ACCESS EXCLUSIVE MODE")
        process = desk.begin("export", folder)

        def has_begun() -> bool:
            assert process.poll() is None
            return any(folder.parent.glob(f".{folder.name}-*/moves.jsonl"))

        wait_until(has_begun, "the export of that table")
        yield process


def test_ctrl_c_leaves_no_half_export(desk: Desk, pool: Pool, tmp_path: Path) -> None:
    a_history(pool, battles=2)
    with exporting(desk, pool, tmp_path / "one") as process:
        process.send_signal(signal.SIGINT)
        assert "interrupted" in process.communicate()[1]
        assert process.returncode == 130
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == []


def test_an_export_shows_a_moment_of_a_busy_ladder(desk: Desk, new_desk: Desk, pool: Pool, tmp_path: Path) -> None:
    """What is recorded while it is being written is in none of its files, so that they fit together."""
    history = a_history(pool, battles=2)
    before = desk.ok("board", "--json")
    with exporting(desk, pool, tmp_path / "one") as process:
        for match_id in a_pair(pool, history.versions["kraken"], history.versions["orca"]):
            play(pool, match_id)
    assert process.communicate()[1] == ""
    assert process.returncode == 0
    assert desk.ok("board", "--json") != before
    new_desk.ok("import", tmp_path / "one")
    assert new_desk.ok("board", "--json") == before
    assert "every number is reproduced" in new_desk.ok("rating", "verify")
