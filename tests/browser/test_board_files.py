"""Boards, gauntlets and contests that are written as files, in the browser with the network off."""

from pathlib import Path

from ladder.access import Actor, Role
from ladder.actions import seasons
from ladder.database.connection import Pool, transaction
from ladder.ratings.counts import places_words
from ladder.views.boards import live_boards
from ladder.views.contests import contest_results
from ladder.web.pages.boards import boards_file
from ladder.web.pages.bots import player_file
from ladder.web.pages.gauntlets import gauntlet_file
from ladder.web.pages.seasons import season_file
from ladder.web.rendering import InFolder
from tests.browser.pages import Pages
from tests.catalogue import GAMES
from tests.ladder.arena import within
from tests.ladder.foragers import FORAGERS, GAMES_HERE, a_board, made, play
from tests.unit.test_gauntlet_texts import LOSES, WINS, told


def test_a_board_as_a_file_has_the_style_of_the_pages(pages: Pages, small_ladder_pool: Pool, tmp_path: Path) -> None:
    """Its policy lets that style sheet in and nothing else; on a narrow screen the table alone scrolls sideways."""
    found = within(small_ladder_pool, live_boards, "ocean-of-code")
    file = tmp_path / "board.html"
    file.write_text(boards_file(found, GAMES), "utf-8")
    for width, dark, ground in ((1280, False, "rgb(255, 255, 255)"), (390, True, "rgb(18, 22, 27)")):
        page = pages.open(file, width=width, dark=dark)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("table.board tbody tr").count() == len(found[0].rows)
        assert page.locator("svg.rating").first.bounding_box() is not None
        pages.keep_picture(page, f"{width}")
    assert pages.problems == []


def test_a_board_of_more_than_two_players_has_places_on_any_screen(pages: Pages, pool: Pool, tmp_path: Path) -> None:
    strength = {version_id: number // 2 for number, version_id in enumerate(a_board(pool).values())}
    for match_id in made(pool):
        play(pool, match_id, strength)
    (found,) = within(pool, live_boards, FORAGERS.name)
    file = tmp_path / "board.html"
    file.write_text(boards_file([found], GAMES_HERE), "utf-8")
    for width, dark in ((1280, False), (390, True)):
        page = pages.open(file, width=width, dark=dark)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("table.board thead th").nth(4).inner_text().replace("\n", "") == "1st/2nd/3rd/4th"
        shown = [cell.strip() for cell in page.locator("table.board tbody tr > :nth-child(5)").all_inner_texts()]
        assert shown == [places_words(line.row.standing.record.places) for line in found.rows]
        pages.keep_picture(page, f"{width}")
    assert pages.problems == []


def test_a_gauntlet_as_a_file_leads_to_those_of_its_lost_pairs_alone(pages: Pages, tmp_path: Path) -> None:
    found = told(WINS, LOSES)
    pairs = [tuple(pair.match_ids) for pair in found.lost[:3]]
    file = tmp_path / "index.html"
    file.write_text(gauntlet_file(found, GAMES, pairs), "utf-8")
    for width, dark in ((1280, False), (390, True)):
        page = pages.open(file, width=width, dark=dark)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))") == [
            f"pair-{first}-{second}.html" for first, second in pairs
        ]
        assert page.locator("svg").count() == 3
        pages.keep_picture(page, f"{width}")
    assert pages.problems == []


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
