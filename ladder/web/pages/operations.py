"""The operations room."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.plots import gauges
from ladder.plots.gauges import Column
from ladder.plots.svg import Svg
from ladder.views.fleet import (
    breaker_text,
    no_fair_clock_text,
    stranded_text,
    suspect_text,
    unguarded_text,
    unplayable_text,
    untrusted_text,
)
from ladder.views.pages.operations import LOOKS_AT, MOST_COUNTED, SPAN, Operations, operations
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
MOST_WORDS = 400
"""As many characters of a reason are in its row; the page of its match has all of it."""


@router.get("/operations")
def operations_room(site: SiteHere) -> Response:
    """Show what waits, what the workers do and what went wrong."""
    with site.reading() as connection:
        found = operations(connection)
    return page(
        "operations.html",
        found=found,
        pace=pace_of(found),
        finished_lately=None if found.spans is None else sum(span.finished for span in found.spans),
        most_counted=MOST_COUNTED,
        looks_at=LOOKS_AT,
        most_words=MOST_WORDS,
        warnings=[
            *map(no_fair_clock_text, found.without_fair_clock),
            *map(unplayable_text, found.unplayable),
            *map(stranded_text, found.stranded),
            *map(suspect_text, found.suspects),
            *map(breaker_text, found.breakers),
            *map(unguarded_text, found.unguarded),
            *map(untrusted_text, found.untrusted),
        ],
        topics=["operations", "gauntlets"],
    )


def pace_of(found: Operations) -> Svg:
    """Draw how many matches were finished per minute in the last hour; empty where they are too many to count."""
    if found.spans is None:
        return Svg()
    columns: list[Column] = []
    for place, span in enumerate(found.spans):
        ago = round((found.spans[-1].begin - span.begin) / SPAN) * SPAN.seconds // 60
        words = "now" if not ago else f"{ago} min" if place and place % 4 == 0 else ""  # at the edge it has no room
        rate = span.per_minute
        columns.append(Column(rate, words, f"{rate:.0f}" if rate >= 1 else f"{rate:.1f}" if rate else ""))
    return gauges.columns(columns, "matches per minute in the last hour", "by five minutes, the present ones last")
