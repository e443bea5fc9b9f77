"""`ladder import psyleague` and `cgarena`: leagues of other programs move in whole, once, or not at all."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from engine.games.game_folder import load_game
from ladder.database.connection import Pool
from ladder.flows.scheduling import schedule
from ladder.leagues import leagues
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.foreign import CGARENA_CONFIGURATION, a_cgarena_folder, a_psyleague_folder
from tests.ladder.arena import GAME, accept_bosses, rows_of, within
from tests.ladder.foragers import FOLDER as FORAGERS
from tests.patience import patience_s

pytestmark = pytest.mark.usefixtures("database_url")

PLAYER = "kim"
PSYLEAGUE = Path(sys.executable).with_name("psyleague")
PLAY = """
printf '['
for number in 1 2 3 4 5; do
  [ $number = 1 ] || printf ','
  first=$(( ($$ / 2 + number) % 2 ))
  printf '{"ranks": [%d, %d], "errors": [0, %d], ' $first $((1 - first)) $((number == 3 && first == 0))
  printf '"test_data": {"seed": %d, "map": "big"}, "player_data": [{"depth": 3}, {}]}' $(($$ * 10 + number))
done
printf ']'
"""
PLAY_THREE = """
first=$(( $$ % 3 ))
printf '{"ranks": [%d, %d, %d], "errors": [0, 0, 0], ' $first $(((first + 1) % 3)) $(((first + 2) % 3))
printf '"test_data": {"seed": %d}, "player_data": [{}, {}, {}]}' $$
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "contest"
    place.mkdir()
    return a_psyleague_folder(place)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_by_psyleague(tmp_path_factory.mktemp("psyleague"), PLAY, 2, ("tron_v1", "tron_v2", "wasp"))


def played_by_psyleague(place: Path, script: str, players: int, bots: Iterable[str]) -> Path:
    """Let psyleague play a league. `script`: prints how one call of it ends."""
    psyleague(place, "config")
    configuration = place / "psyleague.cfg"
    lines = [line for line in configuration.read_text().splitlines() if not line.startswith(("cmd_", "n_players"))]
    lines += ['cmd_bot_setup = "cp %SRC%.py %DIR%/%NAME%.py"', 'cmd_play_game = "sh play.sh %ALL_PLAYERS%"']
    configuration.write_text("\n".join([*lines, f"n_players = {players}"]))
    (place / "play.sh").write_text(script)
    for name in bots:
        (place / f"{name}.py").write_text(f"print({name!r})")
        psyleague(place, "bot", "add", name, "-s", name)
    psyleague(place, "run", "--games", "30", "--silent")
    return place


def psyleague(folder: Path, *words: str) -> None:
    subprocess.run([PSYLEAGUE, *words], cwd=folder, check=True, capture_output=True, timeout=patience_s())


def imported(desk: Desk, program: str, folder: Path, *words: str) -> dict[str, Any]:
    return dict(desk.json("import", program, folder, "--game", GAME, *words))


def everything(database_url: str) -> dict[str, list[Any]]:
    tables = ("players", "bots", "versions", "sources", "standings", "matches", "seats", "ledger", "audit", "leagues")
    with psycopg.connect(database_url) as connection:
        return {
            table: sorted(map(repr, connection.execute(SQL("SELECT * FROM {}").format(Identifier(table))).fetchall()))
            for table in tables
        }


def ratings(database_url: str) -> dict[str, tuple[float, float]]:
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT imported_as, mu, sigma FROM standings JOIN versions ON versions.id = version_id "
            "WHERE imported_as IS NOT NULL"
        )
        return {name: (mu, sigma) for name, mu, sigma in rows}


