"""What many pages share, and a league's board in the browser: page by page, searched, asked for what is not there."""

import re
from html import unescape

import pytest

from engine.text import ordinal
from ladder.database.connection import Pool, moment_seen, transaction
from ladder.leagues import leagues
from ladder.promotions.outlook import missing_text
from ladder.views.boards import LiveBoard, live_board, read_pages
from ladder.views.matches import latest
from ladder.views.progress import contenders
from ladder.web import addresses
from ladder.web.rendering import STATIC, environment, rating_bar, scale_of
from ladder.web.site import MOST_PAGES, LatestReads, Site
from tests.bench.full_ladder import add_versions
from tests.catalogue import GAMES
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import History, change
from tests.web.everybody import Everybody
from tests.web.serving import Served


def test_an_address_keeps_every_name_in_its_part() -> None:
    for made, address in (
        (addresses.board("ocean-of-code", "wood-3"), "/games/ocean-of-code/leagues/wood-3"),
        (addresses.board("g", "l", after="50:27.25:1234", name=None), "/games/g/leagues/l?after=50:27.25:1234"),
        (addresses.version("ocean-of-code", "kraken", 8), "/games/ocean-of-code/bots/kraken/v/8"),
        (addresses.page_of_name("ocean-of-code", "boss@v1"), "/games/ocean-of-code/bots/boss/v/1"),
        (addresses.page_of_name("ocean-of-code", "kraken"), "/games/ocean-of-code/bots/kraken"),
        (addresses.versus("g", "kraken@v8", "boss-gold"), "/games/g/versus?a=kraken@v8&b=boss-gold"),
        (addresses.compare(17, 23), "/compare?a=17&b=23"),
        (addresses.matches("g", "turns > 9"), "/games/g/matches?where=turns+%3E+9"),
        (addresses.game("../a/b?c#d%"), "/games/..%2Fa%2Fb%3Fc%23d%25"),
    ):
        assert made == address


def drawn(macro: str, *values: object, **named: object) -> str:
    return str(getattr(environment().get_template("parts.html").module, macro)(*values, **named))


