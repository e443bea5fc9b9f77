"""TrueSkill: what the `trueskill` package computes with a factor graph, in a few µs; for a match of two in closed form.

How this works for two. Before the match the difference of both performances, on the scale of its own deviation, is a
standard normal variable z, moved by what is believed of the two. The result cuts off the part of the line where z
cannot have been: all below a point for a win, all outside an interval for a draw. The mean and variance of what is left
say how far both ratings move and how much doubt remains. Far out in the tail the textbook formulas divide 0 by 0 or
subtract nearly equal numbers; there Laplace's continued fraction for the normal tail is used, so that no upset, however
unlikely, is an error.

Only mathematics of Python itself is used, and one order of operations: the same match gives the same bits in a live
ladder, a replay and a bulk recomputation. Tests hold it to the package (with an exact normal distribution: the
package's own is an approximation to 7 digits) within 1e-9.

How this works for many. Every player is a team of one, so in the order of places the factor graph is a chain of
performances. Between neighbours is the difference of theirs: above the draw margin where their places differ, within it
where they are level. Each difference takes what is known of both its neighbours from elsewhere, cuts off what the
result excludes (as for two), and lets the next one know. That goes down the chain and up again until no cut moves by
more than `CLOSE`, or `MOST_ROUNDS` are over. Level players stand in the order of their seats.

What is known of a number is a normal distribution, as a pair: its precision (one over the variance) and its weight (the
precision times the mean). Two independent pieces of knowledge are added; one is taken out again by subtracting it.

The rounds and where they end are the package's: they define the ratings, as further rounds would move the sixth digit.
Where draws are rare, whether there is one more round hangs on the last bits; so the operations and their order are the
package's too, and the results are equal to the last bit or two. What is ours is the shape, which takes a fifth of the
time, and that no result is too unlikely to be rated: where the package raises FloatingPointError, the formulas for two
take over, which know the tails.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import erfc, exp, pi, sqrt
from typing import TypeAlias

from engine.immutable import immutable

ROOT_2 = sqrt(2.0)
ROOT_HALF_PI = sqrt(pi / 2)
DEEP = 5.0
"""From this many deviations on, a tail is computed by continued fraction."""
FRACTION_LEVELS = 30
"""This many levels of it are exact to the last digits from DEEP on."""
NARROW = 1e-3
"""Intervals below this width are summed as a power series."""


def beyond(point: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal variable that is known to be above -`point`."""
    if point > -DEEP:
        mean = exp(-0.5 * point * point) / (ROOT_HALF_PI * erfc(-point / ROOT_2))
        return mean, 1 - mean * (mean + point)
    excess = tail_excess(-point)
    mean = excess - point
    return mean, max(0.0, 1 - mean * excess)


