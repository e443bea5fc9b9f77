"""Runs attacks as a referee program: `python3 -m tests.sandbox.attacks.referee MODULE.FUNCTION,... WHAT_IT_KNOWS`.

It asks both seats once, attacks as the second has answered, and says in its summary what it could do.
"""

import json
import sys

from tests.sandbox.attacks.__main__ import make
from tests.sandbox.attacks.seat import Seat


class RefereeSeat(Seat):
    """The referee's own seat: what it could do, it says at the end."""

    MODULE = "tests.sandbox.attacks.referee"

    def __init__(self, known: dict[str, object], heard: int = 0) -> None:
        super().__init__(known, heard)
        self.told: list[str] = []

    def tell(self, what: str) -> None:
        """Keep a report for the end."""
        self.told.append(what)

    def play_on(self) -> None:
        """Say all that it could do, and the end."""
        say("SUMMARY", *(line for told in self.told for line in told.split("\n")))
        say("SCORES", "0 1", "1 0")


def say(name: str, *lines: str) -> None:
    """Say a block."""
    sys.stdout.write("".join(f"{line}\n" for line in (f"[[{name}] {len(lines)}]", *lines)))
    sys.stdout.flush()


def hear() -> None:
    """Hear what is sent up to the next GET_GAME_INFO."""
    while "GET_GAME_INFO" not in input():
        pass


def main(attacks: str, known: str) -> None:
    """Lead a short match, and attack."""
    seat = RefereeSeat(json.loads(known))
    hear()
    for number in ("0", "1"):
        say("NEXT_PLAYER_INPUT", "go")
        say("NEXT_PLAYER_INFO", number, "1", "1000")
        hear()
    make(seat, attacks)
    seat.play_on()


if __name__ == "__main__":
    main(*sys.argv[1:])
