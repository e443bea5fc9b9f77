"""Which games a catalogue holds, and how it is asked."""

from pathlib import Path

import pytest

from engine.errors import GameFault, UnknownName
from engine.frames import DRAWING_FUNCTIONS
from engine.games.catalogue import VARIABLE, absolute_folders, all_games, shipped_games
from engine.new_game import write_skeleton


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
    assert vars(__import__("sys").modules[game.referee.__module__])["GOAL"] == 9


def test_an_unknown_name_and_a_broken_game_are_distinguished(tmp_path: Path) -> None:
    write_skeleton("odd", tmp_path / "odd")
    (tmp_path / "odd" / "game.toml").write_text("")
    games = all_games({VARIABLE: str(tmp_path)})
    with pytest.raises(GameFault, match=r"game\.toml: name is missing"):
        games.find("odd")
    with pytest.raises(UnknownName, match="unknown game 'chess'; known: ocean-of-code, ice-and-fire"):
        games.find("chess")


def test_folders_are_made_absolute_for_services_that_work_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