def within(centre: float, half_width: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal variable that is known to be within `half_width` of -`centre`."""
    distance = abs(centre)
    if half_width * (1 + distance) < NARROW:
        left = half_width * half_width / 3
        mean = distance * (1 - left)
    else:
        mean, left = inside(distance - half_width, 2 * half_width, exp(-2 * half_width * distance))
    return (-mean if centre > 0 else mean), left


def inside(low: float, width: float, fall: float) -> tuple[float, float]:
    """Return mean and variance between `low` and `low + width`. `fall`: the density's fall from there to there."""
    near, near_excess = tail(low)
    far, far_excess = tail(low + width)
    mass = near - fall * far
    excess = (near * near_excess - fall * far * (width + far_excess)) / mass
    return low + excess, max(0.0, 1 - excess * (low + excess) - width * fall / mass)


def tail(low: float) -> tuple[float, float]:
    """Return the tail above `low` as a share of the density there, and how far its mean lies above `low`."""
    if low < DEEP:
        share = ROOT_HALF_PI * erfc(low / ROOT_2) * exp(0.5 * low * low)
        return share, 1 / share - low
    excess = tail_excess(low)
    return 1 / (low + excess), excess


def tail_excess(low: float) -> float:
    """Return how far the mean of the normal tail above `low` lies above it; for `low` from DEEP on."""
    excess = 0.0
    for level in range(FRACTION_LEVELS, 0, -1):
        excess = level / (low + excess)
    return excess


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


@immutable
class SkillModel:
    """The model's constants, on the scale of ratings. `draw_margin`: performances that are so close are a draw."""

    beta: float
    tau: float
    draw_margin: float

    def after_two(
        self, first_mu: float, first_sigma: float, second_mu: float, second_sigma: float, winner: int | None
    ) -> tuple[float, float, float, float]:
        """Return both ratings after a match, in the order they come in. `winner`: 0, 1 or None for a draw."""
        drift, noise = self.tau * self.tau, 2 * self.beta * self.beta
        first_variance = first_sigma * first_sigma + drift
        second_variance = second_sigma * second_sigma + drift
        total = first_variance + second_variance + noise
        scale = sqrt(total)
        if winner == 0:
            mean, remaining = beyond((first_mu - second_mu - self.draw_margin) / scale)
        elif winner == 1:
            mean, remaining = beyond((second_mu - first_mu - self.draw_margin) / scale)
            mean = -mean
        else:
            mean, remaining = within((first_mu - second_mu) / scale, self.draw_margin / scale)
        step = mean / scale
        # A variance shrinks by the share of the difference that is its own; sums of positives lose no digits.
        return (
            first_mu + first_variance * step,
            sqrt(first_variance * (second_variance + noise + first_variance * remaining) / total),
            second_mu - second_variance * step,
            sqrt(second_variance * (first_variance + noise + second_variance * remaining) / total),
        )

    def expected_points(self, first_mu: float, first_sigma: float, second_mu: float, second_sigma: float) -> float:
        """Return what the first can expect of a match: its chance to win and half its chance to draw."""
        drift, noise = self.tau * self.tau, 2 * self.beta * self.beta
        scale = sqrt(first_sigma * first_sigma + second_sigma * second_sigma + 2 * drift + noise)
        difference = first_mu - second_mu
        wins = 0.5 * erfc(-(difference - self.draw_margin) / scale / ROOT_2)
        losses = 0.5 * erfc((difference + self.draw_margin) / scale / ROOT_2)
        return 0.5 * (1 + wins - losses)

    def after_many(self, ratings: Sequence[tuple[float, float]], places: Sequence[int]) -> list[tuple[float, float]]:
        """Return mu and sigma of each after a match, in their order. `places`: 1 is the best; equal ones are level."""
        order = sorted(range(len(places)), key=places.__getitem__)
        noise = self.beta**2
        skills = [self._skill(*ratings[seat]) for seat in order]
        performances = [scattered(skill, noise) for skill in skills]
        levels = [places[upper] == places[lower] for upper, lower in pairwise(order)]
        after = [(0.0, 0.0)] * len(order)
        news = Differences([rounded(known) for known in performances], levels, self.draw_margin).settled()
        for seat, skill, known, heard in zip(order, skills, performances, news, strict=True):
            by_match = scattered(sound(without(plus(known, rounded(heard)), known), NOTHING), noise)
            precision, weight = plus(skill, by_match)
            after[seat] = weight / precision, sqrt(1 / precision)
        return after

    def _skill(self, mu: float, sigma: float) -> Known:
        """Return what is known of a skill before a match, with the doubt that came since the one before."""
        precision = sigma**-2
        mean, deviation = precision * mu / precision, sqrt(1 / precision)  # the package's own detour
        precision = sqrt(deviation**2 + self.tau**2) ** -2
        return precision, precision * mean


class Differences:
    """The chain of performances, best first. `own`: known before the match; `levels`: which gaps are draws."""

    def __init__(self, own: list[Known], levels: list[bool], draw_margin: float) -> None:
        self.own, self.levels, self.draw_margin = own, levels, draw_margin
        self._all = list(own)
        """All that is known of each performance: its own and what its neighbours say."""
        self._from_above, self._from_below = [NOTHING] * len(own), [NOTHING] * len(own)
        self._sums, self._cuts, self._wholes = ([NOTHING] * len(levels) for _ in range(3))
        """Of each difference: what its performances say, what the result adds, and both."""

    def settled(self) -> list[Known]:
        last = len(self.levels) - 1
        for _ in range(MOST_ROUNDS):
            moved = 0.0
            for gap in range(last):
                upper, lower = self._known(gap, self._from_below), self._known(gap + 1, self._from_above)
                moved = max(moved, self._cut(gap, upper, lower))
                self._tell(gap + 1, self._from_above, self._news(gap, upper, -1.0))
            for gap in range(last, 0, -1):
                upper, lower = self._known(gap, self._from_below), self._known(gap + 1, self._from_above)
                moved = max(moved, self._cut(gap, upper, lower))
                self._tell(gap, self._from_below, self._news(gap, lower, 1.0))
            if moved <= CLOSE:
                break
        self._tell(0, self._from_below, self._news(0, self._known(1, self._from_above), 1.0))
        self._tell(last + 1, self._from_above, self._news(last, self._known(last, self._from_below), -1.0))
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

    def _known(self, place: int, from_side: list[Known]) -> Known:
        """Return what is known of a performance without what the difference on one side of it says."""
        (precision, weight), part = self._all[place], from_side[place]
        return (precision - part[0], weight - part[1]) if precision > part[0] else self.own[place]

    def _news(self, gap: int, other: Known, sign: float) -> Known:
        """Return what the performance on one side of a difference and the result say of the one on the other."""
        return added(other, without(self._wholes[gap], self._sums[gap]), sign)

    def _tell(self, place: int, from_side: list[Known], news: Known) -> None:
        self._all[place] = plus(without(self._all[place], from_side[place]), news)
        from_side[place] = news


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