class TestAPlayedLeague:
    def test_by_its_settings_ratings_are_equal_and_a_second_run_changes_nothing(
        self, desk: Desk, played: Path, database_url: str
    ) -> None:
        done = imported(desk, "psyleague", played, "--settings")
        count = len((played / "psyleague.games").read_text().splitlines())
        assert (done["bots"], len(done["versions"]), done["matches"], done["applied"]) == (3, 3, count, True)
        assert set(done["settings_taken"]) == {"tau", "draw_probability"}
        assert done["agreement"]["as_here"] <= 1e-6
        theirs = [line.split(" : ") for line in (played / "psyleague.db").read_text().splitlines()]
        ours = ratings(database_url)
        for words in theirs:
            assert ours[words[0]] == pytest.approx((float(words[2]), float(words[3])), abs=1e-6)
        desk.ok("rating", "verify", "--game", GAME)
        before = everything(database_url)
        again = desk.ok("import", "psyleague", played, "--game", GAME, "--settings")
        assert f"nothing is new: Wood 2 of {GAME} has all of this psyleague league" in again
        assert "ratings: those of psyleague.db, at most" in again
        assert everything(database_url) == before

    def test_by_other_settings_it_says_how_far_and_why(self, desk: Desk, played: Path) -> None:
        shown = " ".join(desk.ok("import", "psyleague", played, "--game", GAME).split())
        assert "for the league rates with tau 0.0833333 (psyleague: 0.00025) and draw_probability 0.05" in shown
        assert "with --settings it rates as psyleague did, and is at most" in shown
        assert "psyleague's cmd_play_game: sh play.sh %ALL_PLAYERS%" in shown

    def test_a_pattern_makes_versions_and_the_newest_built_plays(self, desk: Desk, played: Path, pool: Pool) -> None:
        done = imported(desk, "psyleague", played, "--group", r"(.+)_v(\d+)")
        assert [(one["name"], one["version"]) for one in done["versions"]] == [
            *(("tron_v1", "tron@v1"), ("tron_v2", "tron@v2"), ("wasp", "wasp@v1"))
        ]
        assert "tron" not in desk.ok("board", "--game", GAME)
        accept_bosses(pool)
        board = desk.ok("board", "--game", GAME)
        assert "tron@v2" in board
        assert "wasp@v1" in board
        assert "tron@v1" not in board
        desk.ok("bot", "activate", "tron@v1")
        assert "tron@v1" in desk.ok("board", "--game", GAME)


def test_matches_of_three_are_rated_by_their_places(desk: Desk, pool: Pool, database_url: str, tmp_path: Path) -> None:
    place = tmp_path / "three"
    place.mkdir()
    played_by_psyleague(place, PLAY_THREE, 3, ("ant", "bee", "crow", "deer"))
    within(pool, leagues.register, load_game(FORAGERS))
    table = Desk(desk.home, {**desk.environment, "LADDER_GAMES": str(FORAGERS)})
    done = table.json("import", "psyleague", place, "--game", "foragers", "--settings")
    assert done["matches"] == len((place / "psyleague.games").read_text().splitlines())
    assert done["agreement"]["as_here"] <= 1e-6
    theirs = [line.split(" : ") for line in (place / "psyleague.db").read_text().splitlines()]
    ours = ratings(database_url)
    for words in theirs:
        assert ours[words[0]] == pytest.approx((float(words[2]), float(words[3])), abs=1e-6)
    table.ok("rating", "verify", "--game", "foragers")
    latest = table.json("match", "list")[0]
    assert sorted(seat["place"] for seat in latest["seats"]) == [1, 2, 3]
    listed = table.ok("match", "list")
    assert "3rd" in listed
    assert f" {':'.join(str(seat['place']) for seat in latest['seats'])} " in listed
    assert "imported from psyleague: it has no record of its turns" in table.ok("match", "show", str(latest["id"]))
    assert "nothing is new" in table.ok("import", "psyleague", place, "--game", "foragers")


def test_a_dry_run_shows_the_same_and_changes_nothing(desk: Desk, folder: Path, database_url: str) -> None:
    before = everything(database_url)
    tried = imported(desk, "psyleague", folder, "--dry-run")
    assert everything(database_url) == before
    assert tried | {"applied": True} == imported(desk, "psyleague", folder)


def test_a_second_run_adds_what_is_new(desk: Desk, folder: Path) -> None:
    imported(desk, "psyleague", folder)
    with (folder / "psyleague.games").open("a") as games:
        games.write('{"players": ["hornet", "wasp"], "ranks": [0, 1], "errors": [0, 0]}\n')
    with (folder / "psyleague.db").open("a") as bots:
        bots.write("hornet : n/a : 25 : 8 : 1 : 0 : 1 : 2026-11-04 10-00-00\n")
    done = imported(desk, "psyleague", folder)
    assert [one["name"] for one in done["versions"]] == ["hornet"]
    assert (done["matches"], done["known_matches"], done["known_versions"]) == (1, 3, 3)
    (folder / "bots" / "tron_v2.cpp").write_text("int main() { return 1; }")
    assert [one["version"] for one in imported(desk, "psyleague", folder)["versions"]] == ["tron_v2@v2"]


