"""Recording matches: the results, all ratings and ledger lines in one transaction, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence

from engine.match import MatchResult
from ladder.database.connection import Connection
from ladder.flows import recordings
from ladder.flows.recordings import Change, Ending, HeldRatings, MatchOver
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


def write_down(connection: Connection, claim: MatchClaim, ending: Ending, seats: Sequence[SeatResult]) -> bool:
    """Record a match that is summed up; see `record`."""
    return write_all_down(connection, [MatchOver(claim, ending, seats)])[0]


def write_all_down(connection: Connection, over: Sequence[MatchOver]) -> list[bool]:
    """Record matches that are summed up, all or none. Returns of each what `record` does.

    They are finished and rated in the order of their ids, so that no two recordings wait for each other.
    """
    places = sorted(range(len(over)), key=lambda place: over[place].claim.match_id)
    in_order = [over[place] for place in places]
    held = recordings.finish_matches(connection, in_order)
    rate_matches(connection, [match for match, is_held in zip(in_order, held, strict=True) if is_held])
    return [is_held for _, is_held in sorted(zip(places, held, strict=True))]


def rate_matches(connection: Connection, finished: Sequence[MatchOver]) -> None:
    """Update the standings of all who played those matches that rate, and append their ledger lines."""
    rating = [match for match in finished if match.claim.rates]
    if rating:
        held = recordings.lock_ratings(connection, [match.claim for match in rating])
        recordings.write_ratings(connection, [(match, changes_by(match, held)) for match in rating])


def changes_by(match: MatchOver, held: HeldRatings) -> list[Change]:
    """Rate those who played a match, keep their new ratings for the next one, and return what has changed."""
    league_id, version_ids = match.claim.league_id, match.claim.version_ids
    settings = held.settings[league_id]
    before = [held.ratings[league_id, version_id] for version_id in version_ids]
    after = rate_places(model_of(settings), before, [seat.place for seat in match.seats])
    held.ratings.update({(league_id, version_id): new for version_id, new in zip(version_ids, after, strict=True)})
    return [
        Change(version_id, old, new, score(settings, new))
        for version_id, old, new in zip(version_ids, before, after, strict=True)
    ]
