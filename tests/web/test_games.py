"""The front page, a game, the rules of a league, the boards of a closed season and the search field in the browser."""

import re

import httpx
import pytest

from ladder.access import Actor, Role
from ladder.actions import seasons
from ladder.choices import MoveKind
from ladder.database.connection import Pool, transaction
from ladder.views.seasons import final_season
from ladder.web.pages.home import VISITS, front, own_versions, visits
from tests.catalogue import GAMES
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import change
from tests.web.a_ladder import BusyLadder, SmallLadder
from tests.web.everybody import Everybody
from tests.web.serving import Served
from tests.web.test_boards import BOARD, next_of, versions_of, words_of

GAME = "ocean-of-code"
SEASON = f"/games/{GAME}/seasons/1"


@pytest.fixture(scope="module")
def closed_season(small_ladder_pool: Pool) -> int:
    return seasons.close(Actor("kim", Role.OPERATOR), small_ladder_pool, GAME).number


def test_the_front_page_shows_games_leagues_and_leaders(
    site: Served, small_ladder_pool: Pool, small_ladder: SmallLadder
) -> None:
    change(
        small_ladder_pool,
        "UPDATE matches SET finished_at = now() - interval '1 hour' * (id <> %s::bigint)::integer"
        " WHERE finished_at IS NOT NULL",
        small_ladder.matches[GAME][0],
    )
    found = within(small_ladder_pool, front)
    page = site.get("/").text
    said = words_of(page)
    assert "A Code of Ice and Fire" in said
    assert "Ocean of Code" in said
    for leagues in found["games"].values():
        for one in leagues:
            assert f">{one.league.title}</a>" in page
            assert all(leader.version in said for leader in one.leaders if one.of_players)
    assert 'class="stage alone"' in page, "a match plays by itself"
    assert found["per_minute"] == 1
    assert "1 match in the last minute" in said
    assert "No gauntlet is running" in said
    assert "Latest promotions" not in said
    assert "Submit your first bot" not in said


def test_the_front_page_of_a_ladder_without_players_says_how_to_begin(site: Served, small_ladder_pool: Pool) -> None:
    of_players = (
        "SELECT version_id FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id"
    )
    ids = [row[0] for row in rows_of(small_ladder_pool, f"{of_players} WHERE on_board AND boss_of IS NULL")]
    change(small_ladder_pool, "UPDATE standings SET on_board = false WHERE version_id = ANY(%s)", ids)
    said = words_of(site.get("/").text)
    change(small_ladder_pool, "UPDATE standings SET on_board = true WHERE version_id = ANY(%s)", ids)
    assert "Submit your first bot" in said
    assert re.search(r"ladder new my-bot --game \S+ --language python\s+cd my-bot\s+ladder submit --watch", said)
    assert "ladder login" not in said, "this machine's own ladder"
    assert "0.00" not in said


def test_the_front_page_says_where_ones_own_bots_stand_and_what_they_did_in_a_day(small_ladder_pool: Pool) -> None:
    own = within(small_ladder_pool, own_versions, "KIM")
    assert [(one.version, one.title, one.rank, one.versions) for one in own if one.game == GAME] == [
        ("wahoo@v1", "Wood 2", 1, 3),
        ("kraken@v2", "Wood 2", 2, 3),
    ]
    assert all(one.wins + one.draws + one.losses > 0 for one in own)
    change(small_ladder_pool, "UPDATE matches SET finished_at = finished_at - interval '25 hours'")
    assert {(one.wins, one.draws, one.losses) for one in within(small_ladder_pool, own_versions, "kim")} == {(0, 0, 0)}
    assert within(small_ladder_pool, own_versions, "nobody") == []


def test_a_visit_ends_half_an_hour_after_its_last_look() -> None:
    first = visits(None, 100_000)
    assert first == (100_000 - 86_400, 100_000), "who was never here reads of a day"
    assert visits("13600.100000", 100_900) == (13_600, 100_900), "the same visit"
    assert visits("13600.100900", 110_000) == (100_900, 110_000), "another one"
    assert visits("999999999.999999999", 110_000) == (110_000, 110_000), "no time to come"
    assert visits("x", 100_000) == visits("", 100_000) == visits("1.2.3", 100_000) == first


