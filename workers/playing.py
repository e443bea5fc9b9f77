"""Playing a match: claim it, play it, record it. What goes wrong on our side puts it back into the queue.

Also where the host was too busy to be fair to a bot: the match is void for this try, nobody's loss, and played again.
"""

from __future__ import annotations

import time

from engine.errors import ArenaError, HostBusy
from engine.match import MatchResult, MatchSpec, play
from ladder.database import transaction
from ladder.errors import DatabaseDown
from ladder.recording import record
from ladder.storage import matches
from ladder.storage.matches import MatchClaim
from workers.process import WorkerProcess

RECORDING_PAUSES_S = (0.5, 1, 2, 4, 8, 16)
"""A result waits through a restart of the database rather than being played again."""
FEW_WAITING = 16
"""With fewer matches than this in the queue the scheduler is asked for more."""


def play_match(process: WorkerProcess, match_id: int) -> None:
    """Play the match unless somebody else does or has."""
    with transaction(process.pool) as connection:
        claim = matches.claim_match(connection, match_id, process.presence.worker_id())
    if claim is None:
        return
    try:
        record_patiently(process, claim, play_claim(process, claim))
    except ArenaError as fault:
        with transaction(process.pool) as connection:
            matches.give_back(connection, claim, str(fault), host_busy=isinstance(fault, HostBusy))
        raise


def play_claim(process: WorkerProcess, claim: MatchClaim) -> MatchResult:
    """Play a claimed match. Raises SandboxFault and the like; whatever the bots do is in the result."""
    first, second = (
        process.program(source, language) for source, language in zip(claim.sources, claim.languages, strict=True)
    )
    spec = MatchSpec(claim.game, claim.rules_level, claim.seed)
    return play(spec, (first, second), process.sandbox, claim.conditions)


def record_patiently(process: WorkerProcess, claim: MatchClaim, result: MatchResult) -> None:
    """Record the result, waiting for the database if it is away. Raises DatabaseDown when patience ends."""
    for pause_s in (*RECORDING_PAUSES_S, None):
        try:
            with transaction(process.pool) as connection:
                record(connection, claim, result)
                waiting = matches.count_waiting(connection)
        except DatabaseDown:
            if pause_s is None:
                raise
            time.sleep(pause_s)
        else:
            if waiting < FEW_WAITING:
                process.ring_schedule_soon()
            return
