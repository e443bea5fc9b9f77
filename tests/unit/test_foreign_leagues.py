"""Folders of psyleague and cgarena: what is read from them, and what is said of those that are broken."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest

from engine.errors import UnknownName, UsageFault
from engine.referees.program import command_words
from ladder.imports import cgarena, psyleague
from ladder.imports.agreement import agreement_of, rated_by_package
from ladder.imports.cgarena import free_name, game_commands, still_to_fill_in
from ladder.imports.foreign import ForeignBot, ForeignLeague, ForeignMatch, names_of, read_labels, read_pattern
from ladder.ratings.models import Rating, RatingSettings
from tests.foreign import a_cgarena_folder, a_psyleague_folder

THERE = RatingSettings(tau=0.00025, draw_probability=0.0001)


class TestPsyleague:
    def test_everything_of_its_files_is_there(self, tmp_path: Path) -> None:
        league = psyleague.read(a_psyleague_folder(tmp_path), {})
        assert [bot.name for bot in league.bots] == ["tron_v1", "tron_v2", "wasp"]
        assert [bot.source.language for bot in league.bots] == ["python", "cpp", ""]
        assert [bot.note for bot in league.bots] == ["", "deeper: 8", ""]
        assert [bot.is_active for bot in league.bots] == [False, True, True]
        assert league.bots[2].source.why == "only wasp.exe"
        first, second = league.matches[:2]
        assert (first.players, first.ranks, first.faults) == (("tron_v1", "tron_v2"), (1, 0), (True, False))
        assert (first.seed, first.metrics) == (7, ({"map": "big", "depth": "3"}, {"map": "big"}))
        assert (second.seed, second.ranks) == (None, (0, 0))
        assert league.rating == THERE
        assert league.commands["cmd_play_game"] == "python play_game.py %DIR%/%ALL_PLAYERS%"
        assert league.settings["mm_min_matches"] == "200"

    def test_equal_lines_are_different_matches_and_the_same_ones_when_they_are_read_again(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path)
        games = folder / "psyleague.games"
        games.write_text(games.read_text() * 2)
        keys = [match.key for match in psyleague.read(folder, {}).matches]
        assert len(set(keys)) == len(keys)
        assert keys == [match.key for match in psyleague.read(folder, {}).matches]

    @pytest.mark.parametrize(
        ("name", "line", "words"),
        [
            ("psyleague.games", "{", "psyleague.games, line 2: no game as psyleague writes them"),
            ("psyleague.games", "[]", "no object"),
            ("psyleague.games", '{"players": ["a"], "ranks": [0], "errors": [0]}', "2 to 8 different ones"),
            ("psyleague.games", '{"players": ["a", "b"], "ranks": [0], "errors": [0, 0]}', "one for each player"),
            ("psyleague.games", '{"players": ["a", "b"], "errors": [0, 0]}', "ranks must be a list"),
            ("psyleague.games", '{"players": ["a", "b"], "ranks": [NaN, 0], "errors": [0, 0]}', "must be numbers"),
            (
                "psyleague.db",
                "half a line",
                "psyleague.db, line 2: no bot as psyleague writes them (1 parts instead of 8)",
            ),
            ("psyleague.games", '{"players": ["a", "b"], "ranks": [1e400, 0], "errors": [0, 0]}', "must be numbers"),
            ("psyleague.games", f'{{"players": ["a", "b"], "ranks": [{10**400}, 0], "errors": [0, 0]}}', "be numbers"),
            ("psyleague.games", '{"players": ["a", "\\ud800"], "ranks": [1, 0], "errors": [0, 0]}', "surrogates"),
            ("psyleague.db", "x : y : 1 : 1 : 0 : 0 : 1 : 0001-01-01 00-00-00", "no bot as psyleague writes them"),
            ("psyleague.db", "x : y : nan : 1 : 0 : 0 : 1 : 2026-01-01 10-00-00", "a rating that is not a number"),
            ("psyleague.db", "x : y : 1 : 1 : 0 : 0 : 1 : yesterday", "does not match"),
            ("psyleague.db", "tron_v1 : y : 1 : 1 : 0 : 0 : 1 : 2026-01-01 10-00-00", "a second bot tron_v1"),
        ],
    )
    def test_a_broken_line_is_named(self, tmp_path: Path, name: str, line: str, words: str) -> None:
        folder = a_psyleague_folder(tmp_path)
        lines = (folder / name).read_text().splitlines()
        (folder / name).write_text("\n".join([lines[0], line, *lines[1:]]))
        with pytest.raises(UsageFault) as caught:
            psyleague.read(folder, {})
        assert words in str(caught.value)
        assert "line 2: " in str(caught.value)

    def test_bytes_that_are_no_text_are_named(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path)
        (folder / "psyleague.games").write_bytes(b"\n\xff\n")
        with pytest.raises(UsageFault, match="line 2: byte 1 is not UTF-8"):
            psyleague.read(folder, {})

    def test_broken_configurations_are_named(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path)
        (folder / "psyleague.cfg").write_text("file_db = =")
        with pytest.raises(UsageFault, match=r"psyleague.cfg cannot be read: .*line 1"):
            psyleague.read(folder, {})
        (folder / "psyleague.cfg").write_text("file_db = 5")
        with pytest.raises(UsageFault, match="file_db must name a file"):
            psyleague.read(folder, {})

    def test_another_folder_is_none_of_psyleague(self, tmp_path: Path) -> None:
        with pytest.raises(UsageFault, match=r"is not a folder of psyleague: it has no psyleague\.cfg"):
            psyleague.read(tmp_path, {})
        (tmp_path / "psyleague.cfg").touch()
        with pytest.raises(UsageFault, match=r"it has no psyleague\.db"):
            psyleague.read(tmp_path, {})

    def test_a_file_of_bots_that_is_just_being_written_is_not_taken_for_one_without_bots(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path)
        (folder / "psyleague.db").write_bytes(b"")
        with pytest.raises(UsageFault, match="perhaps psyleague is just writing it"):
            psyleague.read(folder, {})

    def test_a_byte_order_mark_before_a_file_is_left_out(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path / "marked")
        for path in folder.glob("psyleague.*"):
            path.write_text("\ufeff" + path.read_text())
        marked, plain = (psyleague.read(found, {}) for found in (folder, a_psyleague_folder(tmp_path / "plain")))
        assert (marked.bots, marked.matches, marked.commands) == (plain.bots, plain.matches, plain.commands)

    def test_two_sources_of_one_name_are_none(self, tmp_path: Path) -> None:
        folder = a_psyleague_folder(tmp_path)
        (folder / "bots" / "tron_v1.rs").touch()
        assert psyleague.read(folder, {}).bots[0].source.why == "tron_v1.py and tron_v1.rs are both sources"
        (folder / "bots" / "tron_v1.py").unlink()
        assert "is empty" in psyleague.read(folder, {}).bots[0].source.why


class TestLinks:
    """A folder that is imported may be a stranger's: a link in it would show a player any file of whoever imports."""

    @pytest.mark.parametrize(("target", "is_there"), [("secret.py", True), ("tron_v1.py", True), ("nowhere", False)])
    def test_a_source_that_is_a_link_stays_out(self, tmp_path: Path, target: str, is_there: bool) -> None:
        folder = a_psyleague_folder(tmp_path)
        (tmp_path / "secret.py").write_text("the operator's own")
        (folder / "bots" / "wasp.py").symlink_to(f"../{target}" if target == "secret.py" else target)
        assert (folder / "bots" / "wasp.py").exists() == is_there
        wasp = psyleague.read(folder, {}).bots[2]
        assert (wasp.source.text, wasp.source.why) == (None, "wasp.py is a link; a source is a plain file")

    @pytest.mark.parametrize(
        "name",
        [
            *("psyleague.cfg", "psyleague.db", "psyleague.games", "bots"),
            *("cgarena.db", "cgarena.db-wal", "cgarena.db-journal", "cgarena_config.toml"),
        ],
    )
    def test_no_file_or_folder_of_a_league_may_be_a_link(self, tmp_path: Path, name: str) -> None:
        of_cgarena = name.startswith("cgarena")
        folder = (a_cgarena_folder if of_cgarena else a_psyleague_folder)(tmp_path / "league")
        (folder / name).touch()
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
        with pytest.raises(UsageFault, match=f"{name} is a link or is behind one: put what it leads to in its place"):
            (cgarena.read if of_cgarena else psyleague.read)(folder, {"c++20": "cpp"})

    @pytest.mark.parametrize("key", ["file_db", "file_games", "dir_bots"])
    @pytest.mark.parametrize("value", ["/etc/passwd", "../elsewhere", "bots/../../elsewhere", "linked/inside"])
    def test_a_configuration_names_nothing_outside_of_its_folder(self, tmp_path: Path, key: str, value: str) -> None:
        folder = a_psyleague_folder(tmp_path / "league")
        (folder / "linked").symlink_to(tmp_path)
        written = (folder / "psyleague.cfg").read_text().splitlines()
        lines = [line for line in written if not line.startswith(key)]
        (folder / "psyleague.cfg").write_text("\n".join([*lines, f'{key} = "{value}"']))
        with pytest.raises(UsageFault, match=r"is not in .*: copy it there|is a link or is behind one"):
            psyleague.read(folder, {})

    def test_the_folder_itself_may_be_named_by_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(a_psyleague_folder(tmp_path / "league"))
        assert psyleague.read(tmp_path / "link", {}).bots[0].source.text == "print(1)"

    def test_scripts_and_archives_that_are_links_are_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "league").mkdir()
        (tmp_path / "secret.py").write_text("java -jar secret.jar")
        (tmp_path / "league" / "play.py").symlink_to(tmp_path / "secret.py")
        assert game_commands(["python play.py %P1%"], tmp_path / "league", "tron", [2]) == ()


