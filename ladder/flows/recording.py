"""Recording a match: the result, both ratings and both ledger lines in one transaction, or nothing at all."""

from __future__ import annotations

from statistics import median_low

from engine.bot.clock import TimeRule
from engine.match import MatchResult
from engine.metrics import metrics_of
from engine.rejudge import limits_of, overruns_of
from ladder.database.connection import Connection
from ladder.flows import recordings
from ladder.flows.recordings import Change, Ending, SeatResult
from ladder.matches.claims import MatchClaim
from ladder.matches.record import Recording, pack
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


def count_overruns(result: MatchResult, rule: TimeRule) -> tuple[int, int]:
    """Count each seat's turns over the limit. Most matches have no turn that could be, which is seen at a glance."""
    shortest_limit_us = 1000 * min(result.spec.limits.first_ms, result.spec.limits.turn_ms)
    if all(turn.spent.wall_us <= shortest_limit_us for turn in result.turns):
        return (0, 0)
    return overruns_of(result, limits_of(result), rule)


def seat_result(result: MatchResult, seat: int, overruns: int) -> SeatResult:
    """Sum up a match from one seat's side."""
    spent = [turn.spent for turn in result.turns if turn.seat == seat]
    times_us = [turn.wall_us for turn in spent]
    verdict = result.outcome.verdicts[seat]
    return SeatResult(
        score=result.outcome.scores[seat],
        result=result_word(result.outcome.winner, seat),
        verdict=verdict.verdict.value,
        message=verdict.message,
        slowest_us=max(times_us, default=0),
        median_us=median_low(times_us) if times_us else 0,
        charged_us=max((turn.charged_us for turn in spent), default=0),
        overruns=overruns,
        stderr=result.stderr[seat],
        stderr_dropped_bytes=result.stderr_dropped_bytes[seat],
        early_lines=result.early_lines[seat],
        metrics=metrics_of(result.stderr[seat]),
    )


def result_word(winner: int | None, seat: int) -> str:
    """Say win, draw or loss."""
    if winner is None:
        return "draw"
    return "win" if winner == seat else "loss"
