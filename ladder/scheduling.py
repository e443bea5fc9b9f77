"""Keeping the ladder going: promotions, new matches where versions lack battles, and the sweep after lost workers.

Everything here may run twice, late or on several machines at once: it looks at rows and changes what the rows ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

from ladder.database import Connection, Pool, one, transaction
from ladder.errors import QueueDown
from ladder.lifecycle import make_moves
from ladder.matchmaking import IDLE_AHEAD, Board, Entrant, pairings
from ladder.queue import Queue
from ladder.storage import matches, pairing, versions, workers
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
        boards = {board.place.league.id: board.standings for board in make_moves(connection)}
        made = arrange(connection, boards, chance)
    ring_for(queue, made)
    return made


def arrange(connection: Connection, boards: Mapping[int, list[Standing]], chance: Random) -> list[int]:
    """Make the matches that are wanted on those boards (by league id), as far as there is room; return their ids."""
    schemes = pairing.schemes(connection)
    waiting = matches.count_waiting(connection)
    found = pairings(
        [Board(league_id, [entrant(row) for row in board], schemes[league_id]) for league_id, board in boards.items()],
        (MOST_WAITING - waiting) // 2,
        chance,
        shares=pairing.waiting_shares(connection),
        idle=IDLE_AHEAD - (waiting + 1) // 2,
        met=partial(pairing.met, connection),
    )
    return [
        match_id
        for battle in found
        for match_id in matches.insert_pair(
            connection, battle.league_id, battle.version_ids, signed_64_bits(chance), battle.made_for
        )
    ]


def entrant(standing: Standing) -> Entrant:
    """Return what matchmaking goes by: battles of two matches each, the rating, and whose the version is."""
    return Entrant(
        standing.version_id,
        battles=(standing.counted + standing.waiting) // 2,
        waiting=(standing.waiting + 1) // 2,
        player=standing.player,
        mu=standing.mu,
        sigma=standing.sigma,
    )


def signed_64_bits(chance: Random) -> int:
    """Draw a match seed."""
    return chance.getrandbits(64) - 2**63


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
