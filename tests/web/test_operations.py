"""The operations room: what waits, what the workers do and what went wrong."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from engine.toolchains.build import OUTPUT_KB
from engine.toolchains.program import MOST_WARNING_CHARS
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, transaction
from ladder.gauntlets import execution
from ladder.leagues import leagues
from ladder.matches.claims import give_back
from ladder.matches.failures import Blame
from ladder.web.pages.operations import SPANS, operations, spans
from ladder.web.rendering import MOST_CHARS
from tests.conftest import cloned, opened, url_of
from tests.ladder.arena import claimed, insert_battle, living_worker, rows_of, submitted, within
from tests.web.a_ladder import BusyLadder, SmallLadder
from tests.web.serving import Served, serving
from workers.embedded.state_file import Running


def test_it_shows_void_matches_and_failures_with_reasons(busy_site: Served, busy_ladder: BusyLadder) -> None:
    page = busy_site.get("/operations").text
    _, _, attempts = page.partition("Failed attempts</h2>")
    failed, _, void = attempts.partition("Void matches</h2>")
    for match_id in busy_ladder.void:
        assert failed.count(f'href="/matches/{match_id}"') == 3
        assert void.count(f'href="/matches/{match_id}"') == 1
    assert "the sandbox broke &lt;script&gt;alert(1)&lt;/script&gt;" in failed
    assert "given up after 3 attempts" in void
    assert "<script>alert" not in page


def test_all_evidence_of_a_failure_is_shown(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> None:
    with cloned(services, with_small_ladder[0]) as name, opened(services, name, most=8) as pool:
        versions = with_small_ladder[1].versions
        why = f"it begins {'x' * 1_000_000}\nit ends"
        with transaction(pool) as connection:
            league = leagues.leagues(connection, "ocean-of-code")[0]
            match_id, _ = insert_battle(connection, league.id, (versions["kraken@v2"], versions["wahoo@v1"]), seed=5)
        for _ in range(MOST_ATTEMPTS):
            within(pool, give_back, claimed(pool, match_id), why, blame=Blame.CERTAIN)
        with serving(pool) as site:
            page, room = site.get(f"/matches/{match_id}").text, site.get("/operations").text
    left_out = r"\n\(980,018 characters are left out here\)\n"
    shown = re.findall(rf'<pre tabindex="0">(it begins x+{left_out}x+\nit ends)</pre>', page)
    assert len(shown) == MOST_ATTEMPTS
    assert max(map(len, shown)) < MOST_CHARS
    assert "it begins" in room
    assert len(room) < 20_000
    assert len(page) < 100_000


def test_what_is_kept_of_compilers_is_shown_whole() -> None:
    assert 2 * 1024 * OUTPUT_KB < MOST_CHARS
    assert MOST_WARNING_CHARS < MOST_CHARS


def test_it_says_what_waits_and_is_played(busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
    counts = within(busy_ladder_pool, operations)["matches"]
    page = busy_site.get("/operations").text
    assert counts.queued + counts.running == 6
    assert f"{counts.queued} queued, {counts.running} being played" in page
    assert f'<a href="/gauntlets/{busy_ladder.gauntlets["running"]}">' in page
    assert "No worker is alive" in page
    assert 'data-topics="operations gauntlets"' in page


def test_matches_void_by_a_gauntlets_end_are_no_trouble(busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
    with transaction(busy_ladder_pool) as connection:
        execution.stop(connection, busy_ladder.gauntlets["running"])
        ended = connection.execute("SELECT id FROM matches WHERE state = 'void' AND gauntlet_id IS NOT NULL").fetchall()
        found = operations(connection)
        connection.rollback()
    assert len(ended) == 6
    assert {one.id for one in found["void"]} == set(busy_ladder.void)


def test_a_worker_is_shown_with_the_match_that_it_plays(
    busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool, services: Running
) -> None:
    (waiting, *_), *_ = rows_of(busy_ladder_pool, "SELECT id FROM matches WHERE state = 'queued' ORDER BY id")
    version_id = submitted(busy_ladder_pool, "orca", "print(1)", language="rust")
    with living_worker(url_of(services, busy_ladder_pool), "python", fair_clock=False) as worker_id:
        claimed(busy_ladder_pool, waiting, worker_id)
        page = busy_site.get("/operations").text
    assert f'plays match <a href="/matches/{waiting}">' in page
    assert "no worker builds Rust: orca@v1" in page
    assert "somewhere cannot keep the fair clock" in page
    assert "<h2>Builds</h2>" in page
    assert version_id in {build.id for build in within(busy_ladder_pool, operations)["builds"]}


def test_rates_are_those_of_whole_spans_and_of_the_present_one(busy_ladder_pool: Pool) -> None:
    with transaction(busy_ladder_pool) as connection:
        now = datetime.now(UTC)
        found = spans(connection, now)
        later = spans(connection, now + timedelta(hours=2))
        played = connection.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
    assert found is not None
    assert later is not None
    assert played is not None
    assert len(found) == SPANS + 1
    assert sum(span.finished for span in found) == played[0]
    assert sum(span.finished for span in later) == 0
    assert found[-1].begin <= now < found[-1].begin + timedelta(minutes=5)
    assert all(span.minutes == 5 for span in found[:-1])
    assert found[-1].per_minute == pytest.approx(found[-1].finished / found[-1].minutes)
