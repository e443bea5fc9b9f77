"""How far the matches that are left can still move two versions, whatever their results. Pure.

How this works. The most that matches can do for a version is bounded by letting it win all of them against the
strongest it can meet; the least, by letting it lose all of them against the weakest. A bound has to hold for every
order of results, and doubt (sigma) matters twice: the more doubt, the further a match moves a rating, and the less
doubt is left, the better a cautious score. So each step is taken with the most doubt that can be left by then, and the
score is taken with the least. For both systems a step is the larger the more doubt its version has, the less the other
one has, and the less the result was expected; and a version that began higher ends higher. So these are bounds. The
others are met as they are rated now; the two that are compared are both followed, as they may meet in every match. A
test plays all results of a few matches and finds none beyond the bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt

from ladder.ratings.models import Believed, Rating, RatingSettings, model_of, score


def keeps_its_rank(settings: RatingSettings, own: Believed, others: Sequence[Believed], matches: int) -> bool:
    """Say whether no such matches change a version's order with any other. Nearest ones are tried first."""
    place = score(settings, Rating(own.mu, own.sigma))
    places = [(score(settings, Rating(other.mu, other.sigma)), other) for other in others]
    everybody = [own, *others]
    return all(
        stays_below(settings, own, other, everybody, matches)
        if place < of_other
        else stays_below(settings, other, own, everybody, matches)
        for of_other, other in sorted(places, key=lambda one: abs(one[0] - place))
    )


def stays_below(
    settings: RatingSettings, lower: Believed, upper: Believed, others: Collection[Believed], matches: int
) -> bool:
    """Say whether one surely stays below another after so many matches. `others`: all met. No false yes."""
    doubt = min(other.sigma for other in others)
    doubt_by_then = least_sigma(settings, doubt, doubt, matches)
    strongest = max(other.mu for other in others)
    weakest = lowest_mu(settings, lower, min(other.mu for other in others), doubt_by_then, matches)
    highest = Rating(
        highest_mu(settings, lower, strongest, doubt_by_then, matches),
        least_sigma(settings, lower.sigma, doubt_by_then, matches),
    )
    lowest = Rating(
        lowest_mu(settings, upper, weakest, doubt_by_then, matches), most_sigma(settings, upper.sigma, matches)
    )
    return score(settings, highest) < score(settings, lowest)


def highest_mu(settings: RatingSettings, own: Believed, strongest: float, doubt: float, matches: int) -> float:
    """Return mu after so many wins against the strongest, or its like. `doubt`: the least that any other has."""
    mu, sigma, model = own.mu, most_sigma(settings, own.sigma, matches), model_of(settings)
    for _ in range(matches):
        mu = model.rate(Rating(mu, sigma), Rating(max(strongest, mu), doubt), 0)[0].mu
    return mu


def lowest_mu(settings: RatingSettings, own: Believed, weakest: float, doubt: float, matches: int) -> float:
    mu, sigma, model = own.mu, most_sigma(settings, own.sigma, matches), model_of(settings)
    for _ in range(matches):
        mu = model.rate(Rating(mu, sigma), Rating(min(weakest, mu), doubt), 1)[0].mu
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
