"""What happens to tunes: they are asked for, and go on whenever the scheduler looks.

How this works. A tune is a gauntlet, so quotas, turns of players, stopping and resuming are the gauntlet's. Whenever
the scheduler looks, the pairs that were played since then count, in the order in which they ended, and the next ones
are made from where all values are by that. When all have been played, a gauntlet of two variants is asked for: the
result and the start, on fresh seeds.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from secrets import randbits

from engine.conversation import seat_orders
from engine.immutable import immutable
from engine.toolchains.params import read_params
from ladder.bots.versions import Version
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.fleet.workers import Fleet
from ladder.games.games import seeds_in
from ladder.gauntlets import gauntlets
from ladder.gauntlets.execution import GauntletStep, playable
from ladder.gauntlets.gauntlets import Gauntlet, GauntletSpec, PairRow
from ladder.gauntlets.lineup import Lineup, LineupWords, make_lineup, participant, require_accepted
from ladder.gauntlets.order import OpponentResolver, league_for, plan_of, players_of, version_named
from ladder.gauntlets.plan import Plan
from ladder.ids import GauntletId
from ladder.tuning import tunes
from ladder.tuning.parameters import TuneRequest, TuneStart, read_parameters, start_of
from ladder.tuning.plan import FRESH, TunePlan, shared_out
from ladder.tuning.report import findings_of, has_moved, variants_of
from ladder.tuning.tunes import TuneRow
from ladder.visibility import AsShown


@immutable
class Order:
    """A tune that can begin. `params`: the start as the bot is given that."""

    gauntlet: GauntletSpec
    start: TuneStart
    params: dict[str, str]
    confirming_pairs: int


def order_of(
    connection: Connection, request: TuneRequest, asked_by: str, as_shown: AsShown, *, is_limited: bool
) -> Order:
    """`as_shown`: reads boards as who asks is shown them. Raises UsageFault, UnknownName, and Refused: see `lineup`."""
    parameters = read_parameters(request.ranges)
    version = version_named(connection, request.candidate, request.game)
    candidate = participant(version)
    league_id = league_for(connection, candidate, request.league, as_shown)
    seeds_in(connection, league_id).require_repeatable("a tune")
    start = start_of(parameters, version.params, read_params(request.start))
    against = tuple(word for word in request.against if word != request.candidate)
    require_accepted(candidate)
    lineup = Lineup(candidate, None, ())
    if against:
        resolver = OpponentResolver(connection, candidate, league_id, as_shown)
        lineup = replace(make_lineup(candidate, None, LineupWords(against), resolver), deciding_ids=None)
    pairs, confirming = shared_out(request.pairs, len(parameters))
    seed = randbits(32) if request.seed is None else request.seed
    plan = plan_of(lineup, pairs, players_of(connection, league_id), seed)
    ends = ({parameter.name: parameter.text_at(place) for parameter in parameters} for place in (0.0, 1.0))
    spec = GauntletSpec(league_id, plan, None, asked_by, variants=tuple(ends), is_limited=is_limited)
    in_places = zip(parameters, start.places, strict=True)
    params = {parameter.name: parameter.text_at(place) for parameter, place in in_places}
    return Order(spec, start, params, confirming)


def go_further(
    connection: Connection, gauntlet: Gauntlet, taking_part: Sequence[Version], fleet: Fleet, ahead: int
) -> GauntletStep | None:
    """Let pairs count, and return what is to be made next; None where all have been played. See `GoFurther`."""
    row = tunes.find(connection, gauntlet.id)
    plan = row.plan(gauntlet)
    let_pairs_count(connection, row, plan)
    state = tunes.state_of(connection, row)
    if state.counted == plan.rule.pairs:
        gauntlets.end(connection, gauntlet.id, GauntletState.FINISHED, None)
        confirm(connection, gauntlet, row, plan)
        return None
    slots_made = gauntlets.taken_slots(connection, gauntlet.id)
    waiting = sum(slots_made.values())
    free = [number for number in range(plan.slots) if number not in slots_made][: max(ahead - waiting, 0)]
    numbers = sorted({number // plan.sides for number in free})
    bases = tunes.make(connection, row.gauntlet_id, numbers, state.places)
    slots = [slot for number in numbers for slot in plan.slots_of(number, bases[number]) if slot.number in set(free)]
    return GauntletStep(gauntlet, len(slots_made), waiting, playable(gauntlet, slots, taking_part, fleet))


def let_pairs_count(connection: Connection, row: TuneRow, plan: TunePlan) -> None:
    """Let the pairs that were played since the last look move the values, in the order in which they ended."""
    state = tunes.state_of(connection, row)
    among = [number * plan.sides + side for number in state.open for side in range(plan.sides)]
    pairs: dict[int, list[PairRow]] = {}
    for slot in gauntlets.pairs_of(connection, row.gauntlet_id, among):
        pairs.setdefault(slot.slot // plan.sides, []).append(slot)
    ended = [
        (max(slot.ended_at.timestamp() if slot.ended_at else 0.0 for slot in slots), number, slots)
        for number, slots in pairs.items()
        if len(slots) == plan.sides
    ]
    places = state.places
    seats = [order.index(0) for order in seat_orders(plan.players)]
    for counted, (_, number, slots) in enumerate(sorted(ended, key=itemgetter(0, 1)), state.counted + 1):
        has_lines = number < plan.rule.first_pairs
        matches = [tunes.matches_of_slot(connection, slot, seats, lines=has_lines) for slot in slots]
        ends = plan.ends_of(number, matches)
        places = plan.rule.moved(number, places, plan.lead(ends.points))
        tunes.count(connection, row.gauntlet_id, number, counted, ends, places)


def confirm(connection: Connection, gauntlet: Gauntlet, row: TuneRow, plan: TunePlan) -> None:
    """Have the result meet the start; there is nothing to play where they are the same."""
    findings = findings_of(plan, tunes.pairs_of(connection, gauntlet.id), gauntlet.candidate)
    if not row.confirming_pairs or not has_moved(findings):
        return
    pairs = Plan(
        gauntlet.candidate_id,
        baseline_id=None,
        opponent_ids=(),
        pairs=row.confirming_pairs,
        seed=gauntlet.seed ^ FRESH,
        players=gauntlet.players,
    )
    spec = GauntletSpec(
        gauntlet.league_id,
        pairs,
        test=None,
        asked_by=gauntlet.asked_by,
        variants=variants_of(findings, {}),
        is_limited=gauntlet.is_limited,
    )
    tunes.confirm_in(connection, gauntlet.id, gauntlets.insert(connection, spec))


def going_on(row: TuneRow) -> GauntletId:
    """Return the gauntlet in which a tune is played at present: its own, or the one that confirms."""
    return row.gauntlet_id if row.confirming_id is None else row.confirming_id
