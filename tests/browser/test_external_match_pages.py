"""A match that a referee program led: its page on the site, and as a file with the network off.

Each test also fails for a request, a message on the console or an uncaught error: see `tests.browser.pages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.bot.conditions import OFFICIAL
from engine.game import Games
from engine.live import play
from engine.match import MatchSpec
from engine.referees.edition import load_edition, read_folder
from engine.sandbox.choice import open_sandbox
from ladder.access import Actor, Role
from ladder.actions import games as actions
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.games.catalogue import GamesOfLadder
from ladder.ids import MatchId
from ladder.viewer import page_of
from ladder.views.turns.match import watch_match
from tests.browser.pages import Pages, SitePages, site_pages_of
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.ladder.arena import claimed, within
from tests.ladder.foragers import NAMES, on_the_board
from tests.referees.as_game import as_game
from tests.referees.compiled import PYTHON
from tests.referees.live import in_python
from tests.web.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICKER = """
import sys
for number, line in enumerate(sys.stdin):
    if len(line.split()) == 6:
        print("PICK", number % 6, flush=True)
"""
HOSTILE = PICKER.replace('"PICK", number % 6', '"PICK 1" if number < 12 else "<script>alert(1)</script>"')
"""Breaks the rules in its second or third turn, by words that are not words for a page."""
PARAMETERS = {"rounds": 5, "news": 1, "thorns": 1}


@dataclass(frozen=True)
class External:
    """A ladder's match of three, and the games of that ladder."""

    match_id: MatchId
    games: Games
    pages: SitePages


@pytest.fixture
def external(pool: Pool, browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[External]:
    as_game(tmp_path / "game", PYTHON.parent, PARAMETERS, command=f"python3 -I {PYTHON.name}", players=(3,))
    tree = read_folder(tmp_path / "game")
    game = load_edition(tree)
    actions.add(Actor("olga", Role.OPERATOR), pool, game, tree)
    for name in NAMES[:3]:
        on_the_board(pool, name)
    games = Games(GAMES.all, {}, GamesOfLadder(lambda: transaction(pool)))
    claim = claimed(pool, schedule(pool, RememberingQueue(), Random(1), games)[0])
    bots = [in_python(source) for source in (PICKER, PICKER, HOSTILE)]
    spec = MatchSpec(game, claim.rules_level, claim.seed, players=3)
    assert within(pool, record, claim, play(spec, bots, open_sandbox(), OFFICIAL))
    with serving(pool, games=games) as site, site_pages_of(browser, site, request.node.name) as pages:
        yield External(claim.match_id, games, pages)


def looked_at(page: Page) -> None:
    """Wait until all is there, look at all of it, and go through it by keys."""
    from playwright.sync_api import expect

    page.wait_for_selector("table.all tbody tr", state="attached")
    assert page.locator(".turn .seat").count() == 3
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".at")).to_contain_text("1 / ")
    words = page.locator("main").inner_text()
    assert "picked" in words, "the referee's summary"
    assert "<script>alert(1)</script>" in page.locator("table.all").inner_text()
    assert "said no PICK and no WAIT" in words
    assert page.locator("main script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_of_a_match_of_a_referee_program_shows_what_it_said(external: External) -> None:
    for width, dark in ((1280, False), (390, True)):
        page = external.pages.show(f"/matches/{external.match_id}", width=width, height=844, dark=dark)
        page.wait_for_selector("table.all tbody tr", state="attached")
        assert page.evaluate("shifts") == [], "nothing moves when it comes"
        looked_at(page)
        external.pages.keep_picture(page, str(width))


def test_a_file_is_looked_at_with_the_network_off(external: External, pool: Pool, pages: Pages, tmp_path: Path) -> None:
    with transaction(pool) as connection:
        match = watch_match(connection, external.games, external.match_id)
    file = tmp_path / "match.html"
    file.write_text(page_of([match], external.games.find("foragers", match.edition)), "utf-8")
    page = pages.open(file)
    looked_at(page)
    pages.keep_picture(page)
