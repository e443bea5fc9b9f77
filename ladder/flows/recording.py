"""Recording a match: the result, all ratings and ledger lines in one transaction, or nothing at all."""

from __future__ import annotations

from engine.match import MatchResult
from ladder.database.connection import Connection
from ladder.flows import recordings
from ladder.flows.recordings import Change, Ending
from ladder.matches.claims import MatchClaim
from ladder.matches.record import Recording, pack
from ladder.matches.seat_results import SeatResult, count_overruns, seat_result
from ladder.ratings.models import model_of, rate_places, score


def record(connection: Connection, claim: MatchClaim, result: MatchResult) -> bool:
    """Write down a finished match and rate those who played it, unless it is unrated.

    Returns False, changing nothing, if the claim no longer holds.
    """
    return write_down(connection, claim, *summed_up(claim, result))


def summed_up(claim: MatchClaim, result: MatchResult) -> tuple[Ending, list[SeatResult]]:
    """Return what is to be written down of a match: how it ended, and how each seat did."""
    ending = Ending(
        result.outcome.reason,
        len(result.turns),
        pack(Recording(result.turns, result.rules_version, result.notes)),
        result.sandbox,
        result.spec.limits,
    )
    overruns = count_overruns(result, claim.conditions.time)
    return ending, [seat_result(result, seat, overruns[seat]) for seat in range(claim.players)]


def write_down(connection: Connection, claim: MatchClaim, ending: Ending, seats: list[SeatResult]) -> bool:
    """Record a match that is summed up; see `record`."""
    if not recordings.finish_match(connection, claim, ending, seats):
        return False
    if claim.rates:
        rate_match(connection, claim, seats)
    return True


def rate_match(connection: Connection, claim: MatchClaim, seats: list[SeatResult]) -> None:
    """Update the standings of all who played and append their ledger lines."""
    ratings, settings = recordings.lock_ratings(connection, claim)
    before = [ratings[version_id] for version_id in claim.version_ids]
    after = rate_places(model_of(settings), before, [seat.place for seat in seats])
    changes = [
        Change(version_id, old, new, score(settings, new))
        for version_id, old, new in zip(claim.version_ids, before, after, strict=True)
    ]
    recordings.write_ratings(connection, claim, changes, seats)