class TestCgarena:
    def test_everything_of_its_database_is_there_and_nothing_of_it_changes(self, tmp_path: Path) -> None:
        folder = a_cgarena_folder(tmp_path)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        league = cgarena.read(folder, read_labels(["c++20=cpp"]))
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        bots = [("kra ken", "cpp", "int main() {}"), ("orca", "python", "print(1)")]
        assert [(bot.name, bot.source.language, bot.source.text) for bot in league.bots] == bots
        assert [match.players for match in league.matches] == [("kra ken", "orca"), ("orca", "kra ken")]
        assert [match.seed for match in league.matches] == [-5, 6]
        assert league.matches[1].faults == (True, False)
        assert league.matches[0].metrics == ({"map": "big", "depth": "4", "ratio": "0.5"}, {"map": "big"})
        assert league.left_out == ("1 value of single turns: the last one of each match stays",)
        assert dict(league.commands) == {
            "cmd_build": "sh build.sh {DIR} {LANG}",
            "cmd_run": "sh run.sh {DIR} {LANG}",
            "cmd_play_match": "java -jar referee.jar {SEED} {PLAYERS}",
        }
        assert league.settings["game.max_players"] == "2"

    def test_a_database_with_a_log_of_its_own_is_read_where_nothing_can_be_written(self, tmp_path: Path) -> None:
        folder = a_cgarena_folder(tmp_path)
        with closing(sqlite3.connect(folder / "cgarena.db")) as connection:
            connection.execute("PRAGMA journal_mode = wal")
            connection.execute("UPDATE matches SET seed = 9 WHERE id = 1")
            connection.commit()
            assert cgarena.read(folder, {"c++20": "cpp"}).matches[0].seed == 9, "while somebody has it open"
        assert cgarena.read(folder, {"c++20": "cpp"}).matches[0].seed == 9

    @pytest.mark.parametrize(
        ("statement", "words"),
        [
            ('UPDATE participations SET "index" = 2 WHERE match_id = 2 AND "index" = 1', "match 2: no match"),
            ("DELETE FROM participations WHERE match_id = 2", "match 2: no match"),
            ("UPDATE participations SET bot_id = 77 WHERE match_id = 2 AND bot_id = 1", "match 2: no match"),
            ("UPDATE participations SET rank = 'x' WHERE match_id = 2", "match 2: no match"),
            ("UPDATE bots SET source_code = x'00' WHERE id = 2", "bot 2: no bot"),
            ("DROP TABLE participations", "cannot be read as a database of cgarena: no such table"),
            ("UPDATE bots SET language = 'brainfuck' WHERE id = 2", "say which it is with --language 'brainfuck=NAME'"),
        ],
    )
    def test_a_broken_row_is_named(self, tmp_path: Path, statement: str, words: str) -> None:
        folder = a_cgarena_folder(tmp_path)
        with closing(sqlite3.connect(folder / "cgarena.db")) as connection, connection:
            connection.execute(statement)
        with pytest.raises(UsageFault) as caught:
            cgarena.read(folder, {"c++20": "cpp"})
        assert words in str(caught.value)

    def test_another_file_or_folder_is_none_of_cgarena(self, tmp_path: Path) -> None:
        with pytest.raises(UsageFault, match=r"is not a folder of cgarena: it has no cgarena\.db"):
            cgarena.read(tmp_path, {})
        (tmp_path / "cgarena.db").write_text("not a database" * 100)
        with pytest.raises(UsageFault, match="file is not a database"):
            cgarena.read(tmp_path, {})

    def test_a_label_can_stay_out(self, tmp_path: Path) -> None:
        bot = cgarena.read(a_cgarena_folder(tmp_path), read_labels(["C++20=none"])).bots[0]
        assert (bot.source.text, bot.source.why) == (None, "c++20 stays out")


