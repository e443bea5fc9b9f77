"""Tunes in the browser: all that `ladder tune show` says of one, with a curve of each value."""

import json
import re

from ladder import codec
from ladder.database.connection import Pool
from ladder.plots.curves import Range, Value, value_plot
from ladder.views.tunes import read_report
from tests.catalogue import GAMES
from tests.ladder.arena import within
from tests.web.a_busy_ladder import BusyLadder
from tests.web.serving import Served


def test_a_page_says_all_that_the_command_says(
    busy_site: Served, busy_ladder: BusyLadder, busy_ladder_pool: Pool
) -> None:
    report = within(busy_ladder_pool, read_report, busy_ladder.tune)
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
    report = within(busy_ladder_pool, read_report, busy_ladder.tune)
    assert codec.read(read_report, codec.written(read_report, report, GAMES), GAMES) == report


def test_a_curve_stays_within_its_range_and_shows_the_start() -> None:
    values = [Value(3, 2.0, 0.5, 4.0), Value(50, 3.0, 2.5, 3.5)]
    plot = value_plot("K <b>", values, Range(0.5, 4.0, 1.0), 100)
    assert "<b>" not in plot
    assert "from 1 to 3 (2.5 to 3.5) after 50 of 100 pairs; its range is 0.5 to 4" in plot
    heights = [float(y) for _, y in re.findall(r"([\d.]+),([\d.]+)", re.findall(r'polygon points="([^"]+)"', plot)[0])]
    assert min(heights) == 12.0
    assert max(heights) == 144.0
    assert 'class="rule"' in plot
    assert value_plot("K", values[:1], Range(0.5, 4.0, 1.0), 100).count("polyline") == 1
    named = value_plot("MODE", [Value(3, 1.0, 0.0, 1.0)], Range(0.0, 1.0, 0.0, ("dig", "move")), 100)
    assert re.findall(">(dig|move)<", named) == ["dig", "move"]
