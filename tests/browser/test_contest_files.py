"""What a contest leaves as files, in the browser with the network off."""

from pathlib import Path

from ladder.access import Actor, Role
from ladder.actions import seasons
from ladder.database.connection import Pool, transaction
from ladder.views.contests import contest_results
from ladder.web.pages.bots import player_file
from ladder.web.pages.seasons import season_file
from ladder.web.rendering import InFolder
from tests.browser.pages import Pages
from tests.catalogue import GAMES


def test_boards_and_players_look_like_pages_with_links(pages: Pages, small_ladder_pool: Pool, tmp_path: Path) -> None:
    seasons.close(Actor("olga", Role.OPERATOR), small_ladder_pool, "ocean-of-code")
    with transaction(small_ladder_pool) as connection:
        found = contest_results(connection, "ocean-of-code")
    names = frozenset(one.player for one in found.players)
    (tmp_path / "players").mkdir()
    boards = tmp_path / "boards.html"
    boards.write_text(season_file(found.season, GAMES, InFolder(players=names)), "utf-8")
    (kim,) = found.players
    (tmp_path / "players" / "kim.html").write_text(player_file(kim, GAMES, InFolder("../", names)), "utf-8")
    for width, dark, ground in ((1280, False, "rgb(255, 255, 255)"), (390, True, "rgb(18, 22, 27)")):
        page = pages.open(boards, width=width, dark=dark)
        pages.keep_picture(page, f"boards-{width}")
        page.get_by_role("link", name="kim").first.click()
        page.wait_for_url("**/players/kim.html")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("table.versions tbody tr").count() == 3
        assert page.locator("table.matches tbody tr").count() == 48
        pages.keep_picture(page, f"player-{width}")
        page.get_by_role("link", name="Final boards").click()
        page.wait_for_url("**/boards.html")
    pages.problems[:] = [one for one in pages.problems if not one.endswith("/players/kim.html")]  # a link led there
    assert pages.problems == []