def test_what_has_no_source_or_no_record_says_so(desk: Desk, folder: Path, pool: Pool) -> None:
    text = " ".join(desk.ok("import", "psyleague", folder, "--game", GAME).split())
    assert "imported 3 bots, 3 versions (2 to be built) and 3 matches with 1 fault of unknown kind into Wood 2" in text
    assert "only wasp.exe" in text
    accept_bosses(pool)
    board = desk.ok("board", "--game", GAME)
    assert "tron_v2" in board
    assert "tron_v1" not in board, "it is not active"
    assert "wasp" not in board
    shown = desk.ok("bot", "show", "wasp")
    assert "recorded" in shown
    assert "v1 was wasp in psyleague" in shown
    no_source = "wasp@v1 was imported without its source: it stays on record and never plays"
    assert no_source in desk.refused(3, "bot", "activate", "wasp@v1")
    assert no_source in desk.refused(3, "bot", "source", "wasp@v1")
    assert no_source in desk.refused(3, "gauntlet", "run", "tron_v2@v1", "--against", "wasp@v1", "--pairs", "2")
    listed = desk.json("match", "list")
    assert [match["seed"] for match in listed] == [8, None, 7]
    match = str(listed[-1]["id"])
    shown = desk.ok("match", "show", match)
    assert "imported from psyleague: it has no record of its turns" in shown
    assert "verdict fault of unknown kind" in shown
    assert "metrics: map = big, depth = 3" in shown
    sentence = f"match {match} was imported from psyleague: it has no record of its turns"
    for words in (("view", match), ("rematch", match), ("rejudge", match)):
        assert sentence in desk.refused(3, "match", *words)
    assert "seed unknown" in desk.ok("match", "show", str(listed[1]["id"]))
    assert "import psyleague" in desk.ok("deeds")
    schedule(pool, RememberingQueue(), Random(1), GAMES)
    paired = rows_of(
        pool,
        "SELECT DISTINCT version_name(version_id) FROM seats JOIN matches ON matches.id = match_id "
        "WHERE is_waiting(state) AND league_id = (SELECT min(id) FROM leagues WHERE game = %s)",
        GAME,
    )
    assert {name for (name,) in paired} == {"tron_v2@v1", "boss-wood-2@v1"}


def test_a_league_of_cgarena_moves_in(desk: Desk, tmp_path: Path, database_url: str) -> None:
    place = tmp_path / "arena"
    place.mkdir()
    a_cgarena_folder(place)
    assert "'c++20' is none of our languages" in desk.refused(2, "import", "cgarena", place, "--game", GAME)
    done = imported(desk, "cgarena", place, "--language", "c++20=cpp")
    assert [(one["name"], one["version"], one["was_renamed"]) for one in done["versions"]] == [
        *(("kra ken", "kra-ken@v1", True), ("orca", "orca@v1", False))
    ]
    assert (done["matches"], done["faults"], done["agreement"]) == (2, 1, None)
    before = everything(database_url)
    again = desk.ok("import", "cgarena", place, "--game", GAME, "--language", "c++20=cpp")
    assert "nothing is new" in again
    assert f"ladder game add {GAME}-2 --referee 'java -jar referee.jar' --kind sdk --players 2" in again
    assert everything(database_url) == before
    with closing(sqlite3.connect(place / "cgarena.db")) as connection, connection:
        connection.execute("INSERT INTO matches VALUES (3, 9, 2)")
        connection.execute("INSERT INTO participations VALUES (3, 1, 0, 1, 0), (3, 2, 1, 0, 0)")
    assert imported(desk, "cgarena", place, "--language", "c++20=cpp")["matches"] == 1


def test_a_folder_of_cgarena_without_matches_prints_how_its_game_is_added(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "cgarena_config.toml").write_text(CGARENA_CONFIGURATION)
    for game, name in ((GAME, f"{GAME}-2"), ("tron", "tron")):
        told = desk.ok("import", "cgarena", tmp_path, "--game", game)
        assert "there are no bots and no matches to import" in told
        assert f"ladder game add {name} --referee 'java -jar referee.jar' --kind sdk --players 2\n" in told