@pytest.mark.parametrize("word", ["cpp", "=cpp", "a="])
def test_labels_are_read_as_they_are_written(word: str) -> None:
    with pytest.raises(UsageFault, match="write LABEL=NAME"):
        read_labels([word])
    with pytest.raises(UnknownName):
        read_labels(["a=b"])


class TestNames:
    def names(self, names: list[str], group: str | None = None, known: Any = (), **used: list[int]) -> list[str]:
        bots = {bot.replace("_", "-"): numbers for bot, numbers in used.items()}
        return [f"{bot}@v{number}" for bot, number in names_of(names, read_pattern(group), known, bots)]

    def test_allowed_names_stay_and_others_are_made_plain(self) -> None:
        assert self.names(["orca", "Größe 5", "käfer", "日本", "x" * 50]) == [
            *("orca@v1", "Grosse-5@v1", "kafer@v1", "bot@v1", "x" * 39 + "@v1")
        ]

    def test_two_names_never_become_one_bot(self) -> None:
        assert self.names(["a b", "a/b", "A-B"], a_b_3=[]) == ["a-b@v1", "a-b-2@v1", "A-B-4@v1"]
        assert self.names(["x" * 40, "x" * 41]) == ["x" * 39 + "@v1", "x" * 37 + "-2@v1"]

    def test_a_pattern_makes_versions_of_one_bot(self) -> None:
        group = r"(.+)_v(\d+)"
        assert self.names(["tron_v2", "wasp", "tron_v10"], group) == ["tron@v2", "wasp@v1", "tron@v10"]
        assert self.names(["tron_v0", "tron_v1"], group) == ["tron@v1", "tron@v2"], "versions begin at 1"
        assert self.names(["tron_v1", "tron_v01"], group) == ["tron@v1", "tron@v2"], "no number twice"
        assert self.names(["tron-a", "tron-b"], "(.+)-.") == ["tron@v1", "tron@v2"]

    def test_a_new_name_joins_the_bot_that_its_kind_became(self) -> None:
        known = [("tron_v1", "renamed"), ("tron_v2", "renamed")]
        assert self.names(["tron_v3"], r"(.+)_v(\d+)", known, renamed=[1, 2]) == ["renamed@v3"]
        assert self.names(["tron_v2", "x"], r"(.+)_v(\d+)", known, renamed=[1, 2]) == ["renamed@v3", "x@v1"]

    @pytest.mark.parametrize(("group", "words"), [("(", "cannot be read"), ("abc", "has no group in brackets")])
    def test_a_pattern_has_to_be_one(self, group: str, words: str) -> None:
        with pytest.raises(UsageFault, match=words):
            read_pattern(group)


