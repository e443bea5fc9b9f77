"""What many pages share: addresses, links, tables of matches, bars of ratings."""

import pytest

from ladder.database.connection import Pool, transaction
from ladder.views.matches import latest
from ladder.web import addresses
from ladder.web.rendering import STATIC, environment, rating_bar, scale_of

MOST_STYLE_BYTES = 20_000


@pytest.mark.parametrize(
    ("made", "address"),
    [
        (addresses.board("ocean-of-code", "wood-3"), "/games/ocean-of-code/leagues/wood-3"),
        (addresses.board("g", "l", after="50:27.25:1234", name=None), "/games/g/leagues/l?after=50:27.25:1234"),
        (addresses.version("ocean-of-code", "kraken", 8), "/games/ocean-of-code/bots/kraken/v/8"),
        (addresses.page_of_name("ocean-of-code", "boss@v1"), "/games/ocean-of-code/bots/boss/v/1"),
        (addresses.page_of_name("ocean-of-code", "kraken"), "/games/ocean-of-code/bots/kraken"),
        (addresses.versus("g", "kraken@v8", "boss-gold"), "/games/g/versus?a=kraken@v8&b=boss-gold"),
        (addresses.compare(17, 23), "/compare?a=17&b=23"),
        (addresses.matches("g", "turns > 9"), "/games/g/matches?where=turns+%3E+9"),
        (addresses.game("../a/b?c#d%"), "/games/..%2Fa%2Fb%3Fc%23d%25"),
    ],
)
def test_an_address_keeps_every_name_in_its_part(made: str, address: str) -> None:
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
