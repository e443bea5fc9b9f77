"""One match: its viewer, and all that is stored of it.

How this works. The page leads no match by its rules: without script it shows the table of what was said, from the
record. What the viewer shows comes from a route of its own, `data`. A browser that has it already says so, and then
nothing is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.conversation import Verdict
from engine.endings import ending_words
from engine.text import counted, listed, one_line
from ladder.choices import MatchState
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.plots.curves import curves_picture
from ladder.viewer.page import page_data
from ladder.views.match_page import MatchPage, read_match_page
from ladder.views.turns.watched import WatchedMatch
from ladder.web import addresses
from ladder.web.addresses import MatchInPath
from ladder.web.api.answers import json_answer
from ladder.web.shown import page
from ladder.web.site import Site, SiteHere
from ladder.web.stage import of_matches, stage_of


def headline(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say who beat whom, and by what; or who plays whom."""
    if len(seats) != row.players:
        return f"match {row.id}"
    best_first = sorted(seats, key=lambda seat: seat.place or 0)
    first, *others = (one_line(seat.name) for seat in best_first)
    if row.state != MatchState.FINISHED:
        return f"{first} against {listed(others)}"
    has_winner = best_first[0].result == "win"
    scores = ":".join(str(seat.score) for seat in best_first) if best_first[0].score is not None else ""
    return f"{first} {'beat' if has_winner else 'drew with'} {listed(others)} {scores}".rstrip()


def summary(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    where = f"{row.game}, {row.league}, seed {row.seed_words}"
    return one_line(f"{ending(row, seats)}; {where}")


def ending(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say how a match ended, or what has become of it."""
    if row.state != MatchState.FINISHED:
        return f"{row.state}: {row.reason}" if row.reason else row.state
    words = ending_words(row.reason, [seat.verdict for seat in seats])
    return words if row.imported_from or row.starts_bots else f"{words} after {counted(row.turns, 'turn')}"


def verdict_words(seat: SeatRow) -> str:
    """Return a seat's verdict as people read it; "" before there is one."""
    return "" if seat.verdict is None else Verdict(seat.verdict).words


def rule_words(row: MatchRow) -> str:
    """Say by which rule for time a match was judged, and with which limits; "" where it was not yet."""
    if row.time_policy is None or row.starts_bots:
        return row.caution or ""
    words = row.rule_words
    if row.first_limit_ms is None:
        return words
    return f"{words}; {row.first_limit_ms} ms for the first answer, {row.turn_limit_ms} ms for each later one"


router = APIRouter()


@router.get("/matches/{match_id}")
def match(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    with site.reading() as connection:
        found = read_match_page(connection, match_id)
    return match_page(site, found, addresses.match(match_id), str(request.url))


def match_page(site: Site, found: MatchPage, place: str, address: str, *, is_shared: bool = False) -> Response:
    """Return the page of a match. `place`: how addresses of its parts begin; `is_shared`: by a link of its player."""
    stage, why = stage_of(site.games, found, f"{place}/data")
    return page(
        "match.html",
        place=place,
        is_shared=is_shared,
        found=found,
        row=found.row,
        title=site.title_of(found.row.game),
        headline=headline(found.row, found.seats),
        summary=summary(found.row, found.seats),
        ending=ending(found.row, found.seats),
        rule=rule_words(found.row),
        verdict_words=verdict_words,
        stage=stage,
        why=why,
        address=address,
        topics=[f"match:{found.row.id}"] if found.is_waiting else [],
    )


@router.get("/matches/{match_id}/data")
def data(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    return of_matches(site, request, [match_id], lambda matches: json_answer(page_data(matches)))


@router.get("/matches/{match_id}/curves.svg")
def curves(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    """Return the numbers of both seats over the turns as a picture, for browsers without script."""
    return of_matches(site, request, [match_id], curves_of)


def curves_of(matches: Sequence[WatchedMatch]) -> Response:
    (watched,) = matches
    names = [seat.version for seat in watched.seats]
    return Response(curves_picture(watched.replay.curves, names), media_type="image/svg+xml")
