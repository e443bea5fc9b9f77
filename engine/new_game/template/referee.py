"""My Game: two players add 1, 2 or 3 in turns to a sum that begins at the seed's; who reaches 21 wins."""

from random import Random

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict

GOAL = 21


def referee(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    """Ask one seat after another for a number until the sum is reached."""
    total = Random(seed).randrange(4)
    turn = 0
    while total < GOAL:
        seat = turn % 2
        answer = yield Ask(seat, (str(total),), limits.first_ms if turn < 2 else limits.turn_ms)
        if answer is None:
            return lost(seat, NO_ANSWER, "no_answer")
        if answer not in {"1", "2", "3"}:
            return lost(seat, SeatVerdict(Verdict.ILLEGAL, f"said {answer[:20]!r} and not 1, 2 or 3"), "illegal")
        total += int(answer)
        turn += 1
    winner = (turn - 1) % 2
    return Outcome((1, 0) if winner == 0 else (0, 1), "goal", (OK, OK))


def lost(seat: int, verdict: SeatVerdict, reason: str) -> Outcome:
    """Let a seat lose by its own fault."""
    return Outcome((-1, 1), reason, (verdict, OK)) if seat == 0 else Outcome((1, -1), reason, (OK, verdict))
