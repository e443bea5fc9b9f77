"""What happens to gauntlets: they are asked for, go on, end, are stopped, resumed and cleaned.

Each function does its part within its caller's transaction. `advance` may run twice, late or on several machines at
once: under the gauntlet's lock it looks at what was played and does what is to be done next.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import Refused
from ladder.bots import versions
from ladder.bots.versions import Version
from ladder.choices import GauntletState, VersionState
from ladder.database.connection import Connection
from ladder.fleet.fleet import Fleet
from ladder.gauntlets import gauntlets
from ladder.gauntlets.gauntlets import Gauntlet, GauntletSpec
from ladder.gauntlets.plan import open_slots
from ladder.gauntlets.verdict import Judgement, judge
from ladder.ids import GauntletId, MatchId

PAIRS_AHEAD = 4
"""At most this many pairs wait for each worker: none is idle, and little is played in vain when the end is near."""


def begin(connection: Connection, spec: GauntletSpec) -> Gauntlet:
    """Begin a gauntlet."""
    return gauntlets.find(connection, gauntlets.insert(connection, spec))


def advance(connection: Connection, fleet: Fleet) -> list[MatchId]:
    """Take every running gauntlet a step further. Returns the ids of the matches that were made.

    Pairs that no worker can play are not made until one can.
    """
    return [match_id for gauntlet in gauntlets.running(connection) for match_id in step(connection, gauntlet, fleet)]


def step(connection: Connection, gauntlet: Gauntlet, fleet: Fleet) -> list[MatchId]:
    """Take a gauntlet a step further once all who take part are built, and return the new matches.

    Where somebody was rejected meanwhile it is stopped.
    """
    if gauntlets.lock(connection, gauntlet.id) != GauntletState.RUNNING:
        return []
    taking_part = versions.find_versions(connection, gauntlet.version_ids)
    states = {version.state for version in taking_part}
    if VersionState.REJECTED in states:
        gauntlets.end(connection, gauntlet.id, GauntletState.STOPPED, None)
        return []
    return [] if VersionState.BUILDING in states else go_further(connection, gauntlet, taking_part, fleet)


def go_further(
    connection: Connection, gauntlet: Gauntlet, taking_part: Iterable[Version], fleet: Fleet
) -> list[MatchId]:
    """End a gauntlet whose question is answered, else see that enough of its pairs wait; return the new matches."""
    taken = gauntlets.taken_slots(connection, gauntlet.id)
    waiting = sum(taken.values())
    is_over = len(taken) == gauntlet.schedule.slots and not waiting
    verdict = None if gauntlet.compares_variants else judgement_of(connection, gauntlet, is_over=is_over).verdict
    if verdict is not None or (is_over and gauntlet.compares_variants):
        gauntlets.end(connection, gauntlet.id, GauntletState.FINISHED, verdict)
        return []
    language = {version.id: version.language for version in taking_part}
    ahead = PAIRS_AHEAD * max(len(fleet.workers), 1)
    able = fleet.for_game(gauntlet.game)
    slots = open_slots(gauntlet.schedule, taken, ahead - waiting)
    languages = [[language[gauntlet.player(key)[0]] for key in slot.player_ids] for slot in slots]
    playable = [slot for slot, both in zip(slots, languages, strict=True) if able.plays(*both)]
    return gauntlets.insert_slots(connection, gauntlet, playable)


def judgement_of(connection: Connection, gauntlet: Gauntlet, *, is_over: bool) -> Judgement:
    """Say what the pairs that were played so far mean."""
    outcomes = {pair.slot: pair.outcome for pair in gauntlets.pairs_of(connection, gauntlet.id)}
    return judge(gauntlet.plan, gauntlet.test, outcomes, is_over=is_over)


def stop(connection: Connection, gauntlet_id: GauntletId) -> Gauntlet:
    """Stop a gauntlet. What was played stays. Raises Refused where it does not run, UnknownName."""
    state = gauntlets.lock(connection, gauntlet_id)
    found = gauntlets.find(connection, gauntlet_id)
    if state != GauntletState.RUNNING:
        raise Refused(f"gauntlet {gauntlet_id} is {state} already")
    gauntlets.end(connection, gauntlet_id, GauntletState.STOPPED, None)
    return found


def resume(connection: Connection, gauntlet_id: GauntletId) -> Gauntlet:
    """Let a stopped gauntlet go on from where it was. Raises Refused where it is not stopped, UnknownName."""
    state = gauntlets.lock(connection, gauntlet_id)
    found = gauntlets.find(connection, gauntlet_id)
    if state == GauntletState.RUNNING:
        raise Refused(f"gauntlet {gauntlet_id} runs; there is nothing to resume")
    if state == GauntletState.FINISHED:
        how = "" if found.verdict is None else f" ({found.verdict})"
        raise Refused(f"gauntlet {gauntlet_id} is finished{how}; ask again with `ladder gauntlet run`")
    gauntlets.go_on(connection, gauntlet_id)
    return gauntlets.find(connection, gauntlet_id)


def purge(connection: Connection, gauntlet_id: GauntletId, host: str, by: str, why: str) -> int:
    """Take back what one machine played of a gauntlet, so that it is played again. Returns how many pairs that were.

    A gauntlet that is finished goes on until its question is answered without them. Raises Refused where that machine
    has played none of it, UnknownName.
    """
    state = gauntlets.lock(connection, gauntlet_id)
    gauntlets.find(connection, gauntlet_id)
    pairs = gauntlets.take_back_from(connection, gauntlet_id, host, by, why)
    if not pairs:
        raise Refused(f"{host} has played no pair of gauntlet {gauntlet_id}")
    if state == GauntletState.FINISHED:
        gauntlets.go_on(connection, gauntlet_id)
    return pairs
