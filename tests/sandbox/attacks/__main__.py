"""Runs one attack as a bot: `python3 -m tests.sandbox.attacks MODULE.FUNCTION WHAT_IT_KNOWS`."""

from __future__ import annotations

import importlib
import json
import sys

from tests.sandbox.attacks.seat import Seat


def main(attack: str, known: str) -> None:
    """Hear the first request, attack, and play on if there is anything left to play."""
    module, _, function = attack.rpartition(".")
    deed = getattr(importlib.import_module(f"tests.sandbox.attacks.{module}"), function)
    seat = Seat(json.loads(known))
    seat.hear()
    deed(seat)
    seat.play_on()


if __name__ == "__main__":
    main(*sys.argv[1:])
