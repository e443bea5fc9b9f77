"""What happens to gauntlets: they are asked for, go on, end, are stopped, resumed and cleaned.

Each function does its part within its caller's transaction. `advance` may run twice, late or on several machines at
once: under the gauntlet's lock it looks at what was played and does what is to be done next.

The gate before a board. The gauntlet that is played for each new version is made in the transaction that accepts that
version, so none is missed. If it gates, the version is not let in there: it waits until its gauntlet has passed, and
then the scheduler lets it in, in a transaction of its own that locks the bot first, as every change of a board does.
Which versions wait is read from rows (see `automatic_gauntlets`), so nothing is lost if a process is killed in between.
Any other end leaves the version off the board, and its bot's earlier version plays on.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.errors import Refused
from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.choices import GauntletState, VersionState
from ladder.database.connection import Connection
from ladder.fleet.workers import Fleet
from ladder.gauntlets import automatic_gauntlets, gauntlets, lineup
from ladder.gauntlets.automatic_gauntlets import GauntletTerms, Target, applying_to
from ladder.gauntlets.gauntlets import Gauntlet, GauntletSpec
from ladder.gauntlets.order import OpponentResolver, plan_of, players_of, require_pairs, version_named
from ladder.gauntlets.plan import Slot, open_slots
from ladder.gauntlets.verdict import judge
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.matchmaking.matchmaker import Wish, players_in_turns
from ladder.promotions import lifecycle
from ladder.quotas import quotas

PAIRS_AHEAD = 4
"""At most this many pairs wait for each worker: none is idle, and little is played in vain when the end is near.

That is said of each gauntlet while one player's run, and of each player's together while several players' do."""


def begin(connection: Connection, spec: GauntletSpec) -> Gauntlet:
    return gauntlets.find(connection, gauntlets.insert(connection, spec))


@immutable
class GauntletStep:
    """What a gauntlet would have made next: `slots`. `made`: how many were before; `waiting`: of these, not played."""

    gauntlet: Gauntlet
    made: int
    waiting: int
    slots: list[Slot]

    @property
    def wish(self) -> Wish:
        """Return what of it says whose turn it is. A player's name counts without regard to case."""
        return Wish(self.gauntlet.asked_by.lower(), self.waiting, self.made, len(self.slots))


GoFurther: TypeAlias = Callable[[Connection, Gauntlet, Sequence[Version], Fleet, int], "GauntletStep | None"]


def advance(connection: Connection, fleet: Fleet, tune_further: GoFurther | None = None) -> list[MatchId]:
    """Take every running gauntlet a step further; return the ids of the matches made.

    `tune_further`: does tunes, else left alone. Players take turns, see `players_in_turns`; what nobody can play, and
    who has used up a quota, waits.
    """
    ahead = PAIRS_AHEAD * max(len(fleet.workers), 1)
    steps = [
        step
        for gauntlet in gauntlets.running(connection)
        if (further := tune_further if gauntlet.is_tune else go_further) is not None
        if (step := next_step(connection, gauntlet, fleet, ahead, further)) is not None
    ]
    steps = within_budget(connection, steps)
    unmade = [iter(step.slots) for step in steps]
    order = players_in_turns([step.wish for step in steps], ahead)
    return gauntlets.insert_slots(connection, [(steps[place].gauntlet, next(unmade[place])) for place in order])


def within_budget(connection: Connection, steps: Sequence[GauntletStep]) -> list[GauntletStep]:
    limited = [step.gauntlet for step in steps if step.gauntlet.is_limited]
    players = {gauntlet.asked_by.lower() for gauntlet in limited}
    until = quotas.waiting_until(connection, players)
    beyond = quotas.beyond_room(connection, players)
    for gauntlet in limited:
        waits = (until.get(gauntlet.asked_by.lower()), gauntlet.id in beyond)
        if (gauntlet.waits_until, gauntlet.waits_for_room) != waits:
            quotas.write_down(connection, gauntlet.id, waits[0], for_room=waits[1])
    waiting = {gauntlet.id for gauntlet in limited if gauntlet.asked_by.lower() in until} | beyond
    return [step for step in steps if not step.gauntlet.is_limited or step.gauntlet.id not in waiting]


def next_step(
    connection: Connection, gauntlet: Gauntlet, fleet: Fleet, ahead: int, further: GoFurther
) -> GauntletStep | None:
    """None where it does not go on by now, also where somebody was rejected. `ahead`: at most so many pairs wait."""
    if gauntlets.lock(connection, gauntlet.id) != GauntletState.RUNNING:
        return None
    taking_part = versions.find_versions(connection, gauntlet.version_ids)
    states = {version.state for version in taking_part}
    if VersionState.REJECTED in states:
        gauntlets.end(connection, gauntlet.id, GauntletState.STOPPED, None)
        return None
    return None if VersionState.BUILDING in states else further(connection, gauntlet, taking_part, fleet, ahead)


