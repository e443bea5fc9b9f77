"""Gauntlets and tunes in the browser: the list, and all that the command says of one."""

import json
import re
from collections.abc import Sequence

import pytest

from engine.text import counted
from ladder import codec
from ladder.database.connection import Pool, transaction
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.gauntlets import execution, gauntlets
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.gauntlets.rendering import cells, conclusion
from ladder.gauntlets.report import MOST_POINTS, GauntletReport, WorseMatch, llr_path, points_of_path
from ladder.ids import GauntletId, VersionId
from ladder.plots.curves import CurvePoint, Range, value_plot
from ladder.statistics.elo import estimate_text
from ladder.statistics.sprt import log_likelihood_ratio, log_likelihood_ratios
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.gauntlets import ReportWithPath, page_of, read_report, with_path
from ladder.views.tunes import read_report as read_tune
from tests.catalogue import GAMES
from tests.fakes import result_of
from tests.ladder.arena import claimed, rows_of, within
from tests.web.a_ladder import BusyLadder
from tests.web.serving import Served

IDS = ["9" * 30, "-1", "0", "abc", "1e3", "%00", "\u0661"]


def reported(pool: Pool, gauntlet_id: GauntletId) -> GauntletReport:
    found = within(pool, read_report, gauntlet_id)
    assert isinstance(found, GauntletReport)
    return found


