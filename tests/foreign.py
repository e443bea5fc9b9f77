"""Leagues of other league managers: folders as those keep them, and one that is as long as a test wants it."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from ladder.imports.foreign import ForeignBot, ForeignLeague, ForeignMatch, FoundSource

PSYLEAGUE_CONFIGURATION = """
version = "0.4.1"
n_workers = 1
n_players = 2
mm_min_matches = 200
model = "trueskill"
draw_prob = 0.0001
tau = 0.00025
dir_bots = "bots"
cmd_bot_setup = "cp %SRC%.py %DIR%/%NAME%.py"
cmd_play_game = "python play_game.py %DIR%/%ALL_PLAYERS%"
file_db = "psyleague.db"
file_games = "psyleague.games"
"""
BOTS = """
tron_v1 : n/a : 24.1 : 7.1 : 2 : 1 : 0 : 2026-11-02 10-00-00
tron_v2 : deeper: 8 : 26.3 : 7.0 : 3 : 0 : 1 : 2026-11-03 10-00-00
wasp : n/a : 25.2 : 7.9 : 1 : 0 : 1 : 2026-11-03 11-00-00
"""
GAMES = [
    {
        "players": ["tron_v1", "tron_v2"],
        "ranks": [1, 0],
        "errors": [1, 0],
        "test_data": {"seed": 7, "map": "big"},
        "player_data": [{"depth": 3}, {}],
    },
    {"players": ["tron_v1", "tron_v2"], "ranks": [0, 0], "errors": [0, 0], "test_data": {}, "player_data": [{}, {}]},
    {"players": ["wasp", "tron_v2"], "ranks": [1, 0], "errors": [0, 0], "test_data": {"seed": "8"}, "player_data": []},
]


def a_psyleague_folder(folder: Path) -> Path:
    """Make a folder of psyleague with three bots and three games."""
    folder.mkdir(exist_ok=True)
    (folder / "psyleague.cfg").write_text(PSYLEAGUE_CONFIGURATION)
    (folder / "psyleague.db").write_text(BOTS.lstrip())
    (folder / "psyleague.games").write_text("".join(json.dumps(game) + "\n" for game in GAMES))
    (folder / "bots").mkdir()
    (folder / "bots" / "tron_v1.py").write_text("print(1)")
    (folder / "bots" / "tron_v2.cpp").write_text("int main() {}")
    (folder / "bots" / "tron_v2.exe").write_bytes(b"\0")
    (folder / "bots" / "wasp.exe").write_bytes(b"\0")
    return folder


CGARENA_CONFIGURATION = """
[game]
min_players = 2
max_players = 2

[[workers]]
type = "embedded"
cmd_build = "sh build.sh {DIR} {LANG}"
cmd_run = "sh run.sh {DIR} {LANG}"
cmd_play_match = "java -jar referee.jar {SEED} {PLAYERS}"
"""
CGARENA_TABLES = """
CREATE TABLE bots (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, source_code TEXT NOT NULL, language TEXT NOT NULL, created_at INTEGER);
CREATE TABLE matches (id INTEGER PRIMARY KEY, seed INTEGER NOT NULL, participant_cnt INTEGER NOT NULL);
CREATE TABLE participations (match_id INTEGER, bot_id INTEGER, "index" INTEGER, rank INTEGER, error INTEGER);
CREATE TABLE match_attribute_names (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE match_attribute_string_values (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE match_attributes (
    id INTEGER PRIMARY KEY, name_id INTEGER, match_id INTEGER, bot_id INTEGER, turn INTEGER, value_int INTEGER,
    value_float REAL, value_string_id INTEGER);
INSERT INTO bots VALUES
    (1, 'kra ken', 'int main() {}', 'c++20', 1795000000), (2, 'orca', 'print(1)', 'python', 1795000001);
INSERT INTO matches VALUES (1, -5, 2), (2, 6, 2);
INSERT INTO participations VALUES (1, 2, 1, 1, 0), (1, 1, 0, 0, 0), (2, 2, 0, 1, 1), (2, 1, 1, 0, 0);
INSERT INTO match_attribute_names VALUES (1, 'map'), (2, 'depth'), (3, 'ratio');
INSERT INTO match_attribute_string_values VALUES (1, 'big');
INSERT INTO match_attributes VALUES
    (1, 1, 1, NULL, NULL, NULL, NULL, 1), (2, 2, 1, 1, 7, 4, NULL, NULL), (3, 2, 1, 1, 6, 3, NULL, NULL),
    (4, 3, 1, 1, NULL, NULL, 0.5, NULL);
"""


def a_cgarena_folder(folder: Path) -> Path:
    """Make a folder of cgarena with two bots and two matches."""
    folder.mkdir(exist_ok=True)
    (folder / "cgarena_config.toml").write_text(CGARENA_CONFIGURATION)
    with closing(sqlite3.connect(folder / "cgarena.db")) as connection:
        connection.executescript(CGARENA_TABLES)
    return folder


def a_long_league(matches: int, bots: int = 100, players: int = 4) -> ForeignLeague:
    """Return a league without sources in which that many matches were played; the stronger ones mostly win."""
    chance = Random(matches)
    names = [f"bot-{number}" for number in range(bots)]
    return ForeignLeague(
        "psyleague",
        "psyleague.db",
        tuple(ForeignBot(name, source=FoundSource(why="it was never there")) for name in names),
        tuple(a_match_of(chance, names, number, players) for number in range(matches)),
        (players,),
    )


def a_match_of(chance: Random, names: Sequence[str], number: int, players: int) -> ForeignMatch:
    met = chance.sample(range(len(names)), players)
    scores = [bot + chance.gauss(0, len(names) / 4) for bot in met]
    ranks = tuple(float(sum(other > score for other in scores)) for score in scores)
    return ForeignMatch(
        str(number), tuple(names[bot] for bot in met), ranks, (False,) * players, ({},) * players, seed=number
    )
