"""A contest counts down in a browser, and its page then says what is next."""

from datetime import UTC, datetime, timedelta

import pytest

from ladder.access import Actor, Role
from ladder.accounts.class_list import ClassMember
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
    until, terms = begins + timedelta(days=9), ContestTerms(begins)
    open_contest(olga, busy_ladder_pool, GAME, until, players=[ClassMember("W" * 39)], terms=terms)
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
    plain = site_pages.show(f"/games/{GAME}/contest", width=390, script=False)
    assert "UTC (9 d 0 h left)" in plain.inner_text("p.contest")
    assert "W" * 39 in plain.inner_text(".players")
    assert plain.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_longest_names_leave_scores_on_the_projector(site_pages: SitePages) -> None:
    page = site_pages.show(f"/games/{GAME}/projector")
    page.eval_on_selector_all("tbody a", "(links) => links.forEach((one) => { one.textContent = 'W'.repeat(42); })")
    assert page.eval_on_selector(".wide:visible", "(one) => one.scrollWidth - one.clientWidth") <= 0
