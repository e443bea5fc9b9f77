"""Bots that do nothing wrong: the opponents of the attackers."""

import time

from tests.sandbox.attacks.seat import Seat

WORK_S = 0.005
THOUGHT_S = 0.2


def bot(seat: Seat) -> None:
    """Compute a little in each turn, well within its limit."""
    while True:
        end_s = time.process_time() + WORK_S
        while time.process_time() < end_s:
            pass
        seat.answer()
        seat.hear()


def thinker(seat: Seat) -> None:
    """Think for long before the first answer: time that the other seat would like to use."""
    time.sleep(THOUGHT_S)
