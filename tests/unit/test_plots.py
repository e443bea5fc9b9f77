"""Plots: well-formed whatever names and numbers they are given, everything inside, nothing of strangers unescaped."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ladder.plots.svg import Scale, area, curve, element, levels, picture, sheet, ticks, words

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)
ROOT = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    """Return a picture as XML; fail where it is none."""
    return ElementTree.fromstring(svg)  # noqa: S314 - our own


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
