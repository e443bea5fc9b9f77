"""How good a version is thought to be: a TrueSkill rating, updated after each match.

The TrueSkill model is Microsoft Research's (Herbrich, Minka, Graepel 2006); the arithmetic is the `trueskill`
package's, with an environment of our own: the package's module-level functions share one global environment, which we
never touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trueskill import TrueSkill


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of a version's skill: a normal distribution with mean `mu` and deviation `sigma`."""

    mu: float = 25.0
    sigma: float = 25.0 / 3

    @property
    def score(self) -> float:
        """Return what the board ranks by: three deviations below the mean, so that being unknown is no advantage."""
        return self.mu - 3 * self.sigma


FRESH = Rating()


@cache
def environment(draw_probability: float) -> TrueSkill:
    """Return the model with TrueSkill's usual constants and a game's own share of draws."""
    return TrueSkill(mu=25.0, sigma=25.0 / 3, beta=25.0 / 6, tau=25.0 / 300, draw_probability=draw_probability)


def rate(first: Rating, second: Rating, winner: int | None, draw_probability: float) -> tuple[Rating, Rating]:
    """Return both ratings after a match. `winner`: seat 0, seat 1 or None for a draw."""
    model = environment(draw_probability)
    ranks = [0, 0] if winner is None else [winner, 1 - winner]
    groups = [(model.create_rating(first.mu, first.sigma),), (model.create_rating(second.mu, second.sigma),)]
    ((after_first,), (after_second,)) = model.rate(groups, ranks=ranks)
    return Rating(after_first.mu, after_first.sigma), Rating(after_second.mu, after_second.sigma)
