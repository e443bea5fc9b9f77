"""All checks of a game by name. A check gives a sentence for each thing that is wrong, and none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.conformance import capabilities, live, pictures, rules, secrets, statements
from engine.conformance.finding import Finding
from engine.errors import GameFault
from engine.game import Game
from engine.games.golden import MatchRecord
from engine.sandbox.box import Sandbox

RULES: dict[str, Callable[[Game, tuple[MatchRecord, ...]], Iterator[str]]] = {
    "any lines end a match": rules.unfinished,
    "the same seed and lines give the same match": rules.unsteady,
    "the first answer has its own limit": rules.limits_mixed_up,
}
"""Checks of the referee, which go by matches that were played."""


def check(game: Game, sandbox: Sandbox) -> Iterator[Finding]:
    """Check a game. Every check ends, whatever the referee does.

    Raises SandboxFault and MissingTool where its bots cannot be run here.
    """
    game = rules.bounded(game)
    yield Finding("leagues", tuple(rules.leagues_out_of_order(game)))
    yield Finding("statements", tuple(statements.complaints(game)))
    for capability in capabilities.CAPABILITIES:
        complaints = tuple(capabilities.contradictions(game, capability))
        yield Finding(capability.title, complaints, lacks=capability.name in game.lacks and not complaints)
    yield Finding("maps", tuple(rules.maps_unsteady(game)), lacks=game.maps is None)
    yield Finding("no answer loses", listed(rules.lenient_with_silence(game)))
    trial, records = live.bosses_tried(game, sandbox)
    yield trial
    for name, complaints_of in RULES.items():
        yield Finding(name, listed(complaints_of(game, records)))
    found = listed(pictures.complaints(game, records))
    yield Finding("pictures", found, lacks=not found and game.pictures() is None)
    if "golden" not in game.lacks:
        yield Finding("golden records are met", listed(capabilities.records_not_met(game)))
    if "secrets" not in game.lacks:
        yield Finding("secrets are kept", listed(secrets.given_away(game)))
    if "starters" not in game.lacks:
        yield live.starters_tried(game, sandbox)


def listed(complaints: Iterator[str]) -> tuple[str, ...]:
    """Return the complaints; where a file is missing or the referee raises, that is one too, and the last."""
    found: list[str] = []
    try:
        found.extend(complaints)
    except GameFault as fault:
        found.append(str(fault))
    return tuple(found)
