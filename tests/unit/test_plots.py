"""Plots: well-formed whatever names and numbers they are given, everything inside, nothing of strangers unescaped."""

from datetime import UTC, datetime
from itertools import pairwise
from math import inf
from xml.etree import ElementTree
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.plots.curves import Mark, Point, rating_plot, spark_line
from ladder.plots.gauges import Interval, PlotColumn, columns, gauge, intervals, outcomes, path, shares
from ladder.plots.histogram import TimeBin, heat, time_plot
from ladder.plots.svg import SHEET_WIDTH, Scale, Svg, area, curve, element, levels, picture, sheet, ticks, words

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)
ROOT = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return fromstring(svg)  # noqa: S314 - our own


@given(st.text(), st.text())
def test_words_of_strangers_stay_words(name: str, value: str) -> None:
    found = parsed(picture(10, name, value, words(0, 0, name), element("g", class_=value)))
    assert {one.tag for one in found.iter()} <= {ROOT + tag for tag in ("svg", "title", "desc", "text", "g")}


def test_an_element_with_hostile_words_holds_no_other_element() -> None:
    hostile = "</text><script>alert(1)</script>\x1b[31m\ufffe\udc80 \"'&"
    (text,) = parsed(picture(10, "", "", words(0, 0, hostile))).findall(f"{ROOT}text")
    assert (text.text or "").startswith("</text><script>")
    assert not list(text)


def test_a_picture_says_to_those_who_do_not_see_it_what_it_shows() -> None:
    found = parsed(picture(10, "rating", "from 20 to 30"))
    assert (found.get("role"), [one.text for one in found]) == ("img", ["rating", "from 20 to 30"])


@given(NUMBERS, NUMBERS, st.integers(1, 12))
def test_ticks_are_few_even_and_between_the_ends(one: float, other: float, most: int) -> None:
    low, high = sorted((one, other))
    found = ticks(low, high, most)
    assert len(found) <= most
    slack = (high - low) * 1e-9
    assert all(low - slack <= tick <= high + slack for tick in found)
    assert all(first < second for first, second in pairwise(found))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_scale_keeps_everything_between_its_ends(low: float, high: float, value: float) -> None:
    assert 10 <= Scale(low, high, 10, 90).at(value) <= 90
    assert 10 <= Scale(low, high, 90, 10).at(value) <= 90


def test_curves_and_levels_stand_in_a_picture() -> None:
    up = Scale(20, 30, 90, 10)
    points = [(0.0, up.at(20)), (1000.0, up.at(30))]
    found = parsed(picture(100, "a", "b", *levels(up), sheet(100, area(points, "band"), curve(points, "line"))))
    assert [one.text for one in found.findall(f"{ROOT}text")] == ["20", "25", "30"]
    assert found.find(f".//{ROOT}polyline") is not None


POINTS = st.lists(
    st.builds(
        Point,
        st.text(max_size=9),
        st.integers(0, 2**31).map(lambda at: datetime.fromtimestamp(at, UTC)),
        st.floats(-1e6, 1e6),
        st.floats(0, 1e3),
    ),
    min_size=1,
    max_size=30,
)
MARKS = st.lists(st.builds(Mark, st.integers(0, 29), st.integers(0, 1), st.text(max_size=30)), max_size=9)


@given(st.text(), POINTS, MARKS)
def test_ratings_are_drawn_inside_whatever_they_are(name: str, points: list[Point], marks: list[Mark]) -> None:
    found = parsed(rating_plot(name, points, [mark for mark in marks if mark.point < len(points)]))
    for kind in ("polyline", "polygon"):
        for one in found.iter(ROOT + kind):
            places = [place.split(",") for place in (one.get("points") or "").split()]
            assert places
            assert all(0 <= float(x) <= SHEET_WIDTH and 0 <= float(y) <= 260 for x, y in places)
    assert all(0 <= percent <= 100 for percent in percents(found))


def test_a_rating_has_a_line_for_each_version_and_league() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    points = [Point(name, at, 25.0, 8.0) for name in ("v1 in Wood", "v1 in Wood", "v1 in Bronze", "v2 in Wood")]
    found = parsed(rating_plot("kraken", points, [Mark(2, 1, "up to Bronze", "good"), Mark(3, 0, "v2")]))
    assert len(list(found.iter(ROOT + "polyline"))) == 3
    assert {"up to Bronze", "v2"} <= {one.text for one in found.iter(ROOT + "text")}


