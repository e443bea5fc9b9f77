"""What a match is expected to teach: by how much it lowers, on average, what is not known of both versions' skills.

How this works. TrueSkill's update takes v² w / c² off a variance v, where c² = 2 beta² + the variances of both, and w
depends on the result. The mean of w over win, draw and loss is the Fisher information that the result carries about
the gap t between the two, in units of c: the sum of P'(t)² / P(t) over the three. So the expected drop of the summed
variance is (v² + u²) / c² times that information: a closed form, for whole arrays of pairs at once. It is large where
little is known of one version and the result is open.

A live sigma stops falling after some hundred matches, because tau adds doubt again with each. A fit of all matches
forgets nothing, so a version is also never taken to be less known than its number of battles allows; without that idle
capacity would always go to the same few versions.
"""

from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from engine.immutable import immutable

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

NEIGHBOURS = 10
"""Pairs for idle capacity are sought among versions at most this many places apart by mu, where results are open."""
NEARLY = 0.9
"""A pair that teaches this share of what the best one does is as good: chance decides, so that opponents vary."""
UNLIKELY = 1e-12
"""Draws that are less likely hold next to no information, and rounding would make much of it."""
NEVER = -1.0
TINY = 1e-300
"""Stands for chances too small to be written, so that nothing is divided by zero."""


@immutable
class Model:
    """How results come about: the deviation `beta` of one performance, and the share of draws between equals."""

    beta: float
    draw_probability: float

    @property
    def margin(self) -> float:
        return sqrt(2) * self.beta * float(ndtri((self.draw_probability + 1) / 2))

    @property
    def precision_of_battle(self) -> float:
        """Return how much two matches against an equal whose skill is known say about a skill, as a precision."""
        deviation = sqrt(2) * self.beta
        return 2 * float(information(np.zeros(1), np.array([self.margin / deviation]))[0]) / deviation**2


def information(gap: Floats, margin: Floats) -> Floats:
    """Return a result's Fisher information on the gap. Both are in units of the performance difference's deviation."""
    lead = np.abs(gap)
    to_win, to_loss = density(lead - margin), density(lead + margin)
    win, loss = ndtr(lead - margin), ndtr(-lead - margin)
    draw = ndtr(margin - lead) - loss
    of_draws = np.where(draw > UNLIKELY, (to_loss - to_win) ** 2 / np.maximum(draw, UNLIKELY), 0.0)
    total: Floats = to_win**2 / np.maximum(win, TINY) + to_loss**2 / np.maximum(loss, TINY) + of_draws
    return total


def density(x: Floats) -> Floats:
    densities: Floats = np.exp(-x * x / 2) / sqrt(2 * np.pi)
    return densities


def expected_drop(gap: Floats, variance: Floats, other: Floats, model: Model) -> Floats:
    """Return by how much one match lowers the sum of both variances, on average. `gap`: between the two mus."""
    spread = 2 * model.beta**2 + variance + other
    deviation = np.sqrt(spread)
    drop: Floats = (variance**2 + other**2) / spread * information(gap / deviation, model.margin / deviation)
    return drop


class InformationGain:
    """What is believed of a board's versions, by index; each arranged battle lowers both doubts as expected."""

    def __init__(
        self,
        mus: list[float],
        sigmas: list[float],
        battles: list[int],
        waiting: list[int],
        model: Model,
        sides: Sequence[int] | None = None,
    ) -> None:
        """Begin with ratings, with all battles, played or not, and with those that wait.

        `sides`: versions with the same number do not meet; None: all others do.
        """
        self.sides = np.arange(len(mus)) if sides is None else np.array(sides)
        self.model = model
        self.mus = np.array(mus)
        rated = 1 / np.array(sigmas) ** 2 + np.array(waiting) * model.precision_of_battle
        self.variances: Floats = 1 / np.maximum(rated, np.array(battles) * model.precision_of_battle)

    def with_each(self, index: int) -> Floats:
        """Return what a match of this version with each other is expected to teach; NEVER where they do not meet."""
        drops = expected_drop(self.mus - self.mus[index], self.variances[index], self.variances, self.model)
        return np.where(self.sides == self.sides[index], NEVER, drops)

    def best_opponent(self, index: int, chance: Random) -> int:
        """Return an opponent from whom nearly as much is to be learnt as from the best."""
        drops = self.with_each(index)
        return int(chance.choice(np.flatnonzero(drops >= NEARLY * drops.max())))

    def expect(self, index: int, other: int) -> None:
        """Lower both variances by what a battle, two matches, is expected to teach."""
        v, u = self.variances[[index, other]]
        spread = 2 * self.model.beta**2 + v + u
        gap = np.atleast_1d((self.mus[index] - self.mus[other]) / sqrt(spread))
        gained = 2 * float(information(gap, self.model.margin / np.sqrt(np.atleast_1d(spread)))[0]) / spread
        self.variances[[index, other]] = v / (1 + v * gained), u / (1 + u * gained)


