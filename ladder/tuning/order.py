"""From what somebody asks for, in words, to a tune that can begin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import randbits

from engine.toolchains.params import read_params
from ladder.database.connection import Connection
from ladder.games.games import seeds_in
from ladder.gauntlets.gauntlets import GauntletSpec
from ladder.gauntlets.lineup import Lineup, Words, make_lineup, participant, require_accepted
from ladder.gauntlets.opponents import Opponents, version_named
from ladder.gauntlets.order import league_for, plan_of, players_of
from ladder.ids import GauntletId
from ladder.tuning.parameters import TuneRequest, read_parameters, start_of
from ladder.tuning.spsa import shared_out
from ladder.tuning.tunes import TuneRow
from ladder.visibility import AsShown


@dataclass(frozen=True, slots=True)
class Order:
    """A tune that can begin. `places`: where its parameters begin, `start`: as the bot is given that."""

    gauntlet: GauntletSpec
    ranges: tuple[str, ...]
    places: tuple[float, ...]
    start: dict[str, str]
    unknown: tuple[str, ...]
    confirming_pairs: int

    def row(self, gauntlet_id: GauntletId) -> TuneRow:
        return TuneRow(
            gauntlet_id, list(self.ranges), list(self.places), list(self.unknown), self.confirming_pairs, None
        )


def order_of(
    connection: Connection, request: TuneRequest, asked_by: str, as_shown: AsShown, *, is_limited: bool
) -> Order:
    """`as_shown`: reads boards as who asks is shown them. Raises UsageFault, UnknownName, and Refused: see `lineup`."""
    parameters = read_parameters(request.ranges)
    version = version_named(connection, request.candidate, request.game)
    own = participant(version)
    league_id = league_for(connection, own, request.league, as_shown)
    seeds_in(connection, league_id).require_repeatable("a tune")
    start = start_of(parameters, version.params, read_params(request.start))
    against = tuple(word for word in request.against if word != request.candidate)
    require_accepted(own)
    met = Lineup(own, None, ())
    if against:
        chosen = make_lineup(own, None, Words(against), Opponents(connection, own, league_id, as_shown))
        met = replace(chosen, deciding_ids=None)
    pairs, confirming = shared_out(request.pairs, len(parameters))
    plan = plan_of(
        met, pairs, players_of(connection, league_id), randbits(32) if request.seed is None else request.seed
    )
    ends = ({one.name: one.text_at(place) for one in parameters} for place in (0.0, 1.0))
    spec = GauntletSpec(league_id, plan, None, asked_by, variants=tuple(ends), is_limited=is_limited)
    values = {one.name: one.text_at(place) for one, place in zip(parameters, start.places, strict=True)}
    return Order(spec, request.ranges, start.places, values, start.unknown, confirming)