BROKEN_ROWS = (
    "UPDATE participations SET bot_id = 9 WHERE match_id = 2 AND bot_id = 1",
    "UPDATE participations SET rank = 'first' WHERE match_id = 2 AND bot_id = 1",
    "DELETE FROM participations WHERE match_id = 2 AND bot_id = 1",
)


def test_a_broken_row_of_cgarena_is_named_and_changes_nothing(desk: Desk, tmp_path: Path, database_url: str) -> None:
    before = everything(database_url)
    for number, break_it in enumerate(BROKEN_ROWS):
        place = tmp_path / str(number)
        place.mkdir()
        with closing(sqlite3.connect(a_cgarena_folder(place) / "cgarena.db")) as connection, connection:
            connection.execute(break_it)
        words = ("import", "cgarena", place, "--game", GAME, "--language", "c++20=cpp")
        assert "cgarena.db, match 2: no match as cgarena writes them; nothing is imported" in desk.refused(2, *words)
        assert everything(database_url) == before


REFUSED: list[tuple[int, tuple[str, ...], str]] = [
    (2, ("psyleague", "nowhere"), "nowhere is not a folder of psyleague: it has no psyleague.cfg"),
    (2, ("cgarena", "nowhere"), "nowhere is not a folder of cgarena: it has no cgarena.db"),
    (2, ("psyleague", "FOLDER", "--group", "("), "--group '(' cannot be read"),
    (2, ("psyleague", "FOLDER", "--language", "cpp"), "--language cpp: write LABEL=NAME"),
    (2, ("psyleague", "FOLDER", "--player", "no name"), "a player's name is 1 to 39"),
    (3, ("psyleague", "FOLDER", "--player", "house"), "the bots of house come with Ladder"),
]


def test_what_cannot_be_imported_is_refused_in_a_sentence(desk: Desk, folder: Path, database_url: str) -> None:
    before = everything(database_url)
    for status, words, sentence in REFUSED:
        given = [str(folder) if word == "FOLDER" else word for word in words]
        assert sentence in desk.refused(status, "import", *given, "--game", GAME)
    assert everything(database_url) == before


def test_no_broken_folder_or_other_game_changes_anything(desk: Desk, folder: Path, database_url: str) -> None:
    before = everything(database_url)
    games = folder / "psyleague.games"
    lines = games.read_text().splitlines()
    games.write_text("\n".join([*lines[:1], lines[1][:20], *lines[2:]]))
    assert "psyleague.games, line 2: no game" in desk.refused(2, "import", "psyleague", folder, "--game", GAME)
    games.write_text('{"players": ["a", "b", "c"], "ranks": [0, 1, 2], "errors": [0, 0, 0]}')
    many = desk.refused(2, "import", "psyleague", folder, "--game", GAME)
    assert f"matches of this psyleague league have 3 players, and {GAME} has 2; nothing is imported" in many
    games.unlink()
    assert "unknown game 'go'" in desk.refused(2, "import", "psyleague", folder, "--game", "go")
    (folder / "play_game.py").write_text("os.system('java -jar go.jar')")
    told = desk.refused(2, "import", "psyleague", folder, "--game", "go")
    assert "its referee is a game by `ladder game add go --referee 'java -jar go.jar' --kind sdk --players 2`" in told
    with ZipFile(folder / "go.jar", "w") as jar:
        jar.writestr("Main.class", b"")
    games.write_text('{"players": ["a", "b", "c"], "ranks": [0, 1, 2], "errors": [0, 0, 0]}')
    configuration = folder / "psyleague.cfg"
    configuration.write_text(configuration.read_text().replace("n_players = 2", "n_players = 3"))
    told = desk.refused(2, "import", "psyleague", folder, "--game", "go")
    assert "--kind brutaltester --players 3 --fault-line WRONG_MOVE`, with a line that the referee takes for" in told
    games.unlink()
    (folder / "psyleague.cfg").write_text('model = "elo"')
    told = desk.refused(2, "import", "psyleague", folder, "--game", GAME, "--settings")
    assert "--settings: this psyleague league says nothing of its ratings; nothing is imported" in told
    assert everything(database_url) == before
