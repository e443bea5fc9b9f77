"""Playing a match and building a version: claim it, do it, record what came of it.

What goes wrong on our side puts a match back into the queue. Also where the host was too busy to be fair to a bot: the
match is void for this try, no bot loses, and it is repeated.

A version is compiled in the sandbox, plays a trial match, and is accepted or rejected. A message says that a version is
to be built, and the worker builds that one. Only one of the house's gives way: at the start of a ladder all bosses are
to be built, and a person waits for a bot of their own. So where one of these waits it is built in the boss's place,
whose message goes back to the end of the queue.
"""

import logging
import time
import traceback
from typing import Any

from engine.errors import (
    ArenaError,
    BuildRefused,
    HostBusy,
    MissingTool,
    NoRoom,
    RefereeFault,
    Unavailable,
    plain_words,
)
from engine.game import Game
from engine.live import SMOKE_SEED, play, smoke
from engine.match import MatchResult, MatchSpec
from engine.text import one_line
from engine.toolchains.languages import find_language
from engine.toolchains.params import with_params
from engine.toolchains.source import called_by_its_author
from ladder.bots import builds
from ladder.choices import MatchState
from ladder.database.connection import transaction
from ladder.event_log import event, ms_since
from ladder.flows.recording import summed_up, write_down
from ladder.flows.submission import accept, reject
from ladder.ids import MatchId, VersionId, WorkerId
from ladder.matches import claims
from ladder.matches.failures import Blame
from workers.worker_process import WorkerProcess, ended_with

RECORDING_PAUSES_S = (0.5, 1, 2, 4, 8, 16)
"""A result waits through a restart of the database rather than being played again."""
EVIDENCE_CHARS = 4000


def play_match(process: WorkerProcess, match_id: MatchId) -> None:
    """Play the match unless somebody else does, has, or is to. What keeps it from that is written down with it."""
    worker_id = process.presence.worker_id_once_there()
    if process.lacks_room(lambda: process.queue.enqueue_match(match_id)):
        return
    claim = claim_or_refuse(process, match_id, worker_id)
    if claim is None:
        with transaction(process.pool) as connection:
            for_others = claims.requeue_for_others(connection, match_id, worker_id)
        if for_others is not None:
            process.requeue(lambda: process.queue.enqueue_match(match_id, first=for_others.first))
        return
    process.requeued_in_a_row = 0
    ids: dict[str, Any] = {"match": match_id, "attempt": claim.attempt, "worker": worker_id}
    event("match_claimed", **ids, versions=claim.version_ids)
    began = time.monotonic()
    try:
        with ended_with(claim.lease_s):
            result = play_claim(process, claim)
            record_patiently(process, claim, result)
        verdicts = [str(seat.verdict) for seat in result.outcome.verdicts]
        event("match_finished", **ids, verdicts=verdicts, ms=ms_since(began))
        process.faults_in_a_row = 0
    except Exception as fault:  # also the unforeseen, such as a referee that raises
        with transaction(process.pool) as connection:
            state = claims.give_back(
                connection,
                claim,
                evidence(fault),
                host_busy=isinstance(fault, HostBusy),
                seat=fault.seat if isinstance(fault, HostBusy) else None,
                answered_seat=fault.last_seat if isinstance(fault, RefereeFault) else None,
                blame=blame_for(fault),
            )
        name = "match_void" if state == MatchState.VOID else "match_given_back"
        event(name, logging.WARNING, **ids, words=evidence(fault).partition("\n")[0], ms=ms_since(began))
        process.rest_if_sick(fault)
        raise


def claim_or_refuse(process: WorkerProcess, match_id: MatchId, worker_id: WorkerId) -> claims.MatchClaim | None:
    """Claim the match. One whose row makes no sense counts as begun and failed, and the error is raised."""
    try:
        return process.in_transaction(claims.claim_match, match_id, worker_id)
    except Unavailable:
        raise
    except Exception as fault:
        with transaction(process.pool) as connection:
            claims.refuse_claim(connection, match_id, worker_id, evidence(fault))
        raise


