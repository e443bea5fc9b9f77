"""The conversation of Ocean of Code: who is asked what, and how it ends. Bit for bit that of the official referee.

How this works. Frame 1 is the placement. Every later frame carries out one order: those of a line one by one, then
those of the other player's line. After an order, still in its frame, the next one of the line is looked at. So an order
that breaks a rule spoils the frame of the order before it: the opponent keeps the score of the last completed frame.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TypeAlias

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.games.ocean_of_code.board import OUTSIDE, SIZE, SeaMap, cell_at, draw_board, draw_map, map_facts
from engine.games.ocean_of_code.submarine import (
    LIVES,
    Action,
    Check,
    IllegalOrder,
    OrderLine,
    Submarine,
    orders_of,
    starting_charge,
    surface,
)
from engine.text import shortened

__all__ = ["draw_map", "hunt", "map_facts", "referee"]

LAST_TURN = 598  # of both players together, after the placement
LAST_FRAME = 1000
LOST = -1  # the score of a player who broke a rule or did not answer

Launch: TypeAlias = Callable[[SeaMap, int, dict[str, int]], Submarine]
"""Makes a submarine of the map, its cell and what is missing from the charge of each power."""

_PLACEMENT = re.compile(r"[0-9]{1,2} [0-9]{1,2}")


def referee(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    """`rules_level`: see `orders_of`."""
    return (yield from game(draw_board(seed), rules_level, limits, Submarine))


def game(board: SeaMap, rules_level: int, limits: TimeLimits, launch: Launch) -> Referee:
    """`launch`: makes each submarine, that of seat 0 first."""
    first = yield _ask_placement(board, 0, limits.first_ms)
    second = yield _ask_placement(board, 1, limits.first_ms)
    verdicts = _placement_verdict(board, first), _placement_verdict(board, second)
    if first is None or second is None or verdicts != (OK, OK):
        return Outcome((_placement_score(verdicts[0]), _placement_score(verdicts[1])), "disabled", verdicts)
    zero = launch(board, _cell_named(first), starting_charge(rules_level))
    one = launch(board, _cell_named(second), starting_charge(rules_level))
    return (yield from hunt(zero, one, orders_of(rules_level), limits.turn_ms))


def _ask_placement(board: SeaMap, seat: int, limit_ms: int) -> Ask:
    return Ask(seat, (f"{SIZE} {SIZE} {seat}", *board.rows), limit_ms)


def _placement_verdict(board: SeaMap, answer: str | None) -> SeatVerdict:
    if answer is None:
        return NO_ANSWER
    if not _PLACEMENT.fullmatch(answer):
        return SeatVerdict(Verdict.ILLEGAL, f"did not place its submarine by two numbers `x y`: `{shortened(answer)}`")
    cell = _cell_named(answer)
    if cell in board.water:
        return OK
    where = "off the map" if cell == OUTSIDE else "on an island"
    return SeatVerdict(Verdict.ILLEGAL, f"placed its submarine {where}: `{answer}`")


def _placement_score(verdict: SeatVerdict) -> int:
    return LIVES if verdict == OK else LOST


def _cell_named(placement: str) -> int:
    x, y = placement.split(" ")
    return cell_at(int(x), int(y))


def hunt(
    zero: Submarine, one: Submarine, checks: Mapping[str, Check], limit_ms: int
) -> Generator[Ask, str | None, Outcome]:
    """`checks`: the orders of the league; `limit_ms`: of each turn."""
    frame = 1
    scores = zero.lives, one.lives
    for turn in range(1, LAST_TURN + 1):
        seat, submarine, other = (0, zero, one) if turn % 2 else (1, one, zero)
        answer = yield Ask(seat, submarine.input_lines(other), limit_ms)
        if answer is None:
            return _lost(seat, scores, NO_ANSWER)
        submarine.begin_turn()
        orders = OrderLine(answer, checks)
        try:
            for _ in carry_out(submarine, other, orders):
                scores = zero.lives, one.lives
                frame += 1
                if frame == LAST_FRAME:
                    return Outcome(scores, "frame_limit", (OK, OK))
                if 0 in scores:
                    return Outcome(scores, "dead", (OK, OK))
        except IllegalOrder as illegal:
            message = f"{illegal}: `{shortened(' '.join(orders.current))}`"
            return _lost(seat, scores, SeatVerdict(Verdict.ILLEGAL, message))
    return Outcome(scores, "turn_limit", (OK, OK))


def carry_out(submarine: Submarine, other: Submarine, orders: OrderLine) -> Iterator[None]:
    orders.refuse_repetition()
    action: Action | None = orders.next_action(submarine) or surface
    while action is not None:
        submarine.shown.append(action(submarine, other))
        action = orders.next_action(submarine)
        yield


def _lost(seat: int, scores: tuple[int, int], verdict: SeatVerdict) -> Outcome:
    """The other player keeps the score of the last completed frame."""
    if seat == 0:
        return Outcome((LOST, scores[1]), "disabled", (verdict, OK))
    return Outcome((scores[0], LOST), "disabled", (OK, verdict))
