"""TrueSkill for a match of three and more: what the `trueskill` package computes with a factor graph, along a chain.

How this works. Every player is a team of one, so in the order of places the factor graph is a chain of performances.
Between neighbours is the difference of theirs: above the draw margin where their places differ, within it where they
are level. Each difference takes what is known of both its neighbours from elsewhere, cuts off what the result excludes
(as for two, see `ladder.ratings.trueskill`), and lets the next one know. That goes down the chain and up again until no
cut moves by more than `CLOSE`, or `MOST_ROUNDS` are over. Level players stand in the order of their seats.

What is known of a number is a normal distribution, as a pair: its precision (one over the variance) and its weight (the
precision times the mean). Two independent pieces of knowledge are added; one is taken out again by subtracting it.

The rounds and where they end are the package's: they define the ratings, as further rounds would move the sixth digit.
Where draws are rare, whether there is one more round hangs on the last bits; so the operations and their order are the
package's too, and the results are equal to the last bit or two. What is ours is the shape, which takes a fifth of the
time, and that no result is too unlikely to be rated: where the package raises FloatingPointError, the formulas for two
take over, which know the tails. A match gives the same bits in a live ladder, a replay and a bulk recomputation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import erfc, exp, pi, sqrt
from typing import TypeAlias

from ladder.ratings.trueskill import ROOT_2, beyond, within

CLOSE = 1e-4
"""A round that moves no cut by more is the last one."""
MOST_ROUNDS = 10
ROOT_2_PI = sqrt(2 * pi)
SURELY_LEFT = 1e-12
"""Shares of a variance below this are rounding errors of the package's formulas."""
LEAST_LEFT = 1e-9
"""What takes over leaves at least this share: a precision without bounds would drown all others."""

Known: TypeAlias = tuple[float, float]
"""What is known of a number: a precision, and the weight, which is the precision times the mean."""
NOTHING: Known = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Chain:
    """The model's constants, on the scale of ratings. `draw_margin`: performances that are so close are a draw."""

    beta: float
    tau: float
    draw_margin: float

    def update(self, ratings: Sequence[tuple[float, float]], places: Sequence[int]) -> list[tuple[float, float]]:
        """Return mu and sigma of each after a match, in the order they come in.

        `places`: of each, 1 is the best; those with equal ones are level.
        """
        order = sorted(range(len(places)), key=places.__getitem__)
        noise = self.beta**2
        skills = [self._skill(*ratings[one]) for one in order]
        performances = [scattered(skill, noise) for skill in skills]
        levels = [places[one] == places[other] for one, other in pairwise(order)]
        after = [(0.0, 0.0)] * len(order)
        found = Differences([rounded(own) for own in performances], levels, self.draw_margin).settled()
        for one, skill, own, heard in zip(order, skills, performances, found, strict=True):
            by_match = scattered(sound(without(plus(own, rounded(heard)), own), NOTHING), noise)
            precision, weight = plus(skill, by_match)
            after[one] = weight / precision, sqrt(1 / precision)
        return after

    def _skill(self, mu: float, sigma: float) -> Known:
        """Return what is known of a skill before a match, with the doubt that came since the one before."""
        precision = sigma**-2
        mean, deviation = precision * mu / precision, sqrt(1 / precision)  # the package's own detour
        precision = sqrt(deviation**2 + self.tau**2) ** -2
        return precision, precision * mean


