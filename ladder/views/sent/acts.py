"""The actions that can be asked for from another machine, each by a name of its own.

An action brings its part of the ladder with it, so it is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from engine.errors import UnknownName

PLACES: Mapping[str, str] = {
    "submit": "bots:submit",
    "activate": "bots:activate",
    "rewind": "bots:rewind",
    "retire": "bots:retire",
    "rename": "bots:rename",
    "disqualify": "bots:disqualify",
    "reinstate": "bots:reinstate",
    "request": "battles:request",
    "cancel": "battles:cancel",
    "begin-gauntlet": "gauntlets:begin",
    "stop-gauntlet": "gauntlets:stop",
    "resume-gauntlet": "gauntlets:resume",
    "purge-gauntlet": "gauntlets:purge",
    "automate": "gauntlets:automate",
    "end-automatic": "gauntlets:end_automatic",
    "void-match": "matches:void",
    "share-match": "matches:share",
    "revoke-share": "matches:revoke_share",
    "lock-game": "games:lock",
    "unlock-game": "games:unlock",
    "open-contest": "contests:open_contest",
    "close-season": "seasons:close",
    "plan-season": "seasons:plan",
    "drop-plan": "seasons:drop_plan",
    "freeze-boards": "games:freeze_boards",
    "thaw-boards": "games:thaw_boards",
    "apply-leagues": "games:apply",
    "recompute": "games:recompute",
    "create-token": "tokens:create",
    "revoke-token": "tokens:revoke",
    "invite": "accounts:invite",
    "reset": "accounts:reset",
    "join-code": "accounts:join_code",
    "disable": "accounts:disable",
    "enable": "accounts:enable",
    "set-role": "accounts:set_role",
    "change-quotas": "quotas:change",
    "reset-quotas": "quotas:reset",
}
"""Module of `ladder.actions` and function, by name."""
SECRET = frozenset({"create-token", "share-match", "invite", "reset", "join-code", "open-contest"})
"""Those whose answer holds a secret."""


def named(name: str) -> Callable[..., Any]:
    """Return an action. Raises UnknownName."""
    if name not in PLACES:
        raise UnknownName.of("action", name, PLACES)
    module, _, function = PLACES[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(f"ladder.actions.{module}"), function)
    return found


def name_of(action: Callable[..., Any]) -> str | None:
    """Return the name of an action; None where it cannot be asked for from another machine."""
    place = f"{action.__module__.removeprefix('ladder.actions.')}:{action.__qualname__}"
    return next((name for name, own in PLACES.items() if own == place), None)
