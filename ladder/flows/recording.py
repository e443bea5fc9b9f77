"""Recording a match: the result, both ratings and both ledger lines in one transaction, or nothing at all."""

from __future__ import annotations

from engine.match import MatchResult
from ladder.database.connection import Connection
from ladder.flows import recordings
from ladder.flows.recordings import Change, Ending
from ladder.matches.claims import MatchClaim
from ladder.matches.record import Recording, pack
from ladder.matches.seat_results import SeatResult, count_overruns, seat_result
from ladder.ratings.models import rate, score


def record(connection: Connection, claim: MatchClaim, result: MatchResult) -> bool:
    """Write down a finished match and rate those who played it, unless it is unrated.

    Returns False, changing nothing, if the claim no longer holds.
    """
    ending = Ending(
        result.outcome.reason,
        len(result.turns),
        pack(Recording(result.turns, result.rules_version)),
        result.sandbox,
        result.spec.limits,
    )
    overruns = count_overruns(result, claim.conditions.time)
    seats = [seat_result(result, seat, overruns[seat]) for seat in (0, 1)]
    if not recordings.finish_match(connection, claim, ending, seats):
        return False
    if claim.rates:
        rate_match(connection, claim, result.outcome.winner, seats)
    return True


def rate_match(connection: Connection, claim: MatchClaim, winner: int | None, seats: list[SeatResult]) -> None:
    """Update both standings and append both ledger lines."""
    ratings, settings = recordings.lock_ratings(connection, claim)
    first, second = (ratings[version_id] for version_id in claim.version_ids)
    after = rate(settings, first, second, winner)
    changes = [
        Change(version_id, old, new, score(settings, new))
        for version_id, old, new in zip(claim.version_ids, (first, second), after, strict=True)
    ]
    recordings.write_ratings(connection, claim, changes, seats)
