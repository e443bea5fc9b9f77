"""The smoke match: before a bot is let in it plays itself, to show that it starts, speaks and keeps to the rules.

How this works. How quick a bot is its matches will show; an answer that was a little late once, against itself, is no
reason to refuse it. So each answer may take `GRACE_MS` longer than in the league. Refused is a bot that breaks a rule,
ends, says too much or uses too much memory; and one that in each of three trials needs even longer than that, or is
over the league's limit in more than one of its turns in `SLOW_SHARE`.
"""

from __future__ import annotations

from dataclasses import replace

from engine.bot.clock import GRACE_MS, TimeRule
from engine.bot.conditions import Conditions
from engine.conversation import Verdict
from engine.endings import fault_words
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.rejudge import limits_of, overruns_of
from engine.sandbox.box import Sandbox
from engine.toolchains.program import Program

SMOKE_SEED = 1
TRIES = 3
"""A time-out alone is believed only when each trial has one."""
SLOW_SHARE = 10


def smoke(program: Program, spec: MatchSpec, sandbox: Sandbox, conditions: Conditions) -> str | None:
    lenient = replace(conditions, time=TimeRule(clock=conditions.time.clock))
    complaint: str | None = None
    for _ in range(TRIES):
        result = play(with_grace(spec), [program] * spec.players, sandbox, lenient)
        failed = (seat for seat, one in enumerate(result.outcome.verdicts) if one.verdict is not Verdict.OK)
        seat = next(failed, None)
        if seat is not None:
            complaint = describe(result, seat)
            if result.outcome.verdicts[seat].verdict is not Verdict.TIMEOUT:
                break
        else:
            complaint = describe_slowness(result, spec, lenient.time)
            if complaint is None:
                return None
    return complaint


def with_grace(spec: MatchSpec) -> MatchSpec:
    """Where the referee says how much time there is, it stays as it is."""
    if spec.game.referee_sets_limits:
        return spec
    limits = spec.limits
    return replace(spec, first_limit_ms=limits.first_ms + GRACE_MS, turn_limit_ms=limits.turn_ms + GRACE_MS)


def describe(result: MatchResult, seat: int) -> str:
    verdict = result.outcome.verdicts[seat]
    grace = f" (each limit was {GRACE_MS} ms longer than in its league)" if verdict.verdict is Verdict.TIMEOUT else ""
    said = f"in a trial match against itself: {fault_words(result, seat)}{grace}"
    stderr = result.stderr[seat].strip("\r\n").rstrip()
    return f"{said}\nits stderr:\n{stderr}" if stderr else said


def describe_slowness(result: MatchResult, spec: MatchSpec, rule: TimeRule) -> str | None:
    """Say that a seat was over its league's limits in too many turns; None if none was. `spec`: without grace."""
    grace_ms = 0 if result.spec == spec else GRACE_MS
    limits_ms, limits = [limit_ms - grace_ms for limit_ms in limits_of(result)], spec.limits
    for seat, overruns in enumerate(overruns_of(result, limits_ms, rule)):
        turns = sum(turn.seat == seat for turn in result.turns)
        if overruns * SLOW_SHARE > turns:
            return (
                f"in a trial match against itself: {overruns} of {turns} answers took longer than the limit, which is "
                f"{limits.first_ms} ms for the first one and {limits.turn_ms} ms for each later one"
            )
    return None