class TestAgreement:
    def league(self, draws: float) -> ForeignLeague:
        chance = Random(7)
        names = [f"bot{number}" for number in range(6)]
        matches = []
        for number in range(300):
            two = tuple(chance.sample(names, 2))
            ranks = (0, 0) if chance.random() < draws else chance.choice([(0, 1), (1, 0)])
            matches.append(ForeignMatch(str(number), two, ranks, (False, False), ({}, {})))
        theirs = rated_by_package(matches, THERE)
        bots = tuple(ForeignBot(name, rating=theirs[name]) for name in names)
        return ForeignLeague("psyleague", "psyleague.db", bots, tuple(matches), (2,), rating=THERE)

    def test_without_draws_they_are_equal(self) -> None:
        found = agreement_of(self.league(0), THERE)
        assert found is not None
        assert found.is_equal
        assert found.others == ()

    def test_with_other_settings_both_distances_are_known(self) -> None:
        found = agreement_of(self.league(0), RatingSettings())
        assert found is not None
        assert [other.setting for other in found.others] == ["tau", "draw_probability"]
        assert not found.is_equal
        assert found.as_there < 1e-6 < found.as_here

    def test_draws_differ_by_what_the_package_rounds(self) -> None:
        found = agreement_of(self.league(0.2), THERE)
        assert found is not None
        assert not found.is_equal
        assert found.as_package == 0
        assert found.as_here < 0.01

    def test_a_league_that_says_nothing_of_ratings_is_not_compared(self) -> None:
        league = ForeignLeague("cgarena", "cgarena.db", (ForeignBot("a", rating=Rating()),), (), ())
        assert agreement_of(league, THERE) is None


