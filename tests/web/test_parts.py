"""What many pages share: addresses, links, tables of matches, bars of ratings, and that pages are kept for a moment."""

from ladder.database.connection import Pool, moment_seen, transaction
from ladder.views.matches import latest
from ladder.web import addresses
from ladder.web.rendering import STATIC, environment, rating_bar, scale_of
from ladder.web.site import MOST_PAGES, LatestReads, Site
from tests.catalogue import GAMES
from tests.ladder.rated import change

MOST_STYLE_BYTES = 20_000


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
    parts = environment().get_template("parts.html").module
    return str(getattr(parts, macro)(*values, **named))


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
    assert (STATIC / "style.css").stat().st_size < MOST_STYLE_BYTES


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
