"""The `game.toml` of a game whose referee is a program, catalogues of games, and statements in several languages."""

import shutil
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from engine.conformance.kit import statement_complaints
from engine.conversation import SeatOrders, TimeLimits
from engine.errors import GameFault, UnknownName
from engine.frames import DRAWING_FUNCTIONS
from engine.game import Game
from engine.games.catalogue import VARIABLE, absolute_folders, all_games, shipped_games
from engine.games.game_folder import load_game
from engine.new_game import write_skeleton
from engine.referees import edition
from engine.referees.edition import Gathered, NewGame, game_of, game_text, with_values
from engine.referees.program import ProtocolKind, RefereeProgram, RepeatedBy, Reuse
from tests.catalogue import GAMES

SHORT = """
name = "tron"
title = "Tron"
players = [2, 3, 4]
[referee]
kind = "sdk"
command = "./tron --quiet"
files = ["tron"]
"""
LONG = """
# what Tron is
name = "tron"
title = "Tron"
players = [4, 2]
player_weights = [3, 1]
seat_orders = "all"
draw_probability = 0.2
first_limit_ms = 800
turn_limit_ms = 80 # as on the site
fault_line = "OUT"
negative_score_is_fault = false
seed_bits = 31
repeated_by = "parameters"
time_bank = true
keep_views = true
keep_line_ends = true
checked = true
statement = "rules.md"

[referee]
kind = "brutaltester"
command = "java -jar 'my referee.jar'"
files = ["my referee.jar", "maps"]
needs = ["java"]
memory_mb = 700
reuse = "loader"
questions = 500

[parameters]
map = "large"
laps = 3
fog = true

[[leagues]]
name = "bronze"
title = "Bronze"
rules_level = 2
battles = 30
boss = "easy.py"
boss_params = ["DEPTH=2", "WORDS=a=b"]
[[leagues]]
name = "silver"
title = "Silver"
"""


