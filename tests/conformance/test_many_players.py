"""The kit on a game for two to four players: every number of them is tried, and complaints name it."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.conformance import kit
from engine.conformance.kit import check, fixtures, try_bosses
from engine.conversation import OK, Ask, Outcome, Referee, TimeLimits
from engine.game import Game
from engine.games.game_folder import load_game
from engine.records.repeat_match import record_difference
from engine.sandbox.choice import open_sandbox
from tests.ladder.foragers import FOLDER as FORAGERS

WAITER = """
seat, seats = map(int, input().split())
input()
while True:
    for _ in range(seats + 2):
        input()
    print("WAIT", flush=True)
"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    folder = tmp_path_factory.mktemp("games") / "foragers"
    shutil.copytree(FORAGERS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "game.toml").write_text(f'{(FORAGERS / "game.toml").read_text()}boss = "waiter.py"\n')
    (folder / "bots").mkdir()
    (folder / "bots" / "waiter.py").write_text(WAITER)
    return load_game(folder)


def of_four(seed: int, rules_level: int, limits: TimeLimits, players: int) -> Referee:
    for turn in range(7 if players == 4 else 1):
        yield Ask(players - 1, (str(turn),), limits.first_ms)
    return Outcome((0,) * players, "end", (OK,) * players)


def test_it_passes_and_its_boss_plays_itself_with_each_number_of_players(game: Game) -> None:
    findings = {finding.check: finding.complaints for finding in check(game, open_sandbox())}
    assert {name: words for name, words in findings.items() if words} == {}
    found, records = try_bosses(game, open_sandbox())
    assert found.complaints == ()
    assert [len(record.scores) for record in records] == [2, 3, 4]
    assert [record_difference(record, game) for record in records] == [None] * 3


def test_what_is_wrong_with_matches_of_four_is_said_of_them(game: Game) -> None:
    broken = replace(game, referee=of_four, most_asks_per_seat=6)
    found = [*kit.length_complaints(broken, ())]
    assert len(found) == len([seed for seed in range(kit.ROUNDS) if game.players[seed % 3] == 4])
    assert found[0] == "4 players, seed 2, level 19, answers 2: seat 3 is asked 7 times; most_asks_per_seat: 6"
    silent = [words.partition(" gives")[0] for words in kit.silence_complaints(broken)]
    assert silent == [f"{players} players, level 19: seat {players - 1}" for players in (2, 3, 4)]


def test_records_name_a_bot_for_each_seat_and_numbers_of_players_take_turns(game: Game) -> None:
    bots = [Path("a.py"), Path("b.py")]
    found = fixtures(game, bots, 6, 1)
    assert [(spec.players, len(seats)) for spec, seats in found] == [(2, 2), (3, 3), (4, 4)] * 2
    assert found[4][1] == (bots[0], bots[0], bots[1])
