"""How good a version is thought to be: ratings, the models that change them after a match, and what boards rank by.

How this works. A league says by which system it rates and with which numbers (`RatingSettings`). `model_of` makes that
system once; everything that rates, live or again, goes through the same object, so that a ledger can be reproduced to
the last bit. TrueSkill (Herbrich, Minka, Graepel 2006) is defined by the `trueskill` package with an environment of our
own, and computed for two players in closed form, for more along a chain (`ladder.ratings.trueskill`); Plackett-Luce is
`openskill`'s. Neither package's module-level functions are used: they share one environment with everybody.

How far matches can move ratings (`keeps_its_rank`). The most that the matches that are left can do for a version is
bounded by letting it win all of them against the strongest it can meet; the least, by letting it lose all of them
against the weakest. A bound has to hold for every order of results, and doubt (sigma) matters twice: the more doubt,
the further a match moves a rating, and the less doubt is left, the better a cautious score. So each step is taken with
the most doubt that can be left by then, and the score is taken with the least. For both systems a step is the larger
the more doubt its version has, the less the other one has, and the less the result was expected; and a version that
began higher ends higher. So these are bounds. The others are met as they are rated now; the two that are compared are
both followed, as they may meet in every match. A test plays all results of a few matches and finds none beyond.

Imports inside functions: each rating system's library is imported only where a league uses that system, and
`openskill` is installed only where one chooses it (`require_installed`).
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.util import find_spec
from math import erfc, exp, fsum, hypot, pi, sqrt
from pathlib import Path
from shlex import quote
from typing import Protocol

from engine.errors import MissingTool
from engine.immutable import immutable
from ladder.choices import RatingSystem, ScoreFormula
from ladder.ratings.trueskill import SkillModel


@immutable
class Rating:
    """What is believed of a version's skill: a normal distribution with mean `mu` and deviation `sigma`."""

    mu: float = 25.0
    sigma: float = 25.0 / 3


@immutable
class RatingSettings:
    """How a league rates. `system`: a key of SYSTEMS; `score_formula`: a key of SCORE_FORMULAS.

    `mu`, `sigma`: the rating of a newcomer; `beta`: how much play varies from match to match; `tau`: doubt added with
    every match; `draw_probability`: the share of draws between equals that is expected, from 0 to below 1.
    """

    system: str = RatingSystem.TRUESKILL
    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.1
    score_formula: str = ScoreFormula.CAUTIOUS


class Believed(Protocol):
    """Whatever has a rating."""

    @property
    def mu(self) -> float: ...

    @property
    def sigma(self) -> float: ...


def chance_of_being_stronger(first: Believed, second: Believed) -> float:
    """Return how likely the first is the stronger one by both ratings, 0 to 1: of skill, not of the next match."""
    doubt = hypot(first.sigma, second.sigma)
    if doubt == 0:
        return 0.5 if first.mu == second.mu else float(first.mu > second.mu)
    return 0.5 * erfc((second.mu - first.mu) / doubt / sqrt(2))


class RatingModel(Protocol):
    """A rating system with its constants. A pure function: equal arguments, equal bits."""

    def rate(self, ratings: Sequence[Rating], places: Sequence[int]) -> tuple[Rating, ...]:
        """Return the ratings of two and more after a match. `places`: 1 is the best, equal ones are level."""
        ...

    def expected_points(self, mu: float, sigma: float, other_mu: float, other_sigma: float) -> float:
        """Return what the first can expect of the second, 0 to 1. By numbers: some ask for 100,000 matches'."""
        ...


class TrueSkillModel:
    """TrueSkill."""

    def __init__(self, settings: RatingSettings) -> None:
        self._skills = SkillModel(settings.beta, settings.tau, draw_margin(settings))

    def rate(self, ratings: Sequence[Rating], places: Sequence[int]) -> tuple[Rating, ...]:
        if len(ratings) > 2:
            after = self._skills.after_many([(rating.mu, rating.sigma) for rating in ratings], places)
            return tuple(Rating(mu, sigma) for mu, sigma in after)
        (first, second), (place, other_place) = ratings, places
        winner = None if place == other_place else int(other_place < place)
        mu, sigma, other_mu, other_sigma = self._skills.after_two(
            first.mu, first.sigma, second.mu, second.sigma, winner
        )
        return Rating(mu, sigma), Rating(other_mu, other_sigma)

    def expected_points(self, mu: float, sigma: float, other_mu: float, other_sigma: float) -> float:
        return self._skills.expected_points(mu, sigma, other_mu, other_sigma)


def draw_margin(settings: RatingSettings) -> float:
    """Return how close two performances are where TrueSkill expects a draw."""
    from statistics import NormalDist

    from trueskill import TrueSkill, calc_draw_margin

    # The package's own normal distribution is an approximation to 7 digits.
    exact = (lambda x: 0.5 * erfc(-x / sqrt(2)), lambda x: exp(-x * x / 2) / sqrt(2 * pi), NormalDist().inv_cdf)
    environment = TrueSkill(
        settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability, backend=exact
    )
    return float(calc_draw_margin(settings.draw_probability, 2, environment))