def folder_with(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "game"
    for name in ("tron", "my referee.jar", "maps/one.txt", "maps/deep/two.txt", "rules.md", "bots/easy.py", "notes"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "tron").chmod(0o755)
    (folder / "game.toml").write_text(text)
    return folder


def program_of(tmp_path: Path, text: str) -> RefereeProgram:
    program = game_of(folder_with(tmp_path, text)).program
    assert program is not None
    return program


def test_a_byte_order_mark_before_the_file_is_left_out(tmp_path: Path) -> None:
    assert game_of(folder_with(tmp_path, f"\ufeff{SHORT}")).name == "tron"


def test_a_short_file_is_a_game_with_one_league_and_no_boss(tmp_path: Path) -> None:
    game = game_of(folder_with(tmp_path, SHORT))
    assert (game.name, game.players, game.player_weights, game.seat_orders) == ("tron", (2, 3, 4), (), "rotations")
    assert [(league.name, league.rules_level, league.boss) for league in game.leagues] == [("arena", 19, None)]
    program = game.program
    assert program is not None
    assert (program.kind, program.command, program.files) == ("sdk", ("./tron", "--quiet"), ("tron",))
    assert (program.limits, program.fault_line, program.seed_bits, program.reuse) == (None, None, 64, Reuse.NONE)
    assert (program.repeated_by, program.proven, program.negative_score_is_fault) == (RepeatedBy.SEED, False, True)
    assert game.statement(19) == "# Tron\n\nThis game came without a statement of its rules.\n"


def test_a_file_may_say_everything(tmp_path: Path) -> None:
    game = game_of(folder_with(tmp_path, LONG))
    assert (game.players, game.player_weights, game.seat_orders) == ((2, 4), (3.0, 1.0), SeatOrders.ALL)
    assert (game.draw_probability, game.limits, game.statement(2)) == (0.2, TimeLimits(800, 80), "rules.md")
    assert [(one.name, one.rules_level, one.battles, one.boss) for one in game.leagues] == [
        ("bronze", 2, 30, "easy.py"),
        ("silver", 19, 100, None),
    ]
    assert [dict(one.boss_params) for one in game.leagues] == [{"DEPTH": "2", "WORDS": "a=b"}, {}]
    program = game.program
    assert program is not None
    assert program.command == ("java", "-jar", "my referee.jar")
    assert program.parameters == (("map", "large"), ("laps", "3"), ("fog", "true"))
    assert (program.limits, program.fault_line, program.seed_bits) == (TimeLimits(800, 80), "OUT", 31)
    assert (program.repeated_by, program.has_time_bank, program.keep_views) == (RepeatedBy.PARAMETERS, True, True)
    assert program.keeps_line_ends
    assert (program.needs, program.memory_mb, program.reuse, program.proven) == (("java",), 700, Reuse.LOADER, True)
    assert (program.bounds.questions, program.bounds.cpu_s) == (500, 60)


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        (SHORT, "[referee]", "fog = 1\n[referee]", "fog is not a known key; known: "),
        (SHORT, "files =", "jar =", r"jar of \[referee\] is not a known key"),
        (SHORT, "[2, 3, 4]", "[1]", r"players is \[1\]; it must be a list of numbers from 2 to 8"),
        (SHORT, "[2, 3, 4]", "[9]", r"players is \[9\]"),
        (SHORT, '"sdk"', '"csdk"', r"kind of \[referee\] is 'csdk'; known: sdk, brutaltester, command"),
        (SHORT, '["tron"]', '["trom"]', r"files of \[referee\] names .*/trom, and no such file is there"),
        (SHORT, '["tron"]', '["../tron"]', "'../tron', which is not below the game's folder"),
        (SHORT, './tron --quiet"', '"', r"command of \[referee\] is empty"),
        (SHORT, "./tron --quiet", "./tron 'x", "No closing quotation"),
        (SHORT, '"sdk"', '"brutaltester"', "fault_line is missing; with more than two players"),
        (LONG, "= 31", "= 32", "seed_bits is 32; it must be one of: 64, 31, 0"),
        (LONG, "turn_limit_ms = 80", "", "turn_limit_ms is missing"),
        (LONG, "[3, 1]", "[3]", "player_weights must have 2 numbers above 0"),
        (LONG, "fog = true", '"a=b" = true', "parameters holds 'a=b'"),
        (LONG, "boss = ", "bosses = ", "bosses of the 1. league is not a known key"),
        (LONG, "DEPTH=2", "DEPTH", "boss_params of the 1. league holds one without a value: write it as in DEPTH=6"),
        (LONG, 'boss = "easy.py"', "", "boss_params of the 1. league is not a known key"),
        (LONG, '"silver"', '"bronze"', "two leagues have the name 'bronze'"),
        (LONG, '"all"', '"some"', "seat_orders is 'some'; known: rotations, all, one"),
        (LONG, "time_bank = true", "time_bank = 1", "time_bank is 1; it must be true or false"),
        (LONG, '"rules.md"', '"law.md"', "statement names .*/law.md, and no such file is there"),
    ],
)
def test_what_is_wrong_is_a_sentence_with_file_and_key(tmp_path: Path, text: str, old: str, new: str, why: str) -> None:
    assert old in text
    with pytest.raises(GameFault, match=why) as caught:
        game_of(folder_with(tmp_path, text.replace(old, new, 1)))
    assert str(caught.value).startswith(f"{tmp_path}/game/game.toml: ")
    assert "\n" not in str(caught.value)


def test_seeds_are_chosen_in_the_range_that_a_referee_takes(tmp_path: Path) -> None:
    narrow, wide = program_of(tmp_path, LONG), program_of(tmp_path, SHORT)
    assert (narrow.seed_of(0), narrow.seed_of(2**64 - 1)) == (0, 2**31 - 1)
    assert (wide.seed_of(0), wide.seed_of(2**64 - 1)) == (-(2**63), 2**63 - 1)


def test_a_seed_that_a_referee_knows_not_repeats_nothing(tmp_path: Path) -> None:
    assert not program_of(tmp_path, LONG.replace("= 31", "= 0")).is_repeatable


