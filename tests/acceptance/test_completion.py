"""What a shell completes when somebody presses Tab, with no services."""

from __future__ import annotations

import subprocess

import pytest

from engine.sandbox import AUTO, TIERS
from engine.toolchains.languages import languages
from tests.acceptance.conftest import LADDER, Desk, completed
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


@pytest.mark.parametrize(
    ("words", "place", "found"),
    [
        ("match show play :", 4, "1 2"),
        ("match show local : 1", 5, "12 11"),
        ("match compare play : 1 local :", 7, "12 11"),
        ("match compare play : 1 pl", 6, "play:1 play:2"),
    ],
)
def test_bash_itself_which_breaks_words_at_colons_completes_the_names_of_local_matches(
    desk: Desk, words: str, place: int, found: str
) -> None:
    (desk.home / "played").mkdir(parents=True)
    for number in (11, 12):
        (desk.home / "played" / f"{number}.match").touch()
    lines = (
        f'eval "$(_LADDER_COMPLETE=source_bash {LADDER})"',
        f"COMP_WORDS=(ladder {words})",
        f"COMP_CWORD={place}",
        f"_ladder_completion {LADDER}",
        'echo "${COMPREPLY[@]}"',
    )
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=False, env=desk.full_environment()
    )
    assert (done.stdout, done.stderr) == (f"{found}\n", "")
