"""What a gauntlet has found, drawn: whatever the numbers and names are, the picture is whole and says them."""

from math import inf
from xml.etree.ElementTree import fromstring

import pytest

from ladder.plots.gauges import Interval, PlotColumn, columns, gauge, intervals, outcomes, path, shares
from ladder.plots.svg import Svg

NASTY = "</svg><script>alert(1)</script>\x00\ufffe"


def words_of(drawn: Svg) -> str:
    return " ".join(fromstring(drawn).itertext())  # noqa: S314


def numbers_of(drawn: Svg, attribute: str) -> list[float]:
    found = [part.get(attribute, "") for part in fromstring(drawn).iter()]  # noqa: S314
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
    busy = [
        *(PlotColumn(place, f"{place} min" if place else "", str(place)) for place in range(11)),
        PlotColumn(0, "now"),
    ]
    elements = [[part.tag for part in fromstring(columns(found, "", "")).iter()] for found in (idle, busy)]  # noqa: S314
    assert elements[0] == elements[1]
