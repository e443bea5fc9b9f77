"""`ladder match input`: what a seat was sent makes its bot say the same again, outside of any match."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine.game import Game
from engine.sandbox.choice import open_sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.patience import patience_s

SEED = "20"


def pairs(game: Game) -> list[tuple[Path, Path]]:
    """All bots that ship with a game, two by two; each of them draws its chances from its input alone."""
    bots = sorted(file for file in game.bots_folder.iterdir() if file.is_file())
    if len(bots) % 2:
        bots.append(bots[0])
    return [pair for number, pair in enumerate(pairwise(bots)) if number % 2 == 0]


PAIRS = [(game, *pair) for game in GAMES.all for pair in pairs(game)]


def answers(bot: Path, sent: str) -> list[str]:
    program = build(bot.read_text("utf-8"), language_of(bot), open_sandbox())
    box = program.box()
    said = run_to_end(open_sandbox(), box, sent.encode(), wall_limit_s=patience_s(), output_kb=1000)
    return said.stdout.decode().splitlines()


@pytest.mark.parametrize(("game", "zero", "one"), PAIRS, ids=lambda value: getattr(value, "stem", value.name))
def test_fed_with_its_seats_input_a_bot_says_the_recorded_lines(desk: Desk, game: Game, zero: Path, one: Path) -> None:
    desk.ok("play", game.name, zero, one, "--seed", SEED, "--no-limit")
    said = desk.json("match", "show", "play:1")["said"]
    for seat, bot in enumerate((zero, one)):
        recorded = [turn["line"] for turn in said if turn["seat"] == seat]
        assert len(recorded) > 3
        assert None not in recorded
        assert answers(bot, desk.ok("match", "input", "play:1", "--seat", str(seat))) == recorded
