"""Keeping the ladder going: promotions, new matches where versions lack battles, and the sweep after lost workers.

Everything here may run twice, late or on several machines at once: it looks at rows and changes what the rows ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ladder.database import Connection, Pool, one, transaction
from ladder.errors import QueueDown
from ladder.matchmaking import Entrant, pairings
from ladder.queue import Queue
from ladder.rating import FRESH
from ladder.storage import bots, leagues, matches, standings, versions, workers
from ladder.storage.leagues import League
from ladder.storage.standings import Standing

SCHEDULE_LOCK = 7_301_002
"""Advisory lock number that lets one scheduler work at a time."""
MOST_WAITING = 64
"""Matches are made until this many wait, so that a newcomer never stands behind a long queue."""
SILENT_S = 10
"""What was rung for so long ago and still waits is rung for again."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: matches freed from dead workers, builds given up, rings repeated."""

    freed: int
    given_up: int
    rung: int


def schedule(pool: Pool, queue: Queue, chance: Random) -> list[int]:
    """Promote who has earned it, make the matches that are wanted and ring for them. Returns the matches' ids."""
    with transaction(pool) as connection:
        if not one(connection, "SELECT pg_try_advisory_xact_lock(%(lock)s)", {"lock": SCHEDULE_LOCK})[0]:
            return []
        made: list[int] = []
        room = MOST_WAITING - matches.count_waiting(connection)
        for league, above in with_next(leagues.leagues(connection)):
            board = promote(connection, league, above, standings.board(connection, league.id))
            made += arrange(connection, league, board, (room - len(made)) // 2, chance)
    ring_for(queue, made)
    return made


def with_next(in_order: list[League]) -> list[tuple[League, League | None]]:
    """Join each league with the one above it in the same game. Takes and gives them by game, lowest first."""
    return [
        (league, above if above is not None and above.game == league.game else None)
        for league, above in zip(in_order, [*in_order[1:], None], strict=True)
    ]


def arrange(connection: Connection, league: League, board: list[Standing], most: int, chance: Random) -> list[int]:
    """Make a league's wanted matches, at most that many battles, and return their ids."""
    entrants = [Entrant(standing.version_id, (standing.matches + standing.waiting) // 2) for standing in board]
    return [
        match_id
        for pairing in pairings(entrants, league.battles, most, chance)
        for match_id in matches.insert_pair(connection, league.id, pairing.version_ids, signed_64_bits(chance))
    ]


def signed_64_bits(chance: Random) -> int:
    """Draw a match seed."""
    return chance.getrandbits(64) - 2**63


def promote(connection: Connection, league: League, above: League | None, board: list[Standing]) -> list[Standing]:
    """Move up every version that ranks above its league's boss, and return the board that is left."""
    if above is None:
        return board
    earned = earned_promotion(league, board)
    for standing in earned:
        move_up(connection, standing, league, above)
    return [standing for standing in board if standing not in earned]


def earned_promotion(league: League, board: list[Standing]) -> list[Standing]:
    """Return the versions that have had their battles and rank above the boss, which must have had its own."""
    done = [standing for standing in board if standing.matches >= 2 * league.battles]
    boss = next((standing for standing in done if standing.is_boss), None)
    if boss is None:
        return []
    return [standing for standing in done if not standing.is_boss and standing.score > boss.score]


def move_up(connection: Connection, standing: Standing, league: League, above: League) -> None:
    """Let a version leave its league for the one above, where it starts with a fresh rating."""
    bot = bots.find_bot(connection, standing.bot, league.game)
    standings.leave_boards(connection, bot.id)
    standings.enter(connection, standing.version_id, above.id, FRESH, on_board=True)
    bots.move_bot(connection, bot.id, above.id)
    connection.execute(
        "INSERT INTO promotions (version_id, from_league, to_league) VALUES (%s, %s, %s)",
        [standing.version_id, league.id, above.id],
    )


def sweep(pool: Pool, queue: Queue) -> Swept:
    """Free what dead workers held, give up what failed too often, and ring again for what waits unheard."""
    with transaction(pool) as connection:
        freed = matches.free_orphans(connection)
        given_up = versions.give_up_builds(connection)
        workers.forget_dead(connection)
        silent_matches = matches.unheard_matches(connection, SILENT_S)
        silent_builds = versions.unheard_builds(connection, SILENT_S)
    for version_id in silent_builds:
        queue.ring_build(version_id)
    for match_id in silent_matches:
        queue.ring_play(match_id)
    return Swept(freed, given_up, len(silent_builds) + len(silent_matches))


def ring_for(queue: Queue, match_ids: list[int]) -> None:
    """Ring for each match; where the broker is away the sweep will ring later."""
    try:
        for match_id in match_ids:
            queue.ring_play(match_id)
    except QueueDown:
        return
