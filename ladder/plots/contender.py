"""A version on its way past its league's boss: both ratings on one scale, and how far it is with what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.plots.gauges import BAR, ROW, bar, upright
from ladder.plots.svg import Scale, Svg, as_text, element, picture, words

SIGMAS = 2
"""The band of a rating reaches this many to both sides."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating, and the score by which boards rank."""

    name: str
    mu: float
    sigma: float
    score: float
    class_: str


@dataclass(frozen=True, slots=True)
class Share:
    """How far something is, from 0 to 1. `text`: in words; `needed`: how far it has to be, None for to the end."""

    name: str
    share: float
    text: str
    needed: float | None = None


def contender_plot(ratings: Sequence[Rated], shares: Sequence[Share]) -> Svg:
    """Draw the ratings, of which there is at least one, and below them the shares."""
    ends = [end for one in ratings for end in (one.score, one.mu - SIGMAS * one.sigma, one.mu + SIGMAS * one.sigma)]
    scale = Scale(min(ends), max(ends), 2, 98)
    drawn = [
        *(part for place, one in enumerate(ratings) for part in rating_of(one, scale, ROW * place)),
        *(part for place, one in enumerate(shares, len(ratings)) for part in share_of(one, ROW * place)),
    ]
    said = [f"{one.name} score {one.score:.2f}, mu {one.mu:.2f} ± {one.sigma:.2f}" for one in ratings]
    return picture(
        ROW * (len(ratings) + len(shares)),
        "how far it is",
        "; ".join([*said, *(f"{one.name} {one.text}" for one in shares)]),
        *drawn,
        class_="gauge",
    )


def rating_of(one: Rated, scale: Scale, top: float) -> list[Svg]:
    low, high = (scale.at(one.mu + side * SIGMAS * one.sigma) for side in (-1, 1))
    return [
        words("0%", top + 14, one.name),
        words("100%", top + 14, f"score {one.score:.2f}", "end"),
        bar(0, 100, top + 27, 2, opacity=0.15),
        bar(low, high, top + 24, 8, one.class_, opacity=0.45),
        upright(scale.percent(one.mu), top + 22, top + 34),
        element("circle", cx=scale.percent(one.score), cy=top + 28, r=5, fill="currentColor", class_=one.class_),
    ]


def share_of(one: Share, top: float) -> list[Svg]:
    height = BAR / 2
    mark = [] if one.needed is None else [upright(f"{as_text(100 * one.needed)}%", top + 18, top + 22 + height)]
    return [
        words("0%", top + 14, one.name),
        words("100%", top + 14, one.text, "end"),
        bar(0, 100, top + 20, height, opacity=0.15),
        bar(0, 100 * min(one.share, 1), top + 20, height, "mark"),
        *mark,
    ]
