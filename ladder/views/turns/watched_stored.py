"""A match of the ladder's database, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import UsageFault
from engine.game import Games
from engine.replay import Replay, replay_of, unled
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.matches.record import result_of
from ladder.views.matches import plainly_ended
from ladder.views.turns.match import read_recorded, rule_of
from ladder.views.turns.watched import WatchedMatch, WatchedSeat

MOST_AT_ONCE = 8
"""Each takes a tenth of a second or so, and a server has others to answer."""


def read_matches(connection: Connection, games: Games, match_ids: Sequence[MatchId]) -> list[WatchedMatch]:
    """Read some matches as `read_match` does. Raises the same, and UsageFault for more than MOST_AT_ONCE."""
    if len(match_ids) > MOST_AT_ONCE:
        raise UsageFault(f"{len(match_ids)} matches are asked for, and at once it can be {MOST_AT_ONCE}")
    return [read_match(connection, games, match_id) for match_id in match_ids]


def read_match(connection: Connection, games: Games, match_id: MatchId, *, is_led: bool = True) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, GameFault, and Refused for a match that was played elsewhere.

    `is_led`: by the rules of its game; else there is no more than what was recorded, which is quick.
    """
    row, seats, recording = read_recorded(connection, match_id)
    if recording.turns or recording.notes:
        result = result_of(games.find(row.game, row.edition), row, seats, recording)
        replay = replay_of(result, rule_of(row)) if is_led else unled(result, rule_of(row))
    else:
        replay = Replay(None, None, (), fault=f"it is {row.state}; nothing of it was recorded")
    return WatchedMatch(
        row.id,
        row.game,
        row.league,
        row.rules_level,
        row.known_seed,
        plainly_ended(row, seats).reason,
        row.state,
        tuple(
            WatchedSeat(seat.seat, seat.version, seat.score, seat.result, seat.verdict, seat.message) for seat in seats
        ),
        replay,
        row.edition,
    )
