"""Rules in Python as a referee program: it speaks `sdk`, and the package of the rules lies beside it.

    python3 rules_by_sdk.py ocean_of_code 4      the game's package, and the rules level

With the parameter `monitoring=1` it wants to know how long answers took, and says limits that are 50 ms longer.
"""

import sys
from collections.abc import Iterator
from importlib import import_module

from engine.conversation import OK, Ask, Outcome, Referee, TimeLimits

GRACE_MS = 50


def heard() -> tuple[str, list[str]]:
    name, count = sys.stdin.readline().strip("[] \n").split("] ")
    return name, [sys.stdin.readline().rstrip("\n") for _ in range(int(count))]


def said(name: str, lines: Iterator[str] | list[str]) -> None:
    lines = list(lines)
    sys.stdout.write("".join(f"{line}\n" for line in (f"[[{name}] {len(lines)}]", *lines)))


def put(ask: Ask, *, grace_ms: int) -> None:
    said("VIEW", ["INTERMEDIATE_FRAME"])
    said("NEXT_PLAYER_INPUT", [*ask.lines])
    said("NEXT_PLAYER_INFO", [str(ask.seat), str(ask.answer_lines), str(ask.limit_ms + grace_ms)])
    sys.stdout.flush()


def led(referee: Referee, *, monitors: bool) -> Outcome:
    """Lead a match to its end."""
    answer: str | None = None
    while True:
        try:
            ask = referee.send(answer)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
        put(ask, grace_ms=GRACE_MS if monitors else 0)
        name, lines = heard()
        heard()  # the next GET_GAME_INFO
        answer = None if name == "SET_PLAYER_TIMEOUT" else lines[-1]


def main(package: str, rules_level: str) -> None:
    """Play one match."""
    _, (_, *pairs) = heard()
    heard()
    parameters = dict(pair.split("=", 1) for pair in pairs)
    monitors = "monitoring" in parameters
    if monitors:
        said("MONITORING", [])
    rules = import_module(f"engine.games.{package}.referee")
    referee = rules.referee(int(parameters["seed"]), int(rules_level), TimeLimits(1000, 50))
    outcome = led(referee, monitors=monitors)
    for seat, verdict in enumerate(outcome.verdicts):
        if verdict != OK:
            said("TOOLTIP", [verdict.message, str(seat)])
    said("UINPUT", pairs)
    said("METADATA", ["{}"])
    said("SCORES", [f"{seat} {score}" for seat, score in enumerate(outcome.scores)])


if __name__ == "__main__":
    main(*sys.argv[1:])