def test_matches_are_listed_from_the_side_of_their_bot(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        of_bot = latest(connection, 4, "wahoo")
        of_game = latest(connection, 4, game="ocean-of-code")
    table = drawn("matches_table", of_bot.matches, of_bot.of)
    assert table.count(">wahoo@v1<") == table.count(">kraken@v2<") == 4
    assert table.index(">wahoo@v1<") < table.index(">kraken@v2<")
    assert ">won<" in table
    assert ">lost<" in table
    assert ">result<" not in drawn("matches_table", of_game.matches)


def test_bars_stand_on_a_common_scale() -> None:
    """The lowest begins at the left end, the highest ends at the right one; all else lies between."""
    scale = scale_of([(20.0, 5.0), (30.0, 5.0)])
    assert (scale.low, scale.high) == (15.0, 35.0)
    assert 'x="0.0" y="2" width="60.0"' in rating_bar(20.0, 5.0, scale)
    assert 'x="60.0" y="2" width="60.0"' in rating_bar(30.0, 5.0, scale)
    assert scale_of([]).at(0.0) == 0.0


def test_the_style_sheet_is_small() -> None:
    assert (STATIC / "style.css").stat().st_size < 20_000


def test_a_page_is_given_again_to_those_alone_who_ask_for_the_same_at_the_same_moment() -> None:
    """Of no moment nothing is kept, as where a database cannot say which one it is; else what was made last."""
    kept = LatestReads[bytes]()
    kept.keep("board", "monday", b"one")
    assert kept.find("board", "monday") == b"one"
    assert kept.find("board", "tuesday") is None
    assert kept.find("another board", "monday") is None
    kept.keep("board", "tuesday", b"two")
    assert kept.find("board", "monday") is None
    assert kept.find("board", "tuesday") == b"two"
    kept.keep("another board", None, b"one")
    assert kept.find("another board", None) is None
    for number in range(MOST_PAGES + 1):
        kept.keep(number, "monday", b"page")
    found = [kept.find(number, "monday") for number in range(MOST_PAGES + 1)]
    assert found == [None] + [b"page"] * MOST_PAGES


def test_every_change_makes_another_moment(pool: Pool) -> None:
    site = Site(pool, GAMES, None)

    def seen() -> str:
        with site.reading() as connection:
            return str(moment_seen(connection))

    assert any(seen() == seen() for _ in range(20))  # a second may have ended in between, or the server tidied up
    with transaction(pool) as late:
        late.execute("INSERT INTO players (name) VALUES ('late')")
        change(pool, "INSERT INTO players (name) VALUES ('early')")
        before = seen()
    assert data_of(seen()) != data_of(before)


def data_of(moment: str) -> str:
    return moment.rsplit(" ", 2)[0]


BOARD = "/games/ocean-of-code/leagues/wood-2"
FIELD = "/games/ocean-of-code/leagues/bronze"
PLAYERS = 120


@pytest.fixture(scope="module")
def field(small_ladder_pool: Pool) -> int:
    with transaction(small_ladder_pool) as connection:
        add_versions(connection.info.dsn, PLAYERS)
    return PLAYERS + 1  # with the boss


def words_of(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


def versions_of(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]*)</bdi>', page)


def next_of(page: str) -> str | None:
    found = re.search(r'<a rel="next" href="([^"]*)"', page)
    return None if found is None else unescape(found[1])


def test_a_board_shows_what_the_view_holds(site: Served, small_ladder_pool: Pool) -> None:
    (wanted,) = within(small_ladder_pool, read_pages, "ocean-of-code", "wood-2")
    page = site.get(BOARD).text
    assert versions_of(page) == [row.version for row in wanted.rows]
    said = words_of(page)
    for row in wanted.rows:
        standing = row.standing
        assert f"{standing.score:.2f}".replace("-", "\N{MINUS SIGN}") in said
        assert f"{standing.mu:.2f} ± {standing.sigma:.2f}" in said
        assert standing.player in said
    assert "boss" in said


def test_a_board_shows_how_far_its_versions_are_from_the_next_league(site: Served, small_ladder_pool: Pool) -> None:
    """On a ladder of somebody alone the best of all; not on later pages, in searches or in the highest league."""
    with transaction(small_ladder_pool) as connection:
        found = contenders(connection, leagues.find_league(connection, "ocean-of-code", "wood-2"))
    assert {one.own.name for one in found} == {"wahoo@v1", "kraken@v2"}
    page = words_of(site.get(BOARD).text)
    for one in found:
        assert f"{one.own.name} {ordinal(one.outlook.rank)} of 3" in page
        assert missing_text(one.outlook)[1:] in page
    assert "chance of being above boss-wood-2" in page
    assert "chance of being above" not in site.get(f"{BOARD}?name=wahoo").text


def test_a_row_has_record_and_what_is_still_to_play(site: Served, small_ladder_pool: Pool) -> None:
    change(
        small_ladder_pool,
        "UPDATE standings SET matches = 25, wins = 12, draws = 4, losses = 9, timeouts = 3, faults = 1"
        " FROM versions JOIN bots ON bots.id = bot_id"
        " WHERE versions.id = version_id AND bots.name = 'wahoo'",
    )
    row = next(row for row in site.get(BOARD).text.split("<tr")[1:] if "wahoo@v1" in row)
    assert words_of(row).endswith("12.5 12 /4/ 9 3 1 0")


def test_pages_neither_skip_nor_repeat_a_row(site: Served, field: int) -> None:
    address: str | None = FIELD
    found: list[str] = []
    while address is not None:
        page = site.get(address).text
        assert len(versions_of(page)) <= 50
        found += versions_of(page)
        address = next_of(page)
    assert len(found) == len(set(found)) == field


def test_bars_have_one_scale_on_the_whole_board(site: Served, field: int, small_ladder_pool: Pool) -> None:
    """So bars of two pages, or of a search, can be compared."""
    (whole,) = within(small_ladder_pool, read_pages, "ocean-of-code", "bronze")
    assert len(whole.rows) == field
    ratings = {row.version: (row.standing.mu, row.standing.sigma) for row in whole.rows}
    scale = scale_of(ratings.values())
    for address in (FIELD, next_of(site.get(FIELD).text) or "", f"{FIELD}?name=bot-60"):
        page = site.get(address).text
        assert versions_of(page)
        assert re.findall(r'<svg class="rating".*?</svg>', page) == [
            rating_bar(*ratings[version], scale) for version in versions_of(page)
        ], address


def test_a_search_finds_bots_and_players_with_their_ranks(site: Served, field: int, small_ladder_pool: Pool) -> None:
    (whole,) = within(small_ladder_pool, read_pages, "ocean-of-code", "bronze")
    assert len(whole.rows) == field
    page = site.get(f"{FIELD}?name=BOT-11").text
    assert versions_of(page) == ["bot-11@v1", *(f"bot-{number}@v1" for number in range(110, 120))]
    ranks = [int(rank) for rank in re.findall(r'<td class="number">(\d+)</td>\s*<th scope="row">', page)]
    assert ranks == [row.rank for row in whole.rows if row.version.startswith("bot-11")]
    first = site.get(f"{FIELD}?name=player-").text
    following = next_of(first)
    assert following is not None
    assert "name=player-" in following
    assert not set(versions_of(first)) & set(versions_of(site.get(following).text))
    assert versions_of(site.get(f"{FIELD}?name=bot-7@v1").text)[0] == "bot-7@v1"
    assert "No version on this board has “<bdi>zzz</bdi>”" in site.get(f"{FIELD}?name=zzz").text


def test_versions_that_left_the_board_are_shown_when_asked_for(site: Served) -> None:
    assert "kraken@v1" not in versions_of(site.get(BOARD).text)
    page = site.get(f"{BOARD}?retired=1").text
    row = next(row for row in page.split("<tr") if "kraken@v1" in row)
    assert row.startswith(' class="pale"')
    assert "retired" in row


def test_a_search_shows_hostile_words_as_text(site: Served) -> None:
    hostile = site.client.get(BOARD, params={"name": "<script>alert(1)</script>\x1b"}).text
    assert "<script>alert" not in hostile
    assert "␛" in hostile


def test_a_board_is_right_at_once_after_every_change(site: Served, small_ladder_pool: Pool) -> None:
    """A page that is given again is the one that would be made: nobody sees one from before a change."""
    for statement in (
        "UPDATE standings SET score = score + 1, mu = mu + 1",
        "UPDATE players SET name = name || '-2'",
        "UPDATE bots SET boss_of = NULL",
        "UPDATE leagues SET title = title || ' 2'",
        "INSERT INTO players (name) VALUES ('nobody')",
    ):
        before = [site.get(BOARD).text for _ in range(3)]
        change(small_ladder_pool, statement)
        after = [site.get(BOARD).text for _ in range(3)]
        made = site.get(f"{BOARD}?name=+").text  # a search for nothing shows the same, and is made each time
        assert {*after} == {made}, statement
        assert (made in before) == statement.startswith("INSERT")


def test_a_place_on_another_board_is_refused(site: Served, field: int) -> None:
    assert field
    following = next_of(site.get(FIELD).text)
    assert following is not None
    answer = site.get(following.replace("bronze", "wood-2"))
    assert answer.status_code == 422
    assert "a place on another board than that of Wood 2" in words_of(answer.text)


def board_of(pool: Pool) -> LiveBoard:
    with transaction(pool) as connection:
        return live_board(connection, leagues.find_league(connection, "ocean-of-code", "wood-2"))


def test_the_change_of_a_day_begins_with_the_first_match_in_it(pool: Pool, history: History) -> None:
    """What was played before does not count; a version that has played nothing since has no change."""
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '2 days' WHERE id <= %s", history.matches[5])
    before: dict[int, float] = dict(
        rows_of(
            pool,
            "SELECT DISTINCT ON (version_id) version_id, mu_before - 3 * sigma_before FROM ledger"
            " WHERE match_id > %s ORDER BY version_id, sequence",
            history.matches[5],
        )
    )
    assert before
    for line in board_of(pool).rows:
        standing = line.row.standing
        wanted = standing.score - before[standing.version_id] if standing.version_id in before else None
        assert line.change == pytest.approx(wanted)


def test_a_board_younger_than_a_day_says_since_when_changes_count(site: Served, small_ladder_pool: Pool) -> None:
    """Also where other leagues have played before."""
    with transaction(small_ladder_pool) as connection:
        board = live_board(connection, leagues.find_league(connection, "ice-and-fire", "wood-3"))
    assert (board.has_changes, board.has_a_day) == (True, False)
    assert "since it came" in words_of(site.get("/games/ice-and-fire/leagues/wood-3").text)


def test_the_rank_of_a_day_ago_counts_those_on_the_board_as_they_were_rated_then(pool: Pool, history: History) -> None:
    """Who came since has no such rank, and where nobody has played for a day nobody has."""
    assert {line.rank_change for line in board_of(pool).rows} == {None}
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '2 days' WHERE id <= %s", history.matches[-1])
    change(pool, "UPDATE matches SET finished_at = now() WHERE id = %s", history.matches[-1])
    board = board_of(pool)
    assert board.has_a_day
    earlier = sorted(board.rows, key=lambda line: (line.change or 0) - line.row.standing.score)
    assert [line.row.rank + (line.rank_change or 0) for line in earlier] == [1 + place for place in range(len(earlier))]
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '2 days'")
    assert {line.change for line in board_of(pool).rows} == {None}, "without a match within a day nothing has changed"


def test_a_page_leads_to_the_same_as_data(site: Served) -> None:
    """As JSON; of a board or a bot also as a feed."""
    for page in (f"{BOARD}?name=wahoo", "/games/ocean-of-code", "/games/ocean-of-code/bots/kraken", "/matches/1"):
        found = re.findall(r'href="(/api/v1[^"]*)"', site.get(page).text)
        assert found, page
        assert {site.get(address).status_code for address in found} == {200}, page


def test_a_served_board_shows_players_how_far_their_own_versions_are(everybody: Everybody) -> None:
    def cards(who: str) -> list[str]:
        return re.findall('<section class="card" data-key="([^"]*)">', everybody.ask(who, "GET", BOARD).text)

    assert cards("nobody") == []
    assert set(cards("session")) == {"kraken@v2", "wahoo@v1"}