def test_the_text_of_a_new_game_reads_as_it_was_meant(tmp_path: Path) -> None:
    plain = NewGame("tron", 'Tron "2" \\ é\x7f', ProtocolKind.BRUTALTESTER, "./tron 'a b'", (2, 3))
    new = replace(plain, rules_level=4, fault_line="OUT \t1")
    new = replace(new, limits=TimeLimits(500, 50), parameters={"a b": 'x"y', "fog": "true"})
    gathered = Gathered(new.command, {"tron": Path("tron")}, ("python",))
    game = game_of(folder_with(tmp_path, game_text(new, gathered)))
    program = game.program
    assert program is not None
    assert (game.title, game.players, game.leagues[0].rules_level) == (new.title, (2, 3), 4)
    assert (program.fault_line, program.command, program.limits) == (new.fault_line, ("./tron", "a b"), new.limits)
    assert (program.parameters, program.needs) == ((("a b", 'x"y'), ("fog", "true")), ("python",))


def test_values_are_changed_in_their_places_and_comments_stay() -> None:
    changed = with_values(LONG, "", {"seed_bits": 64, "repeatable": False, "fault_line": 'a"b'})
    changed = with_values(changed, "referee", {"reuse": "none", "cpu_s": 5})
    changed = with_values(changed, "other", {"x": [1, 2]})
    assert "# what Tron is" in changed
    assert "# as on the site" in changed
    wanted = tomllib.loads(LONG) | {"seed_bits": 64, "repeatable": False, "fault_line": 'a"b', "other": {"x": [1, 2]}}
    wanted["referee"] |= {"reuse": "none", "cpu_s": 5}
    assert tomllib.loads(changed) == wanted


def test_a_value_of_several_lines_is_not_changed() -> None:
    with pytest.raises(GameFault, match="give each of these keys a line of its own: players"):
        with_values(SHORT.replace("[2, 3, 4]", "[2,\n3]"), "", {"players": [2]})


@pytest.fixture
def game(tmp_path: Path, workspace: None) -> Game:
    return edition.load_folder(folder_with(tmp_path, LONG))


def test_an_edition_has_the_files_that_belong_to_the_game_and_no_others(game: Game, tmp_path: Path) -> None:
    there = {str(path.relative_to(game.folder)) for path in game.folder.rglob("*") if path.is_file()}
    named = {"my referee.jar", "maps/one.txt", "maps/deep/two.txt", "rules.md", "bots/easy.py"}
    assert there == {"game.toml", *named}
    assert game.edition == edition.read_folder(tmp_path / "game").hash
    assert edition.edition_here(game.edition) == game.folder


def test_an_edition_has_another_hash_once_a_file_is_another(game: Game, tmp_path: Path) -> None:
    (tmp_path / "game" / "notes").write_text("no part of it")
    assert edition.load_folder(tmp_path / "game") == game
    (tmp_path / "game" / "maps" / "deep" / "two.txt").write_text("another map")
    assert edition.load_folder(tmp_path / "game").edition != game.edition
    assert (game.folder / "maps" / "deep" / "two.txt").read_text() == "maps/deep/two.txt"


def test_several_processes_may_lay_out_one_edition_at_once(tmp_path: Path, workspace: None) -> None:
    tree = edition.read_folder(folder_with(tmp_path, LONG))
    with ThreadPoolExecutor(8) as several:
        places = set(several.map(edition.lay_out_edition, [tree] * 8))
    assert len(places) == 1
    assert len(list(places.pop().rglob("*"))) == 9


def test_too_large_a_folder_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, LONG)
    with (folder / "maps" / "huge").open("wb") as huge:
        huge.truncate(65 * 2**20)
    with pytest.raises(GameFault, match="more than 64 MB in all"):
        edition.read_folder(folder)


