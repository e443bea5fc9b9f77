"""Ratings as bars on a common scale: mu as a line, one sigma to either side as a band."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 120, 12
"""Of a bar, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What both ends of all bars stand for, in points of rating."""

    low: float
    high: float

    def at(self, rating: float) -> float:
        """Return where a rating stands on a bar, in pixels from its left end; at an end what lies beyond."""
        share = (rating - self.low) / (self.high - self.low)
        return round(WIDTH * min(max(share, 0.0), 1.0), 1)


def scale_of(ratings: Iterable[tuple[float, float]], beside: Iterable[float] = ()) -> Scale:
    """Return the scale on which all of these fit, each a mu with its sigma. `beside`: what has to fit on it too."""
    ends = [*beside, *(end for mu, sigma in ratings for end in (mu - sigma, mu + sigma))] or [0.0]
    low, high = min(ends), max(ends)
    return Scale(low, high if high > low else low + 1)


def rating_bar(mu: float, sigma: float, scale: Scale) -> Markup:
    """Draw a rating. Its numbers stand beside it as text, so screen readers skip the picture."""
    left, right, middle = scale.at(mu - sigma), scale.at(mu + sigma), scale.at(mu)
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="rating" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f'<path d="M0 6h{WIDTH}"/><rect x="{left}" y="2" width="{right - left:.1f}" height="8" rx="2"/>'
        f'<path d="M{middle} 0v{HEIGHT}"/></svg>'
    )