class PlackettLuceModel:
    """openskill's Plackett-Luce. It knows draws as equal ranks, and expects no share of them."""

    def __init__(self, settings: RatingSettings) -> None:
        require_installed(RatingSystem.OPENSKILL)
        from openskill.models import PlackettLuce

        self._model = PlackettLuce(mu=settings.mu, sigma=settings.sigma, beta=settings.beta, tau=settings.tau)

    def rate(self, ratings: Sequence[Rating], places: Sequence[int]) -> tuple[Rating, ...]:
        # Only differences count for the model. Around 0, its exponentials stay within what a float can hold.
        middle = fsum(rating.mu for rating in ratings) / len(ratings)
        create = self._model.rating
        teams = [[create(rating.mu - middle, rating.sigma)] for rating in ratings]
        after = self._model.rate(teams, ranks=[float(place) for place in places])
        return tuple(Rating(middle + rating.mu, rating.sigma) for (rating,) in after)

    def expected_points(self, mu: float, sigma: float, other_mu: float, other_sigma: float) -> float:
        spread = sqrt(sigma**2 + other_sigma**2 + 2 * self._model.beta**2)
        return 1 / (1 + exp(min(700.0, (other_mu - mu) / spread)))


SYSTEMS: dict[str, Callable[[RatingSettings], RatingModel]] = {
    RatingSystem.TRUESKILL: TrueSkillModel,
    RatingSystem.OPENSKILL: PlackettLuceModel,
}
SCORE_FORMULAS: dict[str, Callable[[Rating], float]] = {
    ScoreFormula.CAUTIOUS: lambda rating: rating.mu - 3 * rating.sigma,
    ScoreFormula.MEAN: lambda rating: rating.mu,
}


def is_installed(system: str) -> bool:
    return system != RatingSystem.OPENSKILL or find_spec("openskill") is not None


def require_installed(system: str) -> None:
    """Raises MissingTool, with how to install it, where this machine lacks what a rating system needs."""
    if not is_installed(system):
        setup = Path(__file__).parents[2] / "deploy" / "setup.sh"
        how = f"sh {quote(str(setup))} {system}" if setup.exists() else f"pip install 'ladder-arena[{system}]'"
        raise MissingTool(f"leagues that rate by {system} need its package, which is not installed: {how}")


@cache
def model_of(settings: RatingSettings) -> RatingModel:
    """Return the system that a league rates by, made once for equal settings. Raises MissingTool."""
    return SYSTEMS[settings.system](settings)


def fresh(settings: RatingSettings) -> Rating:
    return Rating(settings.mu, settings.sigma)


def score(settings: RatingSettings, rating: Rating) -> float:
    return SCORE_FORMULAS[settings.score_formula](rating)


def keeps_its_rank(settings: RatingSettings, version: Believed, others: Sequence[Believed], matches: int) -> bool:
    """Say whether no such matches change a version's order with any other. Nearest ones are tried first."""
    place = score(settings, Rating(version.mu, version.sigma))
    places = [(score(settings, Rating(other.mu, other.sigma)), other) for other in others]
    everybody = [version, *others]
    return all(
        stays_below(settings, version, other, everybody, matches)
        if place < of_other
        else stays_below(settings, other, version, everybody, matches)
        for of_other, other in sorted(places, key=lambda pair: abs(pair[0] - place))
    )


def stays_below(
    settings: RatingSettings, lower: Believed, upper: Believed, others: Collection[Believed], matches: int
) -> bool:
    """Say whether one surely stays below another after so many matches. `others`: all met. No false yes."""
    doubt = min(other.sigma for other in others)
    doubt_by_then = least_sigma(settings, doubt, doubt, matches)
    strongest, weakest = (extreme(other.mu for other in others) for extreme in (max, min))
    weakest = furthest_mu(settings, lower, weakest, doubt_by_then, matches, wins=False)
    highest = furthest_mu(settings, lower, strongest, doubt_by_then, matches, wins=True)
    lowest = furthest_mu(settings, upper, weakest, doubt_by_then, matches, wins=False)
    best = Rating(highest, least_sigma(settings, lower.sigma, doubt_by_then, matches))
    return score(settings, best) < score(settings, Rating(lowest, most_sigma(settings, upper.sigma, matches)))


def furthest_mu(
    settings: RatingSettings, version: Believed, other_mu: float, doubt: float, matches: int, *, wins: bool
) -> float:
    """Return mu after so many wins against the strongest, or its like, or losses against the weakest.

    `other_mu`: of these; `doubt`: the least that any other has.
    """
    mu = version.mu
    sigma = most_sigma(settings, version.sigma, matches)
    model = model_of(settings)
    extreme, places = (max, (1, 2)) if wins else (min, (2, 1))
    for _ in range(matches):
        mu = model.rate([Rating(mu, sigma), Rating(extreme(other_mu, mu), doubt)], places)[0].mu
    return mu


def most_sigma(settings: RatingSettings, sigma: float, matches: int) -> float:
    """Return the largest doubt after that many matches: they take none away, and each adds tau."""
    return sqrt(sigma**2 + matches * settings.tau**2)


def least_sigma(settings: RatingSettings, sigma: float, doubt: float, matches: int) -> float:
    """Return the smallest doubt after that many matches: each shows as much as one performance can.

    A performance scatters by beta about the skill, and so does the other's. `doubt`: the least that there is of any
    other.
    """
    variance, drift = sigma**2, settings.tau**2
    noise = 2 * settings.beta**2 + drift + doubt**2
    for _ in range(matches):
        variance = (variance + drift) * noise / (variance + drift + noise)
    return sqrt(variance)
