"""A contest counts down in a browser, and its page then says what is next."""

from datetime import UTC, datetime, timedelta

import pytest

from ladder.access import Actor, Role
from ladder.actions.seasons import ContestTerms, open_contest
from ladder.database.connection import Pool
from tests.browser.pages import SitePages
from tests.ladder.rated import change
from tests.web.serving import Served

GAME = "ocean-of-code"
LEFT = "p.contest .left"


@pytest.fixture(scope="module")
def site(busy_site: Served) -> Served:
    return busy_site


def test_a_contest_counts_down_to_what_is_next(site_pages: SitePages, busy_ladder_pool: Pool) -> None:
    begins = datetime.now(UTC) + timedelta(hours=1)
    olga = Actor("olga", Role.OPERATOR)
    open_contest(olga, busy_ladder_pool, GAME, begins + timedelta(days=9), terms=ContestTerms(begins))
    context = site_pages.window()
    context.clock.install(time=begins - timedelta(minutes=2, seconds=30))
    page = context.new_page()
    page.goto(f"/games/{GAME}/contest")
    page.wait_for_selector(f"{LEFT}:text-matches('^[12] min$')")
    page.clock.fast_forward(120_000)
    page.wait_for_selector(f"{LEFT}:text-matches('^[0-9]+ s$')")
    change(busy_ladder_pool, "UPDATE season_plans SET submit_from = now()")
    page.clock.fast_forward(60_000)
    page.wait_for_selector("p.contest:has-text('until'):has-text('left')")
    assert "UTC (9 d 0 h left)" in site_pages.show(f"/games/{GAME}/contest", script=False).inner_text("p.contest")
