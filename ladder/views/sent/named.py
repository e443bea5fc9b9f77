"""The views that can be read from another machine, each by a name of its own.

A view brings its part of the ladder with it, so it is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from engine.errors import UnknownName
from ladder.access import Deed

PLACES: Mapping[str, str] = {
    "boards": "views.boards:read_pages",
    "whole-boards": "views.boards:live_boards",
    "bots": "views.bots:listed",
    "bot": "views.bots:read_bot",
    "bot-explained": "views.bots:explained",
    "source": "views.bots:read_source",
    "source-compared": "views.bots:compared",
    "bot-league": "views.bots:league_of_bot",
    "opponents": "views.bots:opponents_of",
    "version-progress": "views.progress:version_progress",
    "matches": "views.matches:latest",
    "latest-match": "views.matches:latest_of_bot",
    "watched-match": "views.turns.watched_stored:read_match",
    "watched-matches": "views.turns.watched_stored:read_matches",
    "match": "views.turns.match:read_match",
    "match-to-play-again": "views.turns.match:read_stored",
    "match-as-runner-file": "views.turns.match:runner_file",
    "match-rejudged": "views.turns.match:rejudged",
    "requests": "views.requests:latest",
    "request": "views.requests:read_request",
    "request-matches": "views.requests:matches_of",
    "gauntlets": "views.gauntlets:latest",
    "gauntlet": "views.gauntlets:read_report",
    "gauntlet-held": "views.gauntlets:held_back",
    "automatic-gauntlets": "views.gauntlets:all_automatic",
    "automatic-gauntlet-of-bot": "views.gauntlets:automatic_of_bot",
    "automatic-gauntlet-of-league": "views.gauntlets:automatic_of_league",
    "leagues-by-game": "games.lazy_catalogue:leagues_by_game",
    "leagues": "views.leagues:listed",
    "league-file": "views.leagues:as_file",
    "seasons": "views.seasons:listed",
    "season": "views.seasons:read_season",
    "season-on": "views.seasons:the_one_on",
    "season-planned": "views.seasons:planned",
    "season-unplayed": "seasons.unplayed:unplayed",
    "final-boards": "views.seasons:final_boards",
    "ratings-verified": "views.ratings:verified",
    "filtered-boards": "views.ratings:filtered_boards",
    "settled-boards": "views.ratings:settled_boards",
    "state": "views.fleet:ladder_state",
    "contest": "views.contests:contest",
    "contest-results": "views.contests:contest_results",
    "players": "accounts.reading:players",
    "tokens": "accounts.reading:tokens_of",
    "sessions": "accounts.reading:sessions_of",
    "shares": "actions.matches:shares_of",
    "quotas": "quotas.quotas:of_player",
    "quotas-of-all": "quotas.quotas:everybodys",
    "audit": "audit:latest",
    "deeds": "audit:concerning_others",
    "final-season": "views.seasons:final_season",
}
"""Module of `ladder` and function, by name."""
DEEDS: Mapping[str, Deed] = {
    "contest": Deed.CHANGE_PLAYERS,
    "contest-results": Deed.OPEN_CONTEST,
    "players": Deed.CHANGE_PLAYERS,
    "tokens": Deed.LIST_TOKENS,
    "sessions": Deed.READ_ACCOUNT,
    "shares": Deed.READ_ACCOUNT,
    "quotas": Deed.READ_ACCOUNT,
    "audit": Deed.READ_AUDIT,
    "deeds": Deed.READ_AUDIT,
}
"""What somebody has to be allowed to do who reads one; the others show each reader what that may see."""
OWNERS: Mapping[str, str] = {
    "tokens": "player",
    "sessions": "player",
    "shares": "player",
    "quotas": "name",
    "audit": "actor",
}
"""By which name these are asked for what belongs to one player."""


def named(name: str) -> Callable[..., Any]:
    """Return a view. Raises UnknownName."""
    if name not in PLACES:
        raise UnknownName.of("view", name, PLACES)
    module, _, function = PLACES[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(f"ladder.{module}"), function)
    return found


def name_of(view: Callable[..., Any]) -> str | None:
    """Return the name of a view; None where it cannot be read from another machine."""
    place = f"{view.__module__.removeprefix('ladder.')}:{view.__qualname__}"
    return next((name for name, own in PLACES.items() if own == place), None)