def go_further(
    connection: Connection, gauntlet: Gauntlet, taking_part: Sequence[Version], fleet: Fleet, ahead: int
) -> GauntletStep | None:
    slots_made = gauntlets.taken_slots(connection, gauntlet.id)
    waiting = sum(slots_made.values())
    is_over = len(slots_made) == gauntlet.schedule.slots and not waiting
    verdict = None
    if not gauntlet.compares_variants:
        outcomes = {pair.slot: pair.outcome for pair in gauntlets.pairs_of(connection, gauntlet.id)}
        verdict = judge(gauntlet.plan, gauntlet.test, outcomes, is_over=is_over).verdict
    if verdict is not None or (is_over and gauntlet.compares_variants):
        gauntlets.end(connection, gauntlet.id, GauntletState.FINISHED, verdict)
        return None
    slots = open_slots(gauntlet.schedule, slots_made, ahead - waiting)
    return GauntletStep(gauntlet, len(slots_made), waiting, playable(gauntlet, slots, taking_part, fleet))


def playable(gauntlet: Gauntlet, slots: Sequence[Slot], taking_part: Sequence[Version], fleet: Fleet) -> list[Slot]:
    language = {version.id: version.language for version in taking_part}
    able = fleet.for_game(gauntlet.game)
    return [
        slot for slot in slots if able.plays(*(language[version_id] for version_id, _ in gauntlet.players_of(slot)))
    ]


def stop(connection: Connection, gauntlet_id: GauntletId, name: str | None = None) -> Gauntlet:
    """Raises Refused where it does not run, UnknownName. `name`: of the tune of which it is a part."""
    state = gauntlets.lock(connection, gauntlet_id)
    gauntlet = gauntlets.find(connection, gauntlet_id)
    if state != GauntletState.RUNNING:
        raise Refused(f"{name or f'gauntlet {gauntlet_id}'} is {state} already")
    gauntlets.end(connection, gauntlet_id, GauntletState.STOPPED, None)
    return gauntlet


def resume(
    connection: Connection,
    gauntlet_id: GauntletId,
    name: str | None = None,
    again: str = "ask again with `ladder gauntlet run`",
) -> Gauntlet:
    """Let a stopped gauntlet go on from where it was. Raises Refused where it is not stopped, UnknownName.

    `name`: of the tune of which it is a part; `again`: what to do instead where it is finished.
    """
    name = name or f"gauntlet {gauntlet_id}"
    state = gauntlets.lock(connection, gauntlet_id)
    gauntlet = gauntlets.find(connection, gauntlet_id)
    if state == GauntletState.RUNNING:
        raise Refused(f"{name} runs; there is nothing to resume")
    if state == GauntletState.FINISHED:
        how = "" if gauntlet.verdict is None else f" ({gauntlet.verdict})"
        raise Refused(f"{name} is finished{how}; {again}")
    gauntlets.go_on(connection, gauntlet_id)
    return gauntlets.find(connection, gauntlet_id)


def purge(connection: Connection, gauntlet_id: GauntletId, host: str, by: str, why: str) -> int:
    """Take back what a machine played of a gauntlet, to be played anew; return how many pairs. Raises Refused."""
    state = gauntlets.lock(connection, gauntlet_id)
    if gauntlets.find(connection, gauntlet_id).is_tune:
        raise Refused(f"gauntlet {gauntlet_id} is a tune: where its pairs have led it stays; begin another one")
    pairs = gauntlets.take_back_from(connection, gauntlet_id, host, by, why)
    if not pairs:
        raise Refused(f"{host} has played no pair of gauntlet {gauntlet_id}")
    if state == GauntletState.FINISHED:
        gauntlets.go_on(connection, gauntlet_id)
    return pairs


def put_automatic(connection: Connection, target: Target, terms: GauntletTerms) -> None:
    """Let this be played for each new version from now on. Raises UsageFault, UnknownName, Refused for bad words."""
    require_pairs(terms.pairs)
    for word in (*terms.words.against, *terms.words.context):
        if lineup.read_word(word).kind is lineup.WordKind.VERSION:
            opponent = lineup.participant(version_named(connection, word, target.game))
            if opponent.game != target.game:
                raise Refused(f"{opponent.name} plays {opponent.game}, and the gauntlet would be over {target.game}")
            lineup.require_accepted(opponent)
    automatic_gauntlets.put(connection, target, terms)


def begin_automatic(connection: Connection, version: Version) -> bool:
    """Begin what is played for an accepted version; return whether that holds it back. Its bot is locked."""
    bot = bots.bot_of_version(connection, version.id)
    automatic = applying_to(connection, bot)
    if automatic is None or bot.is_gone:
        return False
    candidate = lineup.participant(version)
    words = lineup.LineupWords(tuple(automatic.opponents), tuple(automatic.context))
    chosen = lineup.lineup_of_those_there(candidate, words, OpponentResolver(connection, candidate, bot.league_id))
    if chosen is None:
        return False
    gates = automatic.gates and not lineup.lacks_earlier(chosen, automatic.opponents)
    plan = plan_of(chosen, automatic.pairs, players_of(connection, bot.league_id))
    spec = GauntletSpec(
        bot.league_id, plan, automatic.test, automatic.asked_by, gates=gates, is_limited=automatic.is_limited
    )
    begin(connection, spec)
    return gates


def let_in(connection: Connection, version_id: VersionId) -> None:
    """Let a version whose gauntlet has passed onto its bot's board, unless it came there meanwhile."""
    bots.lock_bots(connection, [bots.bot_of_version(connection, version_id).id])
    if version_id in automatic_gauntlets.passed_gates(connection):
        lifecycle.let_in(connection, versions.find_version(connection, version_id))
