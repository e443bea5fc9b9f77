"""TrueSkill for a match of two, in closed form: what the `trueskill` package computes with a factor graph, in a few µs.

How this works. Before the match the difference of both performances, on the scale of its own deviation, is a standard
normal variable z, moved by what is believed of the two. The result cuts off the part of the line where z cannot have
been: all below a point for a win, all outside an interval for a draw. The mean and variance of what is left say how
far both ratings move and how much doubt remains. Far out in the tail the textbook formulas divide 0 by 0 or subtract
nearly equal numbers; there Laplace's continued fraction for the normal tail is used, so that no upset, however
unlikely, is an error.

Only mathematics of Python itself is used, and one order of operations: the same match gives the same bits in a live
ladder, a replay and a bulk recomputation. Tests hold it to the package (with an exact normal distribution: the
package's own is an approximation to 7 digits) within 1e-9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import erfc, exp, pi, sqrt

ROOT_2 = sqrt(2.0)
ROOT_HALF_PI = sqrt(pi / 2)
DEEP = 5.0
"""From this many deviations on, a tail is computed by continued fraction."""
FRACTION_LEVELS = 30
"""This many levels of it are exact to the last digits from DEEP on."""
NARROW = 1e-3
"""Intervals below this width are summed as a power series."""


@dataclass(frozen=True, slots=True)
class TwoPlayer:
    """The model's constants, on the scale of ratings. `draw_margin`: performances that are so close are a draw."""

    beta: float
    tau: float
    draw_margin: float
    _drift: float = field(init=False)
    _noise: float = field(init=False)

    def __post_init__(self) -> None:
        """Square once what every match needs squared."""
        object.__setattr__(self, "_drift", self.tau * self.tau)
        object.__setattr__(self, "_noise", 2 * self.beta * self.beta)

    def update(
        self, first_mu: float, first_sigma: float, second_mu: float, second_sigma: float, winner: int | None
    ) -> tuple[float, float, float, float]:
        """Return both ratings after a match, in the order they come in. `winner`: 0, 1 or None for a draw."""
        first_variance = first_sigma * first_sigma + self._drift
        second_variance = second_sigma * second_sigma + self._drift
        noise = self._noise
        total = first_variance + second_variance + noise
        scale = sqrt(total)
        if winner == 0:
            mean, left = beyond((first_mu - second_mu - self.draw_margin) / scale)
        elif winner == 1:
            mean, left = beyond((second_mu - first_mu - self.draw_margin) / scale)
            mean = -mean
        else:
            mean, left = within((first_mu - second_mu) / scale, self.draw_margin / scale)
        step = mean / scale
        # A variance shrinks by the share of the difference that is its own; sums of positives lose no digits.
        return (
            first_mu + first_variance * step,
            sqrt(first_variance * (second_variance + noise + first_variance * left) / total),
            second_mu - second_variance * step,
            sqrt(second_variance * (first_variance + noise + second_variance * left) / total),
        )

    def expected_points(self, first_mu: float, first_sigma: float, second_mu: float, second_sigma: float) -> float:
        """Return what the first can expect of a match: its chance to win and half its chance to draw."""
        scale = sqrt(first_sigma * first_sigma + second_sigma * second_sigma + 2 * self._drift + self._noise)
        difference = first_mu - second_mu
        wins = 0.5 * erfc(-(difference - self.draw_margin) / scale / ROOT_2)
        losses = 0.5 * erfc((difference + self.draw_margin) / scale / ROOT_2)
        return 0.5 * (1 + wins - losses)


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