def test_such_a_folder_is_no_folder_of_rules_in_python(tmp_path: Path) -> None:
    folder_with(tmp_path, SHORT)
    games = all_games({VARIABLE: str(tmp_path)})
    with pytest.raises(GameFault, match="such a game is added by `ladder game add`"):
        games.find("game")
    with pytest.raises(UnknownName):
        games.find("tron")


def test_the_shipped_games_come_first_and_then_those_of_ones_own(tmp_path: Path) -> None:
    write_skeleton("beta", tmp_path / "several" / "b")
    write_skeleton("alpha", tmp_path / "several" / "a")
    write_skeleton("single", tmp_path / "single")
    (tmp_path / "several" / "no-game").mkdir()
    games = all_games({VARIABLE: f"{tmp_path}/several:{tmp_path}/single"})
    assert games.names == (*shipped_games().names, "alpha", "beta", "single")
    assert games.faults == {}
    assert "beta" in games
    assert games.find("beta").folder == tmp_path / "several" / "b"


def test_two_folders_of_one_name_do_not_share_their_modules(tmp_path: Path) -> None:
    write_skeleton("one", tmp_path / "first" / "game")
    write_skeleton("two", tmp_path / "second" / "game")
    games = all_games({VARIABLE: f"{tmp_path}/first:{tmp_path}/second"})
    assert games.find("one").referee is not games.find("two").referee


def test_a_referee_may_import_its_neighbours(tmp_path: Path) -> None:
    write_skeleton("split", tmp_path / "split")
    (tmp_path / "split" / "goal.py").write_text("GOAL = 9\n")
    referee = tmp_path / "split" / "referee.py"
    referee.write_text(referee.read_text().replace("GOAL = 21", "from .goal import GOAL"))
    game = all_games({VARIABLE: str(tmp_path)}).find("split")
    assert vars(sys.modules[game.referee.__module__])["GOAL"] == 9


def test_an_unknown_name_and_a_broken_game_are_distinguished(tmp_path: Path) -> None:
    write_skeleton("odd", tmp_path / "odd")
    (tmp_path / "odd" / "game.toml").write_text("")
    games = all_games({VARIABLE: str(tmp_path)})
    with pytest.raises(GameFault, match=r"game\.toml: name is missing"):
        games.find("odd")
    with pytest.raises(UnknownName, match="unknown game 'chess'; known: ocean-of-code, ice-and-fire"):
        games.find("chess")


def test_folders_are_made_absolute_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_folders({VARIABLE: "games:/srv/more"}) == {VARIABLE: f"{tmp_path}/games:/srv/more"}
    assert absolute_folders({}) == {}


def test_a_game_may_bring_how_its_states_look_in_a_browser(tmp_path: Path) -> None:
    write_skeleton("plain", tmp_path / "plain")
    games = all_games({VARIABLE: str(tmp_path)})
    assert games.find("plain").drawing is None
    file = tmp_path / "plain" / "draw.js"
    text = "".join(f"export function {name}() {{}} // é\n" for name in DRAWING_FUNCTIONS)
    file.write_text(text, "utf-8")
    assert games.find("plain").drawing == text
    file.write_text(text.replace("drawn(", "shown("), "utf-8")
    with pytest.raises(GameFault, match=r"draw\.js exports no function drawn"):
        assert games.find("plain").drawing
    file.write_bytes(b"\xff")
    with pytest.raises(GameFault, match=r"draw\.js, which draws matches of plain, cannot be read"):
        assert games.find("plain").drawing


def test_a_game_may_bring_how_its_states_look_in_a_terminal(tmp_path: Path) -> None:
    write_skeleton("plain", tmp_path / "plain")
    write_skeleton("broken", tmp_path / "broken")
    games = all_games({VARIABLE: str(tmp_path)})
    assert games.find("plain").text_drawing() is None
    (tmp_path / "broken" / "draw.py").write_text("def rows(setup, state, shown): ...\n")
    with pytest.raises(GameFault, match=r"draw\.py defines no function facts"):
        games.find("broken").text_drawing()
    (tmp_path / "plain" / "draw.py").write_text("LEGEND = {'x': 'cross'}\ndef rows(*_): ...\ndef facts(*_): ...\n")
    drawing = games.find("plain").text_drawing()
    assert drawing is not None
    assert drawing.legend == {"x": "cross"}


