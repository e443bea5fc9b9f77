"""What is read, ready for any screen: frozen dataclasses and the functions that fill them from a connection.

plain            any view as plain values, as JSON and as CSV
boards           the leaderboards, whole, page by page, or with those that have left them
bots             bots with their versions and their sources, and why one stands where it does
career           how a bot fared: its rating over time, its opponents, its times, its faults
matches          matches in lists, with their seats
match_search     matches that a filter picks, looked for in steps that stay quick
turns            one match in detail and turn by turn: as just played, judged again, looked at again
requests         battles that were asked for
gauntlets        what gauntlets have found, and which ones are played by themselves
seasons          seasons, their last series, their final boards
leagues          leagues with their settings, and what a league file has changed
ratings          whether the ledger holds, and other boards than the live ones
fleet            what runs and what waits
changes          what has changed since the last look
progress         how far the ladder is, and one version on its way to its rank
summary          what happened on a ladder, event by event and in numbers
pair_statistics  what counts of pairs say
games            the games, their leagues and maps
match_stream     all matches of a game, as programs read them while they come
match_page       what the page of a match shows
players          one player with their bots
contests         a contest: its rules, its players, its results
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.views import (
        boards,
        bots,
        career,
        changes,
        contests,
        fleet,
        games,
        gauntlets,
        leagues,
        match_page,
        match_search,
        match_stream,
        matches,
        pair_statistics,
        plain,
        players,
        progress,
        ratings,
        requests,
        seasons,
        summary,
        turns,
    )
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "boards",
    "bots",
    "career",
    "changes",
    "contests",
    "fleet",
    "games",
    "gauntlets",
    "leagues",
    "match_page",
    "match_search",
    "match_stream",
    "matches",
    "pair_statistics",
    "plain",
    "players",
    "progress",
    "ratings",
    "requests",
    "seasons",
    "summary",
    "turns",
]