@given(st.text(), st.lists(st.integers(0, 10**6), min_size=1, max_size=40), st.none() | st.integers(1, 10**5))
def test_times_are_drawn_inside_with_their_limit(name: str, counts: list[int], limit_ms: int | None) -> None:
    spans = [TimeBin(100 * 2**n, 200 * 2**n, turns) for n, turns in enumerate([*counts[:20], 1])]
    found = parsed(time_plot(name, spans, limit_ms))
    columns = list(found.iter(ROOT + "rect"))
    assert len(columns) == sum(span.turns > 0 for span in spans)
    assert all(0 <= percent <= 100 for percent in percents(found))
    assert all(float(one.get("y") or "") + float(one.get("height") or "") <= 190 for one in columns)
    assert any("limit" in (one.text or "") for one in found.iter(ROOT + "text")) is (limit_ms is not None)


def test_columns_above_the_limit_are_marked() -> None:
    found = parsed(time_plot("a", [TimeBin(1000, 2000, 5), TimeBin(50_000, 60_000, 1)], 50))
    assert [one.get("class") for one in found.iter(ROOT + "rect")] == ["column", "column bad"]
    assert "limit 50 ms, 1 turn above it" in "".join(found.itertext())


@given(st.text(), st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_any_number_over_matches_is_drawn(name: str, values: list[float]) -> None:
    (line,) = parsed(spark_line(name, values)).iter(ROOT + "polyline")
    places = [place.split(",") for place in (line.get("points") or "").split()]
    assert len(places) >= len(values)
    assert all(0 <= float(x) <= SHEET_WIDTH and 0 <= float(y) <= 28 for x, y in places)


def test_heat_is_even_in_the_middle_and_weak_with_few_matches() -> None:
    assert [heat(points, 100) for points in (0, 50, 100)] == ["heat-0", "heat-4", "heat-8"]
    assert heat(1, 1) == "heat-5"
    assert heat(0, 0) == ""


def percents(found: ElementTree.Element) -> list[float]:
    """Return all places from left to right that are given in percent."""
    return [
        float(value[:-1])
        for one in found.iter()
        for name, value in one.items()
        if name in {"x", "x1", "x2"} and value.endswith("%")
    ]


NASTY = "</svg><script>alert(1)</script>\x00\ufffe"


def words_of(drawn: Svg) -> str:
    return " ".join(parsed(drawn).itertext())


def numbers_of(drawn: Svg, attribute: str) -> list[float]:
    found = [part.get(attribute, "") for part in parsed(drawn).iter()]
    return [float(value.removesuffix("%")) for value in found if value.endswith("%")]


@pytest.mark.parametrize("llr", [-inf, -9, -2.94, 0, 1.5, 2.94, 400])
def test_a_ratio_beyond_its_bounds_stays_within_the_gauge(llr: float) -> None:
    drawn = gauge(llr, -2.94, 2.94)
    assert all(0 <= place <= 100 for place in [*numbers_of(drawn, "x"), *numbers_of(drawn, "cx")])
    assert "failed -2.94" in words_of(drawn)


def test_an_estimate_without_bounds_is_drawn_to_the_edge() -> None:
    drawn = intervals([Interval("a", 0, -inf, inf, "0"), Interval("b", 30, 10, 50, "+30")])
    places = [*numbers_of(drawn, "x"), *numbers_of(drawn, "cx")]
    assert places
    assert all(0 <= place <= 100 for place in places)


def test_names_are_words_whatever_they_hold() -> None:
    for drawn in (shares([(NASTY, 0.4)]), intervals([Interval(NASTY, 1, 0, 2, NASTY)]), columns([], NASTY, NASTY)):
        assert "alert(1)" in words_of(drawn)
        assert "<script" not in drawn


def test_pairs_are_as_high_as_there_are_many() -> None:
    assert "7" in words_of(outcomes((1, 0, 7, 0, 2)))
    assert words_of(outcomes((0, 0, 0, 0, 0)))


def test_columns_and_paths_of_one_value_can_be_drawn() -> None:
    assert "now" in words_of(columns([PlotColumn(0, "now")], "rates", "none"))
    assert "1 pairs" in words_of(path([(1, 0.0)], -2.94, 2.94))


def test_columns_have_the_same_elements_whatever_they_show() -> None:
    """So a chart that moves on by a column takes nothing out of its page."""
    idle = [PlotColumn(0, "") for _ in range(12)]
    busy = [PlotColumn(place, f"{place} min" if place else "", str(place)) for place in range(11)]
    busy.append(PlotColumn(0, "now"))
    elements = [[part.tag for part in parsed(columns(found, "", "")).iter()] for found in (idle, busy)]
    assert elements[0] == elements[1]
