"""Building a version: claim it, compile it in the sandbox, let it play a trial match, accept or reject it.

How this works. A message says that a version is to be built, and the worker builds that one. Only one of the house's
gives way: at the start of a ladder all bosses are to be built, and a person waits for a bot of their own. So where one
of these waits it is built in the boss's place, whose message goes back to the end of the queue.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from engine.errors import BuildRefused, HostBusy, MissingTool, NoRoom, Unavailable
from engine.live import SMOKE_SEED, smoke
from engine.match import MatchSpec
from engine.text import one_line
from engine.toolchains.languages import find_language
from engine.toolchains.params import with_params
from engine.toolchains.source import called_by_its_author
from ladder.bots import builds
from ladder.bots.builds import BuildClaim
from ladder.database.connection import transaction
from ladder.event_log import event, ms_since
from ladder.flows.submission import accept, reject
from ladder.ids import VersionId, WorkerId
from workers.worker_process import WorkerProcess, ended_with


def build_version(process: WorkerProcess, version_id: VersionId) -> None:
    """Build the version unless somebody else does, or is to. A fault of ours leaves it waiting for the next attempt."""
    worker_id = process.presence.worker_id_once_there()
    if process.lacks_room():
        process.leave_to_others(lambda: process.queue.enqueue_build(version_id))
        return
    with transaction(process.pool) as connection:
        waits = builds.next_of_players(connection, version_id, worker_id)
        claim = None if waits is None else builds.claim_build(connection, waits, worker_id)
        claim = claim or builds.claim_build(connection, version_id, worker_id)
    if claim is None:
        requeue_build(process, version_id, worker_id)
        return
    process.requeued_in_a_row = 0
    began = time.monotonic()
    ids: dict[str, Any] = {"version": claim.version_id, "attempt": claim.attempt, "worker": worker_id}
    try:
        if claim.version_id != version_id:
            process.queue.enqueue_build(version_id)
        with ended_with(claim.lease_s):
            tried = try_out(process, claim)
        with transaction(process.pool) as connection:
            if tried.complaint is None:
                accept(connection, claim, tried.warnings)
            else:
                reject(connection, claim, tried.complaint, tried.warnings)
        if tried.complaint is None:
            event("version_built", **ids, language=claim.language, ms=ms_since(began))
        else:
            event("version_rejected", **ids, words=one_line(tried.complaint.partition("\n")[0]), ms=ms_since(began))
    except MissingTool as missing:
        with transaction(process.pool) as connection:
            builds.put_off_build(connection, claim, str(missing), blameless=True)
            if not builds.is_built_by_others(connection, claim.version_id, worker_id):
                reject(connection, claim, str(missing), reason="missing_tool")
        requeue_build(process, claim.version_id, worker_id)
        return
    except Exception as fault:  # also the unforeseen, such as a referee that raises
        with transaction(process.pool) as connection:
            why = str(fault) or type(fault).__name__
            builds.put_off_build(connection, claim, why, blameless=isinstance(fault, (HostBusy, NoRoom, Unavailable)))
        event("build_given_back", logging.WARNING, **ids, words=why.partition("\n")[0], ms=ms_since(began))
        process.rest_if_sick(fault)
        raise
    process.faults_in_a_row = 0
    process.presence.has(claim.language)  # which may have come here since this process was started
    process.enqueue_schedule_soon()


def requeue_build(process: WorkerProcess, version_id: VersionId, worker_id: WorkerId) -> None:
    with transaction(process.pool) as connection:
        is_for_others = builds.is_built_by_others(connection, version_id, worker_id)
    if is_for_others:
        process.requeue(lambda: process.queue.enqueue_build(version_id))


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a version: why it cannot be let in, or None; and what the compiler said of a source that it took."""

    complaint: str | None
    warnings: str = ""


def try_out(process: WorkerProcess, claim: BuildClaim) -> Tried:
    try:
        program = with_params(process.program(claim.source_hash, claim.language), claim.params)
    except BuildRefused as refusal:
        return Tried(f"{refusal}\n{for_its_author(refusal.output, claim)}".rstrip())
    game = process.games.find(claim.game)
    limits_ms = (claim.first_limit_ms, claim.turn_limit_ms)
    if game.starts_bots and not claim.conditions.trusted:  # nothing is played in its league, no trial either
        return Tried(None, for_its_author(program.warnings, claim))
    spec = MatchSpec(game, claim.rules_level, SMOKE_SEED, *limits_ms, players=game.players[0])
    return Tried(smoke(program, spec, process.sandbox, claim.conditions), for_its_author(program.warnings, claim))


def for_its_author(words: str, claim: BuildClaim) -> str:
    """Return what a compiler said with a single source called after its bot, as kraken.cpp."""
    if not words or not claim.is_one_file:
        return words
    language = find_language(claim.language)
    return called_by_its_author(words, language.source, claim.bot + "".join(language.extensions[:1]))
