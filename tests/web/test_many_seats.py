"""Games for more than two players, also ones that only a server has: pages, routes and commands."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.ladders.remote import GamesOfServer
from cli.match.view.command import game_to_show
from engine.errors import Refused, UnknownName
from ladder.access import Actor, Role, Scope
from ladder.actions.seasons import close
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool, transaction
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matchmaking.requests import ask
from ladder.names import NamedVersion
from ladder.ratings import standings
from ladder.ratings.counts import places_text, places_words
from ladder.views.turns.match import watch_match
from tests.catalogue import GAMES
from tests.conftest import cloned, opened, url_of
from tests.fakes import RememberingQueue
from tests.ladder.arena import rows_of, within
from tests.ladder.foragers import FOLDER, FORAGERS, GAMES_HERE
from tests.throwaway import written
from tests.web.commands import Printed, Typist
from tests.web.serving import KEY, Served, serving, serving_players
from workers.embedded.state_file import Running


@dataclass(frozen=True)
class Table:
    """A site that shows a league of foragers, and the ids of two of its matches: of three and of four players."""

    site: Served
    pool: Pool
    of_three: int
    of_four: int


@contextmanager
def a_table(services: Running, made: tuple[str, dict[int, MatchId]]) -> Iterator[Table]:
    template, played = made
    with (
        cloned(services, template) as name,
        opened(services, name, most=8) as pool,
        serving(pool, games=GAMES_HERE) as site,
    ):
        yield Table(site, pool, played[3], played[4])


@pytest.fixture(scope="module")
def table(services: Running, with_foragers: tuple[str, dict[int, MatchId]]) -> Iterator[Table]:
    """For tests that only read."""
    with a_table(services, with_foragers) as made:
        yield made


@pytest.fixture
def own_table(services: Running, with_foragers: tuple[str, dict[int, MatchId]]) -> Iterator[Table]:
    with a_table(services, with_foragers) as made:
        yield made


def test_every_page_and_route_shows_matches_of_more_than_two_players(table: Table) -> None:
    three, four = table.of_three, table.of_four
    for path in (
        "/",
        "/games/foragers",
        "/games/foragers/leagues/arena",
        "/games/foragers/matches",
        "/games/foragers/matches?bot=ant&against=bee",
        "/games/foragers/bots/ant",
        "/games/foragers/bots/ant/v/1",
        "/games/foragers/versus?a=ant&b=bee",
        f"/matches/{three}",
        f"/matches/{four}",
        f"/matches/{four}/data",
        "/api/v1/games/foragers/bots/ant",
        "/api/v1/games/foragers/bots/ant/why",
        "/api/v1/games/foragers/bots/ant/ratings",
        "/api/v1/games/foragers/bots/ant/timing",
        "/api/v1/games/foragers/versus?a=ant&b=bee",
        f"/api/v1/matches/{four}/replay",
        f"/api/v1/matches/{four}/seats/3/input",
        f"/api/v1/matches/{four}/seats/3/stderr",
    ):
        answer = table.site.get(path)
        assert answer.status_code == 200, (path, re.findall(r"<main.*?</main>|detail.*", answer.text, re.DOTALL))


def test_a_board_counts_battles_by_the_matches_that_one_has_there(table: Table) -> None:
    matches: dict[str, int] = dict(
        rows_of(table.pool, "SELECT version_name(version_id), matches FROM standings WHERE on_board AND matches > 0")
    )
    page = table.site.get("/games/foragers/leagues/arena").text
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in page.split("<tr")]
    battles = {re.sub("<[^>]+>", "", cells[1]).strip(): cells[9].strip() for cells in rows if len(cells) == 14}
    assert {name: float(battles[name]) for name in matches} == {
        name: round(played / 3, 1) for name, played in matches.items()
    }


def test_the_page_of_a_match_has_a_card_for_each_seat_with_its_place(table: Table) -> None:
    text = table.site.get(f"/matches/{table.of_four}").text
    assert re.findall(r"<h2>Seat (\d):", text) == ["0", "1", "2", "3"]
    places = [int(place) for place in re.findall(r"<dt>result</dt><dd[^>]*>place (\d)", text)]
    assert len(places) == 4
    assert min(places) == 1


def test_a_seat_that_the_match_has_not_is_refused(table: Table) -> None:
    for what in ("input", "stderr"):
        answer = table.site.get(f"/api/v1/matches/{table.of_three}/seats/3/{what}")
        assert answer.status_code in {404, 422}, answer.text
        assert "seat" in answer.json()["detail"]


def test_matches_are_found_by_any_of_their_seats(table: Table) -> None:
    def found(where: str) -> set[int]:
        rows = table.site.client.get("/api/v1/games/foragers/matches", params={"where": where, "limit": "500"})
        return {row["id"] for row in rows.json()["items"]}

    every = table.site.get("/api/v1/games/foragers/matches?limit=500").json()["items"]
    with_ant = {row["id"] for row in every if any("ant@" in seat["version"] for seat in row["seats"])}
    with_both = {
        row["id"] for row in every if {"ant", "elk"} <= {seat["version"].partition("@")[0] for seat in row["seats"]}
    }
    assert found("bot = ant") == with_ant
    assert found("bot = ant and opponent = elk") == with_both


def test_the_operations_room_shows_all_versions_of_a_request_and_places_of_the_first(own_table: Table) -> None:
    three = [NamedVersion("crow"), NamedVersion("ant"), NamedVersion("bee")]
    within(own_table.pool, ask, three, 1, "kim", FORAGERS.name)
    _, _, shown = re.sub("<[^>]+>", " ", own_table.site.get("/operations").text).partition("Requests")
    assert re.sub(" +", " ", shown).count("crow@v1 , ant@v1 and bee@v1") == 1
    assert "1st 0, 2nd 0, 3rd 0" in shown


def test_the_board_the_page_of_a_version_and_the_routes_show_its_places(table: Table) -> None:
    with transaction(table.pool) as connection:
        league = leagues.find_league(connection, FORAGERS.name, "arena")
        rows = {row.name: row.record for row in standings.board(connection, league.id)}
    crow = rows["crow@v1"]
    assert sum(crow.places) > 0
    page = table.site.get("/games/foragers/leagues/arena").text
    heads = [plain_text(cell) for cell in re.findall(r"<th scope=\"col\".*?</th>", page, re.DOTALL)]
    assert heads[3:7] == ["score", "1st/2nd/3rd/4th", "mean place", "since it came"]
    cells = [[plain_text(one) for one in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)] for row in page.split("<tr")]
    shown = {line[1]: line[4:6] for line in cells if len(line) == 14}
    assert {name: shown[name] for name in rows} == {
        name: [places_words(record.places), "" if record.mean_place is None else f"{record.mean_place:.2f}"]
        for name, record in rows.items()
    }
    own = plain_text(table.site.get("/games/foragers/bots/crow/v/1").text)
    assert f"came {places_text(crow.places)}, mean place {crow.mean_place:.2f}" in own
    met = crow.wins + crow.draws + crow.losses
    assert met > sum(crow.places)
    assert f"All {met} meetings with opponents in rated matches" in own
    items = table.site.get("/api/v1/games/foragers/leagues/arena/board").json()["items"]
    assert {row["version"]: row["places"] for row in items} == {name: [*one.places] for name, one in rows.items()}
    of_two = table.site.get("/api/v1/games/ocean-of-code/leagues/wood-2/board").json()["items"]
    assert all("places" not in row for row in of_two)


def plain_text(text: str) -> str:
    return re.sub("<[^>]+>", "", text).strip()


COMMANDS = ("board --game foragers", "board --game foragers --where turns>=0", "season show foragers 1")


def test_boards_with_places_are_printed_the_same_from_afar_and_a_final_one_has_a_page(
    own_table: Table, services: Running, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    close(Actor("olga", Role.OPERATOR), own_table.pool, FORAGERS.name)
    monkeypatch.setenv("LADDER_GAMES", str(FOLDER))
    here = {"LADDER_DATABASE_URL": url_of(services, own_table.pool), "LADDER_BROKER_URL": "redis://127.0.0.1:1"}
    afar = {"LADDER_SERVER": own_table.site.address, "LADDER_TOKEN": KEY.text}
    for words in COMMANDS:
        for form in ("", " --json", *([] if "where" in words else [" --csv"])):
            found = typed(words + form, here)
            assert typed(words + form, afar) == found
            assert (found.status, "places" in found.out) == (0, True)
    assert "1st/2nd/3rd/4th" in plain_text(own_table.site.get("/games/foragers/seasons/1").text)


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


def test_commands_know_them_by_name(far: Far, tmp_path: Path, typed: Typist) -> None:
    file = written(tmp_path / "fox.py", "print('PICK 0')\n")

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


def test_a_match_has_no_pictures_where_its_game_is_not(far: Far, tmp_path: Path, typed: Typist) -> None:
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
