"""What a shell completes when somebody presses Tab, with no services."""

from pathlib import Path

import pytest

from engine.boxes import AUTO
from engine.game import Games
from engine.sandbox.choice import TIERS
from engine.toolchains.languages import languages
from ladder.access import Actor, Role
from ladder.actions.games import remove
from ladder.database.connection import Pool
from ladder.games.catalogue import GamesOfLadder
from tests.acceptance.conftest import LADDER, NO_BROKER, Desk, completed
from tests.catalogue import GAMES
from tests.ladder.test_games import added
from tests.processes import finished
from tests.web.serving import KEY, serving

ALL_LEAGUES = {league.name for game in GAMES.all for league in game.leagues}


def test_known_names_are_completed(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    for words, found in (
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
    ):
        assert completed(desk, capfd, *words) == found, words
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
    done = finished(["bash", "-c", "\n".join(lines)], env=desk.full_environment())
    assert (done.stdout, done.stderr) == (f"{found}\n", "")


def test_games_of_the_ladder_and_their_leagues_are_completed_until_they_are_removed(
    pool: Pool, broker_url: str, desk: Desk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    added(pool, tmp_path)
    for words in (
        ("board", "--game", "tr"),
        ("game", "show", "tr"),
        ("play", "tr"),
        ("game", "remove", "tr"),
        ("game", "check", "tr"),
    ):
        assert completed(desk, capfd, *words) == {"tron"}
    assert completed(desk, capfd, "board", "--game", "tron", "--league", "") == {"arena"}
    assert completed(desk, capfd, "game", "show", "") == {*GAMES.names, "tron"}
    remove(Actor("olga", Role.OPERATOR), pool, "tron")
    assert completed(desk, capfd, "game", "show", "tr") == set()


def test_games_that_only_a_server_has_are_completed_where_it_is_meant(
    pool: Pool, desk: Desk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    added(pool, tmp_path)
    games = Games(GAMES.here, {}, GamesOfLadder(pool.connection))
    with serving(pool, games=games) as site:
        there = Desk(desk.home, {"LADDER_SERVER": site.address, "LADDER_TOKEN": KEY.text})
        assert completed(there, capfd, "board", "--game", "tr") == {"tron"}
        assert completed(there, capfd, "board", "--game", "tron", "--league", "") == {"arena"}
        assert completed(there, capfd, "play", "tr") == set(), "it is played here alone"
        mine = Desk(desk.home, {"LADDER_TOKEN": KEY.text})
        assert completed(mine, capfd, "--server", site.address, "board", "--game", "tr") == {"tron"}
    assert completed(there, capfd, "board", "--game", "oc") == {"ocean-of-code"}, "where no server answers"
    assert not desk.home.exists()


def test_where_no_database_answers_the_other_games_are_completed_in_silence(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    for address in ("postgresql://nobody@127.0.0.1:1/nothing", "postgresql://nobody@192.0.2.1/nothing", "no address"):
        away = Desk(desk.home, {"LADDER_DATABASE_URL": address, **NO_BROKER})
        assert completed(away, capfd, "board", "--game", "oc") == {"ocean-of-code"}
