"""Games that only a server has: commands that need their name alone work, and matches are shown without pictures."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.ladders.remote import GamesOfServer
from cli.match.view.command import game_to_show
from engine.errors import Refused, UnknownName
from ladder.access import Actor, Scope
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool
from ladder.ids import MatchId
from ladder.views.turns.match import watch_match
from tests.catalogue import GAMES
from tests.conftest import cloned, opened
from tests.fakes import RememberingQueue
from tests.ladder.arena import within
from tests.ladder.foragers import GAMES_HERE
from tests.web.commands import Printed, Typist
from tests.web.serving import serving_players
from workers.embedded.state_file import Running


@dataclass(frozen=True)
class Far:
    """A server with a game that this machine does not have, a finished match of it, and what commands are to know."""

    pool: Pool
    environment: dict[str, str]
    match_id: MatchId


@pytest.fixture
def far(services: Running, with_foragers: tuple[str, dict[int, MatchId]]) -> Iterator[Far]:
    template, played = with_foragers
    with cloned(services, template) as name, opened(services, name, most=8) as pool:
        token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ, Scope.SUBMIT, Scope.PLAY}))).secret
        with serving_players(pool, RememberingQueue, GAMES_HERE) as site:
            yield Far(pool, {"LADDER_SERVER": site.address, "LADDER_TOKEN": token}, played[4])


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "fox.py"
    path.write_text("print('PICK 0')\n")
    return str(path)


def test_commands_know_them_by_name(far: Far, file: str, tmp_path: Path, typed: Typist) -> None:
    def done(words: str) -> Printed:
        return typed(words, far.environment)

    leagues = tmp_path / "leagues.toml"
    for words, part in [
        ("bot list --game foragers", "ant"),
        ("board --game foragers", "ant@v1"),
        ("league show foragers", 'game = "foragers"'),
        ("season show foragers", "foragers"),
        ("contest status foragers", "ant@v1"),
        (f"submit {file} --game foragers", "submitted fox@v1"),
        ("gauntlet auto --game foragers", "no gauntlet is played by itself"),
        ("gauntlet run ant --against bee --game foragers --pairs 1 --detach", "is ant@v1 better than bee@v1?"),
    ]:
        found = done(words)
        assert (found.status, part in found.out) == (0, True), (words, found)
    leagues.write_text(done("league show foragers").out)
    for words, status, sentence in [
        (f"submit {file} --game chess", 2, "unknown game 'chess'; known: ocean-of-code, ice-and-fire, foragers"),
        ("season plan foragers --submit-until 2099-01-01", 3, "operator"),
        (f"league apply {leagues}", 3, "operator"),
        ("board --game foragers --frozen-from 2001-01-01", 3, "operator"),
        ("game lock foragers --why final", 3, "operator"),
        ("contest open foragers --leagues 1 --until 2099-01-01", 3, "operator"),
        ("token create --name x --scope read --game foragers", 3, "a token may not create a token"),
    ]:
        found = done(words)
        assert (found.status, found.out, sentence in found.err) == (status, "", True), (words, found)


def test_a_match_is_shown_without_pictures_and_one_of_here_only_where_its_game_is(
    far: Far, tmp_path: Path, typed: Typist
) -> None:
    page = tmp_path / "match.html"
    for words in (f"match view {far.match_id}", f"match view {far.match_id} --turn 2"):
        found = typed(words, far.environment)
        assert (found.status, f"match {far.match_id}: " in found.out) == (0, True), found
    assert typed(f"match view {far.match_id} --html {page}", far.environment).status == 0
    assert "const game = null;" in page.read_text("utf-8")
    again = typed(f"match rematch {far.match_id}", far.environment)
    assert (again.status, again.out) == (2, ""), "it cannot be played here"
    assert "unknown game 'foragers'" in again.err
    watched = within(far.pool, watch_match, GAMES_HERE, far.match_id)
    assert game_to_show(typed.context(far.environment), watched) is None
    with pytest.raises(UnknownName):
        game_to_show(typed.context({"LADDER_SERVER": "local"}), watched)


def test_the_files_of_a_referee_are_only_there() -> None:
    games = GamesOfServer("https://arena.example")
    assert games.present() == ()
    with pytest.raises(Refused, match=r"only https://arena\.example has the files of this game"):
        games.edition("0" * 64)
    assert [game.name for game in GAMES.here]