@dataclass(slots=True)
class Differences:
    """The chain: performances from the first place to the last, and the differences between neighbours.

    `own`: what is known of each performance before the match; `levels`: of each difference, whether it is a draw.
    """

    own: list[Known]
    levels: list[bool]
    draw_margin: float
    _all: list[Known] = field(init=False)
    _from_above: list[Known] = field(init=False)
    _from_below: list[Known] = field(init=False)
    _sums: list[Known] = field(init=False)
    _cuts: list[Known] = field(init=False)
    _wholes: list[Known] = field(init=False)

    def __post_init__(self) -> None:
        self._all = list(self.own)
        """All that is known of each performance: its own and what its neighbours say."""
        self._from_above, self._from_below = [NOTHING] * len(self.own), [NOTHING] * len(self.own)
        self._sums, self._cuts, self._wholes = ([NOTHING] * len(self.levels) for _ in range(3))
        """Of each difference: what its performances say, what the result adds, and both."""

    def settled(self) -> list[Known]:
        last = len(self.levels) - 1
        for _ in range(MOST_ROUNDS):
            moved = 0.0
            for gap in range(last):
                upper, lower = self._upper(gap), self._lower(gap)
                moved = max(moved, self._cut(gap, upper, lower))
                self._tell_lower(gap, upper)
            for gap in range(last, 0, -1):
                upper, lower = self._upper(gap), self._lower(gap)
                moved = max(moved, self._cut(gap, upper, lower))
                self._tell_upper(gap, lower)
            if moved <= CLOSE:
                break
        self._tell_upper(0, self._lower(0))
        self._tell_lower(last, self._upper(last))
        return [sound(without(all_, own), NOTHING) for all_, own in zip(self._all, self.own, strict=True)]

    def _cut(self, gap: int, upper: Known, lower: Known) -> float:
        """Cut a difference by the result, with what is known of both performances; return by how much it moved."""
        precision = 1 / (1 / upper[0] + 1 / lower[0])
        weight = precision * (upper[1] / upper[0] - lower[1] / lower[0])
        old_sum, old_whole, old_cut = self._sums[gap], self._wholes[gap], self._cuts[gap]
        whole_precision = old_whole[0] - old_sum[0] + precision
        whole_weight = old_whole[1] - old_sum[1] + weight
        if whole_precision > old_cut[0]:
            uncut = whole_precision - old_cut[0], whole_weight - old_cut[1]
        else:  # rounding has left nothing of it
            uncut = precision, weight
        after = cut(uncut, self.draw_margin, is_level=self.levels[gap])
        self._sums[gap], self._wholes[gap] = (precision, weight), after
        self._cuts[gap] = after[0] + old_cut[0] - whole_precision, after[1] + old_cut[1] - whole_weight
        return max(abs(whole_weight - after[1]), sqrt(abs(whole_precision - after[0])))

    def _upper(self, gap: int) -> Known:
        """Return what is known of the performance above a difference without it."""
        (precision, weight), part = self._all[gap], self._from_below[gap]
        return (precision - part[0], weight - part[1]) if precision > part[0] else self.own[gap]

    def _lower(self, gap: int) -> Known:
        """Return what is known of the performance below a difference without it."""
        (precision, weight), part = self._all[gap + 1], self._from_above[gap + 1]
        return (precision - part[0], weight - part[1]) if precision > part[0] else self.own[gap + 1]

    def _tell_lower(self, gap: int, upper: Known) -> None:
        """Let the performance below a difference know what the upper one and the result say of it."""
        said = added(upper, without(self._wholes[gap], self._sums[gap]), -1.0)
        self._all[gap + 1] = plus(without(self._all[gap + 1], self._from_above[gap + 1]), said)
        self._from_above[gap + 1] = said

    def _tell_upper(self, gap: int, lower: Known) -> None:
        """Let the performance above a difference know what the lower one and the result say of it."""
        said = added(lower, without(self._wholes[gap], self._sums[gap]), 1.0)
        self._all[gap] = plus(without(self._all[gap], self._from_below[gap]), said)
        self._from_below[gap] = said


def plus(first: Known, second: Known) -> Known:
    return first[0] + second[0], first[1] + second[1]


def without(all_: Known, part: Known) -> Known:
    """Return what is known without one part of it."""
    return all_[0] - part[0], all_[1] - part[1]


def sound(known: Known, otherwise: Known) -> Known:
    """Return what is known, or something else where rounding has left nothing of it."""
    return known if known[0] > 0 else otherwise


def scattered(known: Known, noise: float) -> Known:
    """Return what is known of a number that scatters about a known one with this variance."""
    share = 1 / (1 + noise * known[0])
    return share * known[0], share * known[1]


def added(known: Known, difference: Known, sign: float) -> Known:
    """Return what is known of the sum of both, or with `sign` -1 of what is left."""
    if difference[0] <= 0:
        return NOTHING
    precision = 1 / (1 / known[0] + 1 / difference[0])
    return precision, precision * (known[1] / known[0] + sign * (difference[1] / difference[0]))


def rounded(known: Known) -> Known:
    """Return the same as a team of one knows it in the package: rounded once more."""
    if known[0] == 0:
        return NOTHING
    precision = 1 / (1 / known[0])
    return precision, precision * (known[1] / known[0])


def cut(difference: Known, draw_margin: float, *, is_level: bool) -> Known:
    """Return what is known of a difference once the result has cut off what it excludes."""
    precision, weight = difference
    root = sqrt(precision)
    step, left = (held_within if is_level else held_beyond)(weight / root, draw_margin * root)
    return precision / left, (weight + root * step) / left


def held_beyond(centre: float, draw_margin: float) -> tuple[float, float]:
    """Return how far a standard normal variable about `centre` moves if it is above the margin, and its variance."""
    point = centre - draw_margin
    chance = below(point)
    if chance:
        step = density(point) / chance
        gone = step * (step + point)
        if 0 < gone <= 1 - SURELY_LEFT:
            return step, 1 - gone
    step, left = beyond(point)
    return step, max(left, LEAST_LEFT)


def held_within(centre: float, draw_margin: float) -> tuple[float, float]:
    """Return how far a standard normal variable about `centre` moves if it is within the margin, and its variance."""
    distance = abs(centre)
    high, low = draw_margin - distance, -draw_margin - distance
    chance = below(high) - below(low)
    if chance:
        step = (density(low) - density(high)) / chance
        gone = step**2 + (high * density(high) - low * density(low)) / chance
        if gone <= 1 - SURELY_LEFT:
            return (-step if centre < 0 else step), 1 - gone
    step, left = within(centre, draw_margin)
    return step, max(left, LEAST_LEFT)


def below(point: float) -> float:
    return 0.5 * erfc(-point / ROOT_2)


def density(point: float) -> float:
    return exp(-point * point / 2) / ROOT_2_PI