class AllPairs:
    """What a battle of each two versions would teach, kept up to date. `met`: in how many matches each two have met."""

    def __init__(self, lessons: InformationGain, met: list[list[int]]) -> None:
        self.lessons = lessons
        self.met = np.array(met)
        self.drops = np.array([lessons.with_each(index) for index in range(len(lessons.mus))])

    def best_pair(self, behind: list[bool], chance: Random) -> tuple[int, int]:
        """Return two of those that are `behind`, or one of them with any other: of whom nearly the most is learnt."""
        allowed = allowed_pairs(behind, self.drops > NEVER)
        drops = np.where(allowed, self.drops, 0.0)
        return draw_pair(allowed & (drops >= NEARLY * drops.max()), chance)

    def rarest_pair(self, behind: list[bool], chance: Random) -> tuple[int, int]:
        """Return the same of those that have met least."""
        allowed = allowed_pairs(behind, self.drops > NEVER)
        return draw_pair(allowed & (self.met == self.met[allowed].min()), chance)

    def expect(self, index: int, other: int) -> None:
        """Count a battle as arranged, and look again at all pairs of those two."""
        self.lessons.expect(index, other)
        self.met[[index, other], [other, index]] += 2
        for version in (index, other):
            self.drops[version] = self.drops[:, version] = self.lessons.with_each(version)


def allowed_pairs(behind: list[bool], meet: Bools) -> Bools:
    """Return the table of the pairs that can be next, each once: both are behind, or one. `meet`: which do."""
    both: Bools = np.triu(np.logical_and.outer(behind, behind) & meet, 1)
    return both if both.any() else np.triu(np.logical_or.outer(behind, behind) & meet, 1)


def draw_pair(pairs: Bools, chance: Random) -> tuple[int, int]:
    index, other = chance.choice(np.argwhere(pairs)).tolist()
    return index, other


class Neighbourhood:
    """The best pair of all, sought among versions that are close by mu; kept up to date as battles are arranged."""

    def __init__(self, lessons: InformationGain) -> None:
        self.lessons = lessons
        self.by_mu = np.argsort(lessons.mus, kind="stable")
        self.place = np.argsort(self.by_mu, kind="stable")
        self.steps = np.array([step for step in range(-NEIGHBOURS, NEIGHBOURS + 1) if step])
        self.best = np.zeros(len(self.by_mu))
        self._look_at(np.arange(len(self.by_mu)))

    def _drops(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """Return the neighbours' places and what a match with each is expected to teach; NEVER beyond the ends."""
        others = places[:, None] + self.steps
        exists = (others >= 0) & (others < len(self.by_mu))
        ours, theirs = self.by_mu[places][:, None], self.by_mu[np.where(exists, others, 0)]
        mus, variances, sides = self.lessons.mus, self.lessons.variances, self.lessons.sides
        drops = expected_drop(mus[ours] - mus[theirs], variances[ours], variances[theirs], self.lessons.model)
        return others, np.where(exists & (sides[ours] != sides[theirs]), drops, NEVER)

    def _look_at(self, places: NDArray[np.int64]) -> None:
        self.best[places] = self._drops(places)[1].max(axis=1)

    @property
    def has_pairs(self) -> bool:
        return bool(self.best.max() > NEVER)

    def best_pair(self, chance: Random) -> tuple[int, int]:
        """Return the version that can learn most from a neighbour, and a neighbour that teaches nearly that much."""
        first = int(np.argmax(self.best))
        others, drops = self._drops(np.array([first]))
        second = int(chance.choice(others[0][drops[0] >= NEARLY * drops[0].max()]))
        return int(self.by_mu[first]), int(self.by_mu[second])

    def expect(self, index: int, other: int) -> None:
        """Count a battle as arranged, and look again at all whom that concerns."""
        self.lessons.expect(index, other)
        around = [np.arange(place - NEIGHBOURS, place + NEIGHBOURS + 1) for place in self.place[[index, other]]]
        places = np.unique(np.concatenate(around))
        self._look_at(places[(places >= 0) & (places < len(self.by_mu))])
