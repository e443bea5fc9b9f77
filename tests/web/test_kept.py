"""Pages that are kept: only for those who see the same moment, and never too many."""

from ladder.database.connection import Pool, moment_seen, transaction
from ladder.web.site import MOST_PAGES, LatestReads, Site
from tests.catalogue import GAMES
from tests.ladder.rated import change


def test_a_page_is_given_again_to_those_who_ask_for_the_same_at_the_same_moment() -> None:
    """To nobody else."""
    kept = LatestReads[bytes]()
    kept.keep("board", "monday", b"one")
    assert kept.find("board", "monday") == b"one"
    assert kept.find("board", "tuesday") is None
    assert kept.find("another board", "monday") is None
    kept.keep("board", "tuesday", b"two")
    assert kept.find("board", "monday") is None
    assert kept.find("board", "tuesday") == b"two"


def test_of_no_moment_nothing_is_kept() -> None:
    """As where a database cannot say which one it is."""
    kept = LatestReads[bytes]()
    kept.keep("board", None, b"one")
    assert kept.find("board", None) is None


def test_the_pages_that_were_made_last_are_kept() -> None:
    kept = LatestReads[bytes]()
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
