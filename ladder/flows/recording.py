"""Recording matches: the results, all ratings and ledger lines in one transaction, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence

from engine.match import MatchResult
from ladder.database.connection import Connection
from ladder.flows import held_standings, recordings
from ladder.flows.held_standings import HeldStandings, LedgerLine
from ladder.flows.recordings import Ending, MatchOver
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
    if not rating:
        return
    held = held_standings.lock(connection, [match.claim for match in rating])
    changes = [change for match in rating for change in rate(match, held)]
    held_standings.write(connection, held, [line for line, _ in changes])
    held_standings.mark_wins(connection, [line for line, beats_boss in changes if beats_boss])


def rate(match: MatchOver, held: HeldStandings) -> list[tuple[LedgerLine, bool]]:
    """Rate those who played a match, and count it for them.

    Returns the ledger line of each seat, and whether it beat the league's boss: to be placed before that counts as a
    win against it.
    """
    claim, places = match.claim, [seat.place for seat in match.seats]
    settings = held.settings[claim.league_id]
    standings = [held.standings[claim.league_id, version_id] for version_id in claim.version_ids]
    before = [standing.rating for standing in standings]
    after = rate_places(model_of(settings), before, places)
    bosses = [place for standing, place in zip(standings, places, strict=True) if standing.is_boss]
    changes: list[tuple[LedgerLine, bool]] = []
    for seat, (standing, old, new) in enumerate(zip(standings, before, after, strict=True)):
        beats_boss = any(places[seat] < boss for boss in bosses)
        standing.mu, standing.sigma, standing.score = new.mu, new.sigma, score(settings, new)
        standing.boss_wins += beats_boss
        standing.count(places[seat], places[:seat] + places[seat + 1 :], match.seats[seat].verdict)
        line = LedgerLine(claim.match_id, standing.version_id, claim.league_id, old.mu, old.sigma, new.mu, new.sigma)
        changes.append((line, beats_boss))
    return changes
