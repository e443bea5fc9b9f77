"""What a shell completes when somebody presses Tab, with no services."""

from __future__ import annotations

import pytest

from engine.sandbox import AUTO, TIERS
from engine.toolchains.languages import languages
from tests.acceptance.conftest import Desk, completed
from tests.catalogue import GAMES

ALL_LEAGUES = {league.name for game in GAMES.all for league in game.leagues}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("board", "--game", ""), set(GAMES.names)),
        (("submit", "kraken.cpp", "--game", "oc"), {"ocean-of-code"}),
        (("play", ""), set(GAMES.names)),
        (("league", "show", "ice"), {"ice-and-fire"}),
        (("board", "--league", ""), ALL_LEAGUES),
        (("board", "--game", "ocean-of-code", "--league", "wood"), {"wood-1", "wood-2"}),
        (("game", "show", "ice-and-fire", "--league", "wood"), {"wood-1", "wood-2", "wood-3"}),
        (("board", "--game", "chess", "--league", ""), ALL_LEAGUES),
        (("submit", "kraken.cpp", "--language", ""), set(languages())),
        (("play", "--sandbox", ""), {AUTO, *TIERS}),
        (("play", "ocean-of-code", "nemo.py", "boss-wood"), {"boss-wood-1", "boss-wood-2"}),
        (("gauntlet", "run", "kraken@v8", "--sandbox", "none"), {"none"}),
        (("board", "--game", "x"), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_known_names_are_completed(
    desk: Desk, capfd: pytest.CaptureFixture[str], words: tuple[str, ...], found: set[str]
) -> None:
    assert completed(desk, capfd, *words) == found
    assert not desk.home.exists()
