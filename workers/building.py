"""Building a version: claim it, compile it in the sandbox, let it play a trial match, accept or reject it."""

from __future__ import annotations

from engine.errors import BuildRefused, HostBusy, MissingTool
from engine.games import find_game
from engine.smoke import smoke
from ladder.database import transaction
from ladder.storage import versions
from ladder.storage.versions import BuildClaim
from ladder.submission import accept, reject
from workers.process import WorkerProcess


def build_version(process: WorkerProcess, version_id: int) -> None:
    """Build the version unless somebody else does. A fault of ours leaves it waiting for the next attempt."""
    with transaction(process.pool) as connection:
        claim = versions.claim_build(connection, version_id, process.presence.worker_id())
    if claim is None:
        return
    try:
        complaint = what_is_wrong(process, claim)
    except HostBusy as fault:
        with transaction(process.pool) as connection:
            versions.put_off_build(connection, claim, str(fault))
        raise
    with transaction(process.pool) as connection:
        if complaint is None:
            accept(connection, claim)
        else:
            reject(connection, claim, complaint)
    process.ring_schedule_soon()


def what_is_wrong(process: WorkerProcess, claim: BuildClaim) -> str | None:
    """Build and try the version; return what its owner should know if it cannot be let in."""
    try:
        program = process.program(claim.source, claim.language)
    except BuildRefused as refusal:
        return f"{refusal}\n{refusal.output}".rstrip()
    except MissingTool as missing:
        return str(missing)
    return smoke(program, find_game(claim.game), claim.rules_level, process.sandbox, claim.conditions)
