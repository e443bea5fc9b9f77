"""How far our ratings are from those that the other program had, and why. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

from trueskill import TrueSkill

from engine.immutable import immutable
from ladder.imports.foreign import ForeignLeague, ForeignMatch
from ladder.ratings.models import Rating, RatingSettings, fresh, model_of

EQUAL_WITHIN = 1e-6
SETTINGS = {"rating_system": "system"} | {name: name for name in ("mu", "sigma", "beta", "tau", "draw_probability")}
"""The settings of a league that its ratings depend on, by the names that they have there; what RatingSettings says."""


@immutable
class OtherSetting:
    """A setting of the league that is not the other program's. `here`, `there`: its values."""

    setting: str
    here: float | str
    there: float | str


@immutable
class Agreement:
    """How far ratings are apart at most, in mu or sigma: those of the folder's matches, each rated in its order.

    `as_here`, `as_there`: ours by the league's settings, by the other program's; `as_package`: those of the package
    `trueskill` as it is used there, with seven digits; None where that is not asked. `others`: settings that differ.
    """

    file: str
    bots: int
    others: tuple[OtherSetting, ...]
    as_here: float
    as_there: float
    as_package: float | None

    @property
    def is_equal(self) -> bool:
        return self.as_here <= EQUAL_WITHIN


def agreement_of(league: ForeignLeague, settings: RatingSettings) -> Agreement | None:
    """Compare our ratings with those of a folder; None where it has none, or says not how it rated."""
    theirs = {bot.name: bot.rating for bot in league.bots if bot.rating is not None}
    if not theirs or league.rating is None:
        return None
    there = replace(league.rating, score_formula=settings.score_formula)
    others = other_settings(settings, there)
    as_here, as_there = (
        furthest(theirs, ratings_after(league.matches, fresh(rating), model_of(rating).rate), rating)
        for rating in (settings, there)
    )
    by_package = furthest(theirs, rated_by_package(league.matches, there), there) if as_there > EQUAL_WITHIN else None
    return Agreement(league.file, len(theirs), others, as_here=as_here, as_there=as_there, as_package=by_package)


def other_settings(here: RatingSettings, there: RatingSettings) -> tuple[OtherSetting, ...]:
    values = [(name, getattr(here, field), getattr(there, field)) for name, field in SETTINGS.items()]
    return tuple(OtherSetting(name, ours, theirs) for name, ours, theirs in values if ours != theirs)


Step = Callable[[Sequence[Rating], Sequence[int]], Sequence[Rating]]


def rated_by_package(matches: Sequence[ForeignMatch], settings: RatingSettings) -> dict[str, Rating]:
    package = TrueSkill(settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability)

    def step(ratings: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        teams = [(package.create_rating(rating.mu, rating.sigma),) for rating in ratings]
        return [Rating(after.mu, after.sigma) for (after,) in package.rate(teams, ranks=list(places))]

    return ratings_after(matches, fresh(settings), step)


def ratings_after(matches: Sequence[ForeignMatch], first: Rating, step: Step) -> dict[str, Rating]:
    ratings: dict[str, Rating] = {}
    for match in matches:
        before = [ratings.get(player, first) for player in match.players]
        ratings.update(zip(match.players, step(before, match.places), strict=True))
    return ratings


def furthest(theirs: Mapping[str, Rating], ours: Mapping[str, Rating], settings: RatingSettings) -> float:
    distances = [
        max(abs(rating.mu - our.mu), abs(rating.sigma - our.sigma))
        for name, rating in theirs.items()
        for our in [ours.get(name, fresh(settings))]
    ]
    return max(distances, default=inf)