def test_the_front_page_says_what_became_of_ones_bots_since_one_was_there(everybody: Everybody) -> None:
    def looked(cookie: str) -> httpx.Response:
        both = "; ".join((everybody.headers["session"]["Cookie"], f"{VISITS}={cookie}"))
        return everybody.site.client.get("/", headers={**everybody.headers_of("session"), "Cookie": both})

    change(
        everybody.pool,
        """
        INSERT INTO moves (version_id, from_league, to_league, at, kind)
        SELECT versions.id, lower_league.id, upper_league.id, now() - interval '1 minute', 'promotion'
        FROM versions JOIN bots ON bots.id = bot_id, leagues AS lower_league JOIN leagues AS upper_league USING (game)
        WHERE bots.name = 'wahoo' AND bots.game = 'ocean-of-code' AND lower_league.game = bots.game
          AND lower_league.name = 'wood-2' AND upper_league.name = 'wood-1'
        """,
    )
    found = looked("1000000000.1000000000")
    assert "won/drawn/lost since 2001-09-09" in words_of(found.text)
    assert "up from Wood 2" in words_of(found.text)
    (kept,) = [line for line in found.headers.get_list("set-cookie") if line.startswith(VISITS)]
    assert re.match(rf"{VISITS}=1000000000\.\d{{10}};", kept)
    assert "up from" not in words_of(looked("9999999999.9999999999").text)
    assert VISITS not in str(everybody.ask("nobody", "get", "/").headers)