def test_a_game_for_more_than_two_is_handed_the_number_of_players(tmp_path: Path) -> None:
    write_skeleton("many", tmp_path / "many")
    file = tmp_path / "many" / "game.toml"
    table = file.read_text()
    file.write_text(table.replace("title =", "players = [4, 2, 3]\ntitle =", 1))
    referee = tmp_path / "many" / "referee.py"
    referee.write_text("def referee(seed, rules_level, limits, players):\n    return (seed, rules_level, players)\n")
    game = all_games({VARIABLE: str(tmp_path)}).find("many")
    assert game.players == (2, 3, 4)
    led: object = game.lead(5, 1, game.limits, players=3)
    assert led == (5, 1, 3)
    for wrong in ("[]", "[1, 2]", "[9]", '["2"]'):
        file.write_text(table.replace("title =", f"players = {wrong}\ntitle =", 1))
        with pytest.raises(GameFault, match=r"game\.toml: players is .*; it must be a list of numbers from 2 to 8"):
            all_games({VARIABLE: str(tmp_path)}).find("many")


OCEAN = GAMES.find("ocean-of-code")


@pytest.fixture
def ocean(tmp_path: Path) -> Game:
    return load_game(shutil.copytree(OCEAN.folder, tmp_path / "game", ignore=shutil.ignore_patterns("__pycache__")))


def change(ocean: Game, name: str, old: str, new: str) -> None:
    path = ocean.folder / "statement" / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_shipped_statements_are_whole_and_say_the_same(ocean: Game) -> None:
    assert ocean.statement_languages == ("en", "fr")
    assert list(statement_complaints(ocean)) == []
    assert "la torpille" in ocean.statement(1, "fr")


def test_a_translation_that_lacks_a_level_is_complained_about(ocean: Game) -> None:
    (ocean.folder / "statement" / "level-2.fr.md").unlink()
    (complaint,) = statement_complaints(ocean)
    assert "statement/level-2.fr.md, the statement of ocean-of-code, cannot be read" in complaint


def test_a_statement_that_is_too_short_is_complained_about_in_each_language(ocean: Game) -> None:
    for name in ("level-1.md", "level-1.fr.md"):
        (ocean.folder / "statement" / name).write_text("# Rules")
    assert list(statement_complaints(ocean)) == [
        f"the statement of level 1 in {language} has 7 characters; rules take at least 200" for language in ("en", "fr")
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("en 4 pas", "en 5 pas", "lacks numbers of the English one: 4"),
        ("en 4 pas", "en 5 pas", "has numbers that the English one has not: 5"),
        ("(`MOVE N`)", "(`MOVE S`)", "lacks code of the English one: MOVE N"),
        ("`ladder league list`", "`ladder list`", "has code that the English one has not: ladder list"),
        ("| `SONAR`, le sonar | 4 |", "", "lacks code of the English one: SONAR"),
    ],
)
def test_a_translation_that_says_something_else_is_a_complaint(ocean: Game, old: str, new: str, complaint: str) -> None:
    change(ocean, "level-2.fr.md", old, new)
    assert f"the statement of level 2 in fr {complaint}" in list(statement_complaints(ocean))


def test_a_large_number_may_be_written_as_the_language_does(ocean: Game) -> None:
    for old, new in pairwise(["9999", "9,999", "9\u00a0999", "9\u202f999"]):
        change(ocean, "level-2.fr.md", old, new)
        assert list(statement_complaints(ocean)) == []


def test_other_files_beside_the_statements_are_no_language(ocean: Game) -> None:
    for name in ("level-1.notes.md", "notes.md", "level-1.md.orig"):
        (ocean.folder / "statement" / name).write_text("to do")
    assert ocean.statement_languages == ("en", "fr")