def blame_for(fault: Exception) -> Blame:
    """A bug that stumbles over the match speaks against it; that a service, a language or room is away does not."""
    if isinstance(fault, (Unavailable, MissingTool, NoRoom)):
        return Blame.NONE
    expected = isinstance(fault, ArenaError) and not isinstance(fault, RefereeFault)
    return Blame.LIKELY if expected else Blame.CERTAIN


def evidence(fault: BaseException) -> str:
    """Of a long story the end is kept. Where a referee program broke, what is kept of it follows."""
    if isinstance(fault, RefereeFault) and fault.__cause__:
        return evidence(fault.__cause__)
    if isinstance(fault, RefereeFault) and fault.evidence:
        return f"{fault}\n{fault.evidence}"
    if isinstance(fault, ArenaError):
        return str(fault)
    reason = f"{type(fault).__name__}: {plain_words(fault)}".partition("\n")[0]
    return f"{reason}\n{''.join(traceback.format_exception(fault)).rstrip()[-EVIDENCE_CHARS:]}"


def play_claim(process: WorkerProcess, claim: claims.MatchClaim) -> MatchResult:
    programs = [
        with_params(process.program(source_hash, language), params)
        for source_hash, language, params in zip(claim.source_hashes, claim.languages, claim.params, strict=True)
    ]
    game = process.games.find(claim.game, claim.edition)
    spec = spec_of(claim, game, claim.seed, claim.players)
    return play(spec, programs, process.sandbox, claim.conditions, suspicions=claim.suspicions)


def spec_of(claim: claims.MatchClaim | builds.BuildClaim, game: Game, seed: int, players: int) -> MatchSpec:
    return MatchSpec(game, claim.rules_level, seed, claim.first_limit_ms, claim.turn_limit_ms, players)


def record_patiently(process: WorkerProcess, claim: claims.MatchClaim, result: MatchResult) -> None:
    over = summed_up(claim, result)
    for pause_s in (*RECORDING_PAUSES_S, None):
        try:
            process.in_transaction(write_down, over)
        except Unavailable:  # it is away, or its disk is full
            if pause_s is None:
                raise
            time.sleep(pause_s)
        else:
            process.look_whether_few_wait()
            return


def build_version(process: WorkerProcess, version_id: VersionId) -> None:
    """Build the version unless somebody else does, or is to. A fault of ours leaves it waiting for the next attempt."""
    worker_id = process.presence.worker_id_once_there()
    if process.lacks_room(lambda: process.queue.enqueue_build(version_id)):
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
            complaint, warnings = try_out(process, claim)
        with transaction(process.pool) as connection:
            if complaint is None:
                accept(connection, claim, warnings)
            else:
                reject(connection, claim, complaint, warnings)
        if complaint is None:
            event("version_built", **ids, language=claim.language, ms=ms_since(began))
        else:
            event("version_rejected", **ids, words=one_line(complaint.partition("\n")[0]), ms=ms_since(began))
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


def try_out(process: WorkerProcess, claim: builds.BuildClaim) -> tuple[str | None, str]:
    """Return why a version cannot be let in, or None; and what the compiler said of a source that it took."""
    try:
        program = with_params(process.program(claim.source_hash, claim.language), claim.params)
    except BuildRefused as refusal:
        return f"{refusal}\n{for_its_author(refusal.output, claim)}".rstrip(), ""
    game = process.games.find(claim.game)
    warnings = for_its_author(program.warnings, claim)
    if game.starts_bots and not claim.conditions.trusted:  # nothing is played in its league, no trial either
        return None, warnings
    spec = spec_of(claim, game, SMOKE_SEED, game.players[0])
    return smoke(program, spec, process.sandbox, claim.conditions), warnings


def for_its_author(words: str, claim: builds.BuildClaim) -> str:
    """Return what a compiler said with a single source called after its bot, as kraken.cpp."""
    if not words or not claim.is_one_file:
        return words
    language = find_language(claim.language)
    return called_by_its_author(words, language.source, claim.bot + "".join(language.extensions[:1]))