def test_the_front_page_shows_a_promotion(site: Served, small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    change(
        small_ladder_pool,
        "INSERT INTO moves (version_id, from_league, to_league, kind)"
        " SELECT %s, lower_league.id, upper_league.id, %s"
        " FROM leagues AS lower_league JOIN leagues AS upper_league USING (game)"
        " WHERE game = %s AND lower_league.name = 'wood-2' AND upper_league.name = 'wood-1'",
        small_ladder.versions["wahoo@v1"],
        MoveKind.PROMOTION,
        GAME,
    )
    said = words_of(site.get("/").text)
    assert "wahoo@v1 kim Wood 1 Wood 2" in said
    assert "0 being played" in said


def test_the_front_page_shows_what_runs(busy_site: Served, busy_ladder_pool: Pool, busy_ladder: BusyLadder) -> None:
    change(
        busy_ladder_pool,
        "UPDATE matches SET state = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 hour'"
        " WHERE id = (SELECT min(id) FROM matches WHERE state = 'queued')",
    )
    page = busy_site.get("/").text
    said = words_of(page)
    assert f'href="/gauntlets/{busy_ladder.gauntlets["running"]}"' in page
    assert "1 being played" in said
    assert "No gauntlet is running" not in said
    (playing,) = within(busy_ladder_pool, front)["running"]
    assert f'href="/matches/{playing.match.id}"' in page


def test_a_game_shows_leagues_with_their_settings_and_its_seasons(site: Served) -> None:
    page = site.get(f"/games/{GAME}").text
    said = words_of(page)
    for words in ("Legend", "boss-legend", "level 1", "1000, 50 ms", "draw_probability", "since the start"):
        assert words in said
    assert f'href="/games/{GAME}/rules/wood-2"' in page
    assert f'href="/games/{GAME}/leagues/wood-2"' in page
    assert "wahoo@v1" in said


def test_rules_are_those_that_players_of_the_league_read(site: Served) -> None:
    heading = GAMES.find(GAME).statement(1).splitlines()[0].removeprefix("# ")
    assert heading in words_of(site.get(f"/games/{GAME}/rules/wood-2").text)
    french = GAMES.find(GAME).statement(1, "fr").splitlines()[0].removeprefix("# ")
    page = site.get(f"/games/{GAME}/rules/wood-2?lang=fr").text
    assert " ".join(french.split()) in words_of(page)
    assert '<article class="document" lang="fr">' in page
    assert heading in words_of(site.get(f"/games/{GAME}/rules/wood-2?lang=xx").text)
    assert heading not in words_of(site.get(f"/games/{GAME}/rules/legend").text)


def test_a_closed_season_shows_its_final_boards(site: Served, small_ladder_pool: Pool, closed_season: int) -> None:
    found = within(small_ladder_pool, final_season, GAME, closed_season)
    page = site.get(SEASON).text
    assert versions_of(page) == [line.version for board in found.boards for line in board.lines]
    assert "unplayed" in words_of(page)
    assert f'href="{SEASON}"' in site.get(f"/games/{GAME}").text


def test_a_long_final_board_goes_on_at_its_end(site: Served, small_ladder_pool: Pool, closed_season: int) -> None:
    with transaction(small_ladder_pool) as connection:
        whole = final_season(connection, GAME, closed_season, "wood-2").boards[0]
        parts = [final_season(connection, GAME, closed_season, "wood-2", after, 1) for after in range(3)]
    assert [part.boards[0].lines[0] for part in parts] == whole.lines
    assert [part.boards[0].more for part in parts] == [2, 1, 0]
    page = site.get(f"{SEASON}?league=wood-2&after=1").text
    assert versions_of(page) == [line.version for line in whole.lines[1:]]
    assert next_of(page) is None
    assert "No version stood on that board" in words_of(site.get(f"{SEASON}?league=wood-2&after=99").text)


@pytest.mark.usefixtures("closed_season")
def test_what_is_not_there_is_said(site: Served) -> None:
    for path, status, words in (
        ("/games/nope", 404, "unknown game"),
        ("/games/nope/rules/wood-2", 404, "unknown game"),
        (f"/games/{GAME}/rules/nope", 404, "unknown league"),
        (f"/games/{GAME}/seasons/9", 404, "unknown season"),
        (f"/games/{GAME}/seasons/2", 409, "is not closed yet"),
        (f"/games/{GAME}/seasons/{'9' * 30}", 404, "unknown season"),
        (f"/games/{GAME}/seasons/-1", 404, "unknown season"),
        (f"/games/{GAME}/seasons/first", 422, "must be a whole number"),
        (f"{SEASON}?after=-1", 422, "at least 0"),
        (f"{SEASON}?after={'9' * 30}", 422, "at most"),
        (f"{SEASON}?league=nope", 404, "unknown league"),
        ("/games/nope/seasons/1", 404, "unknown game"),
        (f"/games/{GAME}/leagues/nope", 404, "unknown league of ocean-of-code"),
        ("/games/nope/leagues/bronze", 404, "unknown game"),
        (f"{BOARD}?after=nonsense", 422, "is not a place on a board"),
        (f"{BOARD}?after=1:2:{'9' * 30}", 422, "is not a place on a board"),
        (f"{BOARD}?retired=maybe", 422, "retired"),
        (f"/games/{GAME}/leagues/a%00b", 404, "character 0"),
        (f"{BOARD}?name=%00", 404, "character 0"),
        (f"{BOARD}?name={'x' * 10_000}", 200, "No version"),
        (f"/games/{GAME}/leagues/..%2f..%2f", 404, ""),
        (f"/games/{GAME}/leagues/%ff", 404, "unknown league"),
    ):
        answer = site.get(path)
        assert answer.status_code == status, path
        assert words in words_of(answer.text), path


def test_a_game_of_many_seasons_leads_to_all_of_them(site: Served, small_ladder_pool: Pool) -> None:
    change(
        small_ladder_pool,
        "INSERT INTO seasons (game, number, opened_at, closed_at)"
        " SELECT 'ice-and-fire', number, now() - interval '1 day', now() FROM generate_series(1, 30) AS number",
    )
    page = site.get("/games/ice-and-fire").text
    assert [one for one in range(1, 31) if f'href="/games/ice-and-fire/seasons/{one}"' in page] == [*range(1, 31)]
    assert "Earlier: 11 , 10 , 9" in words_of(page)
    assert "since the start" not in words_of(page)


def led_to(site: Served, words: str) -> str:
    answer = site.client.get("/search", params={"q": words})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def test_a_number_or_a_name_or_part_of_only_one_leads_to_its_page(site: Served, small_ladder: SmallLadder) -> None:
    for words in ("{}", "#{}", "match {}", " Match #{} "):
        match_id = small_ladder.matches[GAME][0]
        assert led_to(site, words.format(match_id)) == f"/matches/{match_id}"
    for words, address in (
        ("wahoo", f"/games/{GAME}/bots/wahoo"),
        ("WAHOO", f"/games/{GAME}/bots/wahoo"),
        ("wah", f"/games/{GAME}/bots/wahoo"),
        ("kraken@v2", f"/games/{GAME}/bots/kraken/v/2"),
        ("kraken@x", f"/games/{GAME}/bots/kraken"),
        ("kim", "/players/kim"),
    ):
        assert led_to(site, words) == address


def test_names_that_several_have_are_listed_with_whose_they_are(site: Served) -> None:
    page = site.client.get("/search", params={"q": "boss-wood-2"})
    assert page.status_code == 200
    for game in (GAME, "ice-and-fire"):
        assert f'href="/games/{game}/bots/boss-wood-2"' in page.text
    assert "Ocean of Code" in (said := words_of(page.text))
    assert "A Code of Ice and Fire" in said


def test_what_nothing_is_called_gets_a_sentence(site: Served) -> None:
    for words in ("nobody-here", "99999999999999999999", "%", "_", "<script>", "a" * 5000):
        page = site.client.get("/search", params={"q": words})
        assert page.status_code == 200, words
        assert "No bot and no player has that in its name" in words_of(page.text), words
        assert "<script>" not in page.text, words


def test_without_words_the_page_says_what_can_be_typed(site: Served) -> None:
    assert "Type a bot or a player" in words_of(site.get("/search").text)


def test_an_address_that_is_none_leads_on(site: Served) -> None:
    page = site.get("/games/ocean-of-code/bots/nobody")
    assert page.status_code == 404
    assert 'action="/search"' in page.text
    assert "by name or number in the top bar" in words_of(page.text)