def test_a_java_referee_becomes_a_game_by_one_command(tmp_path: Path) -> None:
    add = "ladder game add tron --referee"
    script = "cmd = f'java -Xmx1g -jar \"tron.jar\" -p1 x'; run(['java', '-ea', '-jar', 'old.jar', p1])"
    (tmp_path / "play_game.py").write_text(script)
    found = game_commands(["python play_game.py %P1%", "java  -jar tron.jar -p1 %P1%"], tmp_path, "tron", [2, 4])
    assert found == (
        f"{add} 'java -Xmx1g -jar tron.jar' --kind sdk --players 2-4",
        f"{add} 'java -ea -jar old.jar' --kind sdk --players 2-4",
        f"{add} 'java -jar tron.jar' --kind sdk --players 2-4",
    )
    with ZipFile(tmp_path / "tron.jar", "w") as jar:
        jar.writestr("Main.class", b"")
    found = game_commands(["java -jar tron.jar"], tmp_path, "tron", [2])
    assert found == (f"{add} 'java -jar {tmp_path}/tron.jar' --kind brutaltester --players 2",)
    (of_many,) = game_commands(["java -jar tron.jar"], tmp_path, "tron", [2, 4])
    assert of_many.endswith("tron.jar' --kind brutaltester --players 2-4 --fault-line WRONG_MOVE")
    assert still_to_fill_in(of_many).endswith("that the referee takes for a wrong move in the place of WRONG_MOVE")
    assert still_to_fill_in(found[0]) == ""
    commands = dict(cgarena.commands_in({"workers": [{"referee": {"path": "referee/a.jar"}}]}))
    expected = (f"{add} 'java -jar referee/a.jar' --kind sdk --players 2",)
    assert game_commands(commands.values(), tmp_path, "tron", []) == expected


REFEREE = {"type": "codingame_jar", "path": "referee/my game.jar", "java": None, "league": 4}
OF_2026 = {
    "game": {"min_players": 2, "max_players": 4, "symmetric": True},
    "workers": [{"type": "embedded", "referee": REFEREE, "cmd_build": "sh build.sh", "cmd_run": "sh run.sh"}],
}


def commands_of(league: ForeignLeague, folder: Path) -> tuple[str, ...]:
    return game_commands(league.commands.values(), folder, "tron", league.seats)


