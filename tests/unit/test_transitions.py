"""A state holds all that the rules need: with what is said it leads to the state after."""

from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest

from engine.frames import cells_in
from engine.games.golden import MatchRecord
from engine.games.ice_and_fire import board as ice
from engine.games.ice_and_fire.frames import RealmLog as IceLog
from engine.games.ice_and_fire.frames import WatchedRealm
from engine.games.ice_and_fire.realm import Territory, Unit, read_line
from engine.games.ice_and_fire.referee import start
from engine.games.ocean_of_code.board import MAP_CELLS, draw_board
from engine.games.ocean_of_code.frames import SeaLog, WatchedSubmarine
from engine.games.ocean_of_code.referee import carry_out
from engine.games.ocean_of_code.submarine import FULL_CHARGE, OrderLine, orders_of, starting_charge
from engine.replay import replay_of
from ladder.views.turns.transitions import Transition, read_transitions, transitions
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat
from tests.unit.test_official_files import records
from tests.watching import as_played

OCEAN, ICE = "ocean-of-code", "ice-and-fire"


def transitions_of(record: MatchRecord) -> list[Transition]:
    replay = replay_of(as_played(record), views=False)
    seats = tuple(WatchedSeat(seat, f"bot{seat}", None, None, "ok", "") for seat in (0, 1))
    level, seed = record.rules_level, record.seed
    match = WatchedMatch(f"local:{record.id}", record.game, "Gold", level, seed, "", "finished", seats, replay)
    return list(transitions(match))


def after_in_ocean(one: Transition) -> Mapping[str, Any]:
    board, log = draw_board(int(one.seed)), SeaLog()
    sides = []
    for seat, state in enumerate(one.before["submarines"]):
        missing = starting_charge(one.rules_level)
        missing |= {name.upper(): FULL_CHARGE[name.upper()] - units for name, units in state["charge"].items()}
        side = WatchedSubmarine(board, MAP_CELLS[state["cell"]], missing, state["lives"], seat=seat, log=log)
        side.visited = {MAP_CELLS[cell] for cell in state["trail"]}
        side.mines, side.trail = {MAP_CELLS[cell] for cell in state["mines"]}, list(state["trail"])
        sides.append(side)
    own, other = sides[one.seat], sides[1 - one.seat]
    own.begin_turn()
    for _ in carry_out(own, other, OrderLine(one.orders or "", orders_of(one.rules_level))):
        if not own.lives or not other.lives:
            break
    return {"submarines": [side.state() for side in sides]}


def after_in_ice(one: Transition) -> Mapping[str, Any]:
    ids, log = count(one.before["next_unit"]), IceLog(next_unit=one.before["next_unit"])
    sides = []
    for seat, (state, fresh) in enumerate(
        zip(one.before["realms"], start(int(one.seed), one.rules_level), strict=True)
    ):
        land = Territory(fresh.land.headquarters, ice_cells(cells_in(state["owned"])))
        side = WatchedRealm(fresh.board, fresh.rules, fresh.ways, land, ids, state["gold"], seat=seat, log=log)
        side.units = {name: Unit(level, ice.MAP_CELLS[cell]) for name, level, cell in state["units"]}
        side.unit_at = {unit.cell: name for name, unit in side.units.items()}
        side.mines, side.towers = ice_cells(state["mines"]), ice_cells(state["towers"])
        side.occupied |= side.mines | side.towers | sum(1 << cell for cell in side.unit_at)
        sides.append(side)
    own, other = sides[one.seat], sides[1 - one.seat]
    if one.turn == 1:
        own.begin_turn()
    for action in read_line(one.orders or ""):
        action(own, other)
        if other.has_fallen:
            break
    else:
        if one.turn < 200:
            other.begin_turn()
    return {"realms": [side.state() for side in sides], "next_unit": log.next_unit}


def ice_cells(cells: Any) -> int:
    return sum(1 << ice.MAP_CELLS[cell] for cell in cells)


@pytest.mark.parametrize(("game", "after"), [(OCEAN, after_in_ocean), (ICE, after_in_ice)])
def test_the_rules_lead_from_each_state_with_what_was_said_to_the_state_after(game: str, after: Any) -> None:
    found = [record for record in records(game, 60) if record.end in ENDS]
    assert len({record.rules_level for record in found}) > 2
    checked = 0
    for record in found:
        for one in transitions_of(record):
            if game == ICE or len(one.before["submarines"]) == 2:
                assert after(one) == one.after, one.words
                checked += 1
    assert checked > 2000


ENDS = {"dead", "turn_limit", "hq", "turns"}


@pytest.mark.parametrize("game", [OCEAN, ICE])
def test_lines_of_transitions_are_read_as_they_were_written(game: str) -> None:
    written = transitions_of(records(game, 1)[0])
    read = list(read_transitions("some.ndjson", "\n\n".join(one.line().rstrip() for one in written).splitlines()))
    assert [one.line() for one in read] == [one.line() for one in written]
    assert read == written