class TestTheList:
    def test_running_ones_stand_on_top_whatever_began_later(self, busy_site: Served, busy_ladder: BusyLadder) -> None:
        links = re.findall(r'href="/gauntlets/(\d+)"', busy_site.get("/gauntlets").text)
        of = busy_ladder.gauntlets
        own = [int(link) for link in links if int(link) in of.values()]
        assert own == [of["running"], of["variants"], of["finished"]]

    def test_it_says_how_far_each_is(self, busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
        text = busy_site.get("/gauntlets").text
        for name in ("running", "finished"):
            number = busy_ladder.gauntlets[name]
            judgement, row = reported(busy_ladder_pool, number).judgement, text.split(f'href="/gauntlets/{number}"')[1]
            cells = row.partition("</tr>")[0]
            assert f'<td class="number">{sum(judgement.counts)}</td>' in cells
            assert judgement.estimate is not None
            assert estimate_text(judgement.estimate).replace("-", "\u2212") in cells
            assert f'value="{judgement.llr}"' in cells

    def test_it_goes_on_where_the_page_before_ended(self, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
        of = busy_ladder.gauntlets
        with transaction(busy_ladder_pool) as connection:
            all_at_once = page_of(connection, 50)
            first = page_of(connection, 1)
            second = page_of(connection, 1, before=first.next)
        assert of["running"] in {one.gauntlet.id for one in first.running}
        assert second.running == []
        assert [*first.over, *second.over] == all_at_once.over[:2]
        assert [one.gauntlet.id for one in all_at_once.over][-2:] == [of["variants"], of["finished"]]
        assert all_at_once.next is None

    def test_it_can_be_of_one_bot_or_game(self, busy_site: Served) -> None:
        assert "/gauntlets/1" in busy_site.get("/gauntlets?bot=kraken&game=ocean-of-code").text
        assert "There is no gauntlet" in busy_site.get("/gauntlets?bot=wahoo").text
        assert "/gauntlets/1" in busy_site.get("/gauntlets?game=ocean-of-code").text
        assert "There is no gauntlet" in busy_site.get("/gauntlets?game=ice-and-fire").text

    def test_what_makes_no_sense_is_refused(self, busy_site: Served) -> None:
        for query, status in (
            ("bot=nothing", 404),
            ("bot=kraken&game=chess", 404),
            ("game=chess", 404),
            *[(f"before={bad}", 422) for bad in IDS[:4]],
        ):
            assert busy_site.get(f"/gauntlets?{query}").status_code == status


class TestOne:
    def test_it_says_what_commands_do(self, busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
        report = reported(busy_ladder_pool, busy_ladder.gauntlets["finished"])
        page = busy_site.get(f"/gauntlets/{report.gauntlet.id}").text
        assert conclusion(report) in page
        assert f"log-likelihood ratio {report.judgement.llr:.2f} between" in page
        opponents = page.partition("<h2>Opponents</h2>")[2].partition("</table>")[0]
        assert re.findall(r'<td class="number">([^<]*)</td>', opponents) == cells(report.opponents[0])[1:-1]
        assert "<details" in page
        assert "only the end of this line matters" in page
        assert f'data-topics="gauntlet:{report.gauntlet.id}"' in page
        assert ">Ocean of Code</a>, rules of" in page

    def test_one_that_runs_says_how_far_it_is(
        self, busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool
    ) -> None:
        report = reported(busy_ladder_pool, busy_ladder.gauntlets["running"])
        page = busy_site.get(f"/gauntlets/{report.gauntlet.id}").text
        assert f"pairs {report.pairs} of at most {report.slots}" in page
        assert report.pairs == 3

    def test_variants_are_compared_with_each_other(self, busy_site: Served, busy_ladder: BusyLadder) -> None:
        page = busy_site.get(f"/gauntlets/{busy_ladder.gauntlets['variants']}").text
        assert "variants of <bdi>kraken@v2</bdi>" in page
        assert "DEPTH=4" in page
        assert "share of the points" in page

    def test_an_unknown_one_is_not_found(self, busy_site: Served) -> None:
        for bad in (*IDS, "4711"):
            assert busy_site.get(f"/gauntlets/{bad}").status_code in {404, 422}

    def test_with_a_baseline_what_only_the_candidate_lost_stands_beside_what_the_baseline_played(
        self, busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool
    ) -> None:
        gauntlet_id = lose_where_the_baseline_wins(busy_ladder_pool, busy_ladder.small.versions["kraken@v2"])
        report = reported(busy_ladder_pool, gauntlet_id)
        assert len(report.worse) == 4
        page = busy_site.get(f"/gauntlets/{gauntlet_id}").text
        for match in report.worse:
            assert f'href="/compare?a={match.match_id}&amp;b={match.baseline_match_id}"' in page
            assert seats_of(busy_ladder_pool, match) == {match.seat}
        assert len(report.lost) == 2
        for pair in report.lost:
            first, second = pair.match_ids
            assert f'href="/matches/{first}"' in page
            assert f'href="/compare?a={first}&amp;b={second}"' in page
        assert f"lost {counted(4, 'match', 'matches')} that kraken@v1 did not lose" in page

    def test_one_that_has_ended_is_shown_as_it_is_when_matches_of_it_are_taken_back(
        self, busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool
    ) -> None:
        variants = busy_ladder.gauntlets["variants"]
        before = busy_site.get(f"/gauntlets/{variants}").text
        assert within(busy_ladder_pool, gauntlets.take_back_from, variants, "gone", "kim", "it was broken") == 2
        after = busy_site.get(f"/gauntlets/{variants}").text
        assert " played of at most 2;" in before
        assert "0 played of at most 2" in after


def lose_where_the_baseline_wins(pool: Pool, loser: VersionId) -> GauntletId:
    request = GauntletRequest("kraken@v2", "kim", ("wahoo@v1",), "kraken@v1", pairs=2, test=SprtSettings(0, 50))
    with transaction(pool) as connection:
        gauntlet = execution.begin(connection, spec_of(connection, request))
        mine = execution.advance(connection, fleet_of(connection))
        query = "SELECT id FROM matches WHERE id = ANY(%s) AND gauntlet_id = %s"
        mine = [row[0] for row in connection.execute(query, [mine, gauntlet.id])]
    for match_id in mine:
        claim = claimed(pool, match_id)
        opponent = small_opponent(pool, claim.version_ids)
        winner = opponent if loser in claim.version_ids else 1 - opponent
        assert within(pool, record, claim, result_of(claim, (1, 0) if winner == 0 else (0, 1)))
    return gauntlet.id


def small_opponent(pool: Pool, version_ids: Sequence[VersionId]) -> int:
    with transaction(pool) as connection:
        names = [connection.execute("SELECT version_name(%s)", [one]).fetchone() for one in version_ids]
    return [name is not None and name[0] == "wahoo@v1" for name in names].index(True)


def seats_of(pool: Pool, match: WorseMatch) -> set[int]:
    """Return in which seats candidate and baseline played, which met the same opponent on the same seed."""
    rows = rows_of(
        pool,
        "SELECT seat, seed FROM seats JOIN matches ON matches.id = match_id"
        " WHERE match_id = ANY(%s) AND version_name(version_id) <> %s",
        [match.match_id, match.baseline_match_id],
        match.opponent,
    )
    assert len({seed for _, seed in rows}) == 1
    return {seat for seat, _ in rows}


class TestTheWayOfATest:
    def test_it_ends_where_the_gauntlet_stands(self, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
        with transaction(busy_ladder_pool) as connection:
            found = with_path(connection, gauntlets.find(connection, busy_ladder.gauntlets["finished"]))
            pairs = gauntlets.pairs_of(connection, busy_ladder.gauntlets["finished"])
        assert isinstance(found, ReportWithPath)
        assert found.path[-1].pairs == len(pairs)
        assert found.path[-1].llr == pytest.approx(found.report.judgement.llr)
        gauntlet = found.report.gauntlet
        assert llr_path(gauntlet.plan, gauntlet.test, list(reversed(pairs))) == found.path

    def test_it_has_a_bounded_number_of_points(self) -> None:
        for played in (0, 1, 2, MOST_POINTS - 1, MOST_POINTS + 1, 20_000):
            points = points_of_path(played)
            assert len(points) <= MOST_POINTS, played
            assert points == sorted(set(points)), played
            assert played < 2 or points[-1] == played

    def test_many_ratios_at_once_are_those_that_each_has(self) -> None:
        for model in ("logistic", "normalized"):
            test = SprtSettings(0, 10, 0.05, 0.05, model)
            many = [(1, 0, 0, 0, 1), (5, 6, 7, 8, 9), (0, 0, 3, 0, 0)]
            assert log_likelihood_ratios(many, test) == pytest.approx(
                [log_likelihood_ratio(one, test) for one in many]
            ), model


def test_a_page_says_all_that_commands_say(busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
    report = within(busy_ladder_pool, read_tune, busy_ladder.tune)
    page = busy_site.get(f"/gauntlets/{busy_ladder.tune}").text
    assert f"<h1>Tune {busy_ladder.tune} " in page
    assert report.sentence in page
    assert "DEPTH=" in report.sentence
    assert "better by" in report.sentence
    assert report.submit in page
    assert f'<a href="/gauntlets/{report.tune.confirming_id}">5 of 5 against the start</a>' in page
    for one in report.parameters:
        assert re.search(rf"<h2>(<bdi>)?{one.name}(</bdi>)?</h2>", page)
        assert f"<title>{one.name} over the pairs</title>" in page
    assert re.findall(r"after (\d+) of 20 pairs", page) == ["20", "20"]


def test_the_list_of_gauntlets_leads_to_it(busy_site: Served, busy_ladder: BusyLadder) -> None:
    page = busy_site.get("/gauntlets").text
    assert f'href="/gauntlets/{busy_ladder.tune}"' in page
    assert "which DEPTH and RISK? 20 pairs" in page
    assert "itself" in page


def test_its_data_are_those_of_the_command(busy_site: Served, busy_ladder: BusyLadder) -> None:
    found = json.loads(busy_site.get(f"/api/v1/tunes/{busy_ladder.tune}").text)
    assert (found["id"], found["state"], found["pairs_played"]) == (busy_ladder.tune, "finished", 20)
    assert busy_site.get("/api/v1/tunes/1").status_code == 404
    refused = busy_site.get(f"/api/v1/gauntlets/{busy_ladder.tune}")
    assert (refused.status_code, "is a tune" in refused.text) == (409, True)


def test_it_goes_to_other_machines_and_comes_back_as_it_is(busy_ladder: BusyLadder, busy_ladder_pool: Pool) -> None:
    report = within(busy_ladder_pool, read_tune, busy_ladder.tune)
    assert codec.read(read_tune, codec.written(read_tune, report, GAMES), GAMES) == report


def test_a_curve_stays_within_its_range_and_shows_the_start() -> None:
    values = [CurvePoint(3, 2.0, 0.5, 4.0), CurvePoint(50, 3.0, 2.5, 3.5)]
    plot = value_plot("K <b>", values, Range(0.5, 4.0, 1.0), 100)
    assert "<b>" not in plot
    assert "from 1 to 3 (2.5 to 3.5) after 50 of 100 pairs; its range is 0.5 to 4" in plot
    heights = [float(y) for _, y in re.findall(r"([\d.]+),([\d.]+)", re.findall(r'polygon points="([^"]+)"', plot)[0])]
    assert min(heights) == 12.0
    assert max(heights) == 144.0
    assert 'class="rule"' in plot
    assert value_plot("K", values[:1], Range(0.5, 4.0, 1.0), 100).count("polyline") == 1
    named = value_plot("MODE", [CurvePoint(3, 1.0, 0.0, 1.0)], Range(0.0, 1.0, 0.0, ("dig", "move")), 100)
    assert re.findall(">(dig|move)<", named) == ["dig", "move"]