def test_a_referee_that_is_a_table_becomes_a_game_wherever_the_configuration_is(tmp_path: Path) -> None:
    add = "ladder game add tron --referee"
    expected = (f"""{add} 'java -jar '"'"'referee/my game.jar'"'"'' --kind sdk --players 2-4 --rules-level 4""",)
    (tmp_path / "cgarena_config.toml").write_text(
        "[game]\nmin_players = 2\nmax_players = 4\n[[workers]]\n[workers.referee]\n"
        'type = "codingame_jar"\npath = "referee/my game.jar"\nleague = 4\n'
    )
    alone = cgarena.read(tmp_path, {})
    assert (alone.bots, alone.matches, commands_of(alone, tmp_path)) == ((), (), expected)
    assert command_words(command_words(expected[0])[5]) == ("java", "-jar", "referee/my game.jar")
    a_cgarena_folder(tmp_path)
    (tmp_path / "cgarena_config.toml").write_text("[server]\nport = 1234\n")
    with closing(sqlite3.connect(tmp_path / "cgarena.db")) as connection, connection:
        connection.execute("CREATE TABLE arena_configuration (id INTEGER PRIMARY KEY, config_json TEXT NOT NULL)")
        connection.execute("INSERT INTO arena_configuration VALUES (1, ?)", [json.dumps(OF_2026)])
    league = cgarena.read(tmp_path, {"c++20": "cpp"})
    assert (len(league.bots), commands_of(league, tmp_path)) == (2, expected)
    assert league.settings["game.max_players"] == "4"
    for broken, words in (("{", "is not JSON;"), ("[]", "is not a JSON object;")):
        with closing(sqlite3.connect(tmp_path / "cgarena.db")) as connection, connection:
            connection.execute("UPDATE arena_configuration SET config_json = ?", [broken])
        with pytest.raises(UsageFault, match=f"its configuration {words}"):
            cgarena.read(tmp_path, {})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"type": "codingame_jar", "path": "a.jar"}, "'java -jar a.jar' --kind sdk --players 2"),
        ({"path": "a.jar", "java": "/opt/jdk/bin/java"}, "'/opt/jdk/bin/java -jar a.jar' --kind sdk --players 2"),
        ({"type": "codingame_jar", "path": "built/a", "league": 0}, "'java -jar built/a' --kind sdk --players 2"),
        ({"type": "codingame_jar", "path": "a.jar", "league": True}, "'java -jar a.jar' --kind sdk --players 2"),
        ({"type": "command", "play_match": "./x {P1} {P2}"}, "'./x {P1} {P2}' --kind command --players 2"),
        ({"type": "codingame_jar", "path": 7}, None),
    ],
)
def test_what_a_table_says_of_the_referee_stands_in_the_command(
    tmp_path: Path, table: Mapping[str, object], words: str | None
) -> None:
    commands = dict(cgarena.commands_in({"workers": [{"referee": table}]}))
    expected = () if words is None else (f"ladder game add tron --referee {words}",)
    assert game_commands(commands.values(), tmp_path, "tron", [2]) == expected


def test_a_game_gets_a_name_that_is_allowed_and_free() -> None:
    assert free_name("tron", ()) == "tron"
    assert free_name("tron", ("tron", "tron-2")) == "tron-3"
    assert free_name("Spring Challenge!", ()) == "spring-challenge"
    assert free_name("x" * 50, ("x" * 39,)) == "x" * 35 + "-2"


def test_a_command_that_starts_the_bots_becomes_a_game_by_one_command(tmp_path: Path) -> None:
    add = "ladder game add nim --referee"
    (tmp_path / "play.py").write_text("print(1)")
    commands = ["sh build.sh {DIR} {LANG}", "python3 play.py {SEED} {PLAYERS}", "cp %SRC%.py %DIR%/%NAME%.py", "'"]
    expected = f"{add} 'python3 {tmp_path}/play.py {{SEED}} {{PLAYERS}}' --kind command --players 2-4"
    assert game_commands(commands, tmp_path, "nim", [2, 4]) == (expected,)
    expected = f"{add} './play %P1% %P2%' --kind command --players 2"
    assert game_commands(["./play %P1% %P2%"], tmp_path, "nim", [2]) == (expected,)
    assert game_commands(["./play %P1% %P2%"], tmp_path, "nim", [2, 3]) == ()
