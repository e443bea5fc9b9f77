"""Runs attacks as a bot: `python3 -m tests.sandbox.attacks MODULE.FUNCTION,... WHAT_IT_KNOWS`."""

import importlib
import json
import sys

from tests.sandbox.attacks.seat import Seat


def main(attacks: str, known: str) -> None:
    """Hear the first request, attack, and play on if there is anything left to play."""
    seat = Seat(json.loads(known))
    seat.hear()
    make(seat, attacks)
    seat.play_on()


def make(seat: Seat, attacks: str) -> None:
    """Make attacks, one after the other."""
    for attack in attacks.split(","):
        module, _, function = attack.rpartition(".")
        getattr(importlib.import_module(f"tests.sandbox.attacks.{module}"), function)(seat)


if __name__ == "__main__":
    main(*sys.argv[1:])
