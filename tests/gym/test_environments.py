"""Both games as environments of PettingZoo: its own tests, the referee's lines, masks that match the rules."""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from engine.conversation import Verdict
from engine.errors import UnknownName, UsageFault
from engine.games.ice_and_fire.board import CELL_TEXT, MAP_CELLS
from engine.games.ice_and_fire.realm import Unrecognised, read_line, rules_of
from engine.games.ice_and_fire.referee import turn_lines
from engine.games.ocean_of_code.submarine import IllegalOrder, orders_of
from engine.gym import ice_and_fire, ocean_of_code
from engine.gym.environment import AGENTS, Environment
from engine.gym.ice_and_fire import IceAndFire
from engine.gym.ocean_of_code import OceanOfCode
from engine.records.repeat_match import record_difference
from tests.processes import finished
from tests.watching import records_of

OF_DICTS = {
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
}
"""What PettingZoo warns of where an observation has several arrays, but for a list of its own games."""
LEVELS = [
    (game, next(league.name for league in game().game.leagues if league.rules_level == level))
    for game in (OceanOfCode, IceAndFire)
    for level in game().game.rules_levels
]

each_level = pytest.mark.parametrize(
    ("game", "league"), LEVELS, ids=[f"{game.game_name}-{name}" for game, name in LEVELS]
)


def of_level(game: type[Environment], level: int) -> Environment:
    """Records have a level 4 of Ocean of Code, whose rules are those of level 3."""
    environment = game()
    environment.league = replace(environment.league, rules_level=level)
    return environment


def at_random(environment: Environment, seed: int) -> Iterator[tuple[str, Any]]:
    """Play a match by orders that the mask allows; give each agent and what it observes before its order.

    A turn that could end does so after one order in eight.
    """
    dice, end = np.random.default_rng(abs(seed)), len(environment.orders) - 1
    environment.reset(seed=seed)
    while environment.outcome is None:
        agent = environment.agent_selection
        seen = environment.observe(agent)
        yield agent, seen
        possible = np.flatnonzero(seen["action_mask"])
        if possible[-1] == end and len(possible) > 1:
            possible = possible[-1:] if dice.random() < 1 / 8 else possible[:-1]
        environment.step(dice.choice(possible))


@each_level
def test_it_passes_the_tests_of_pettingzoo(game: type[Environment], league: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        api_test(game(league), num_cycles=150)
        seed_test(lambda: game(league), num_cycles=50)
    assert {str(warning.message) for warning in warned} <= OF_DICTS


@pytest.mark.parametrize("game", [OceanOfCode, IceAndFire])
def test_a_match_that_it_leads_is_line_by_line_what_the_official_referee_sent(game: type[Environment]) -> None:
    for record in records_of(game.game_name, step=3):
        environment = of_level(game, record.rules_level)
        environment.reset(seed=record.seed)
        for ask in record.asks:
            assert environment.infos[AGENTS[ask.seat]]["lines"] == ask.lines
            assert environment.agent_selection == AGENTS[ask.seat]
            environment.answer(ask.answer)
        played = environment.record()
        expected = (record.asks, record.scores, record.winner, record.end)
        assert (played.asks, played.scores, played.winner, played.end) == expected
        assert environment.rewards["seat_0"] == -environment.rewards["seat_1"]
        assert environment.rewards["seat_0"] == {0: 1, 1: -1, None: 0}[record.winner]


@pytest.mark.parametrize(("game", "fewest"), [(OceanOfCode, 2000), (IceAndFire, 300)])
def test_lines_of_official_matches_can_be_given_order_by_order(game: type[Environment], fewest: int) -> None:
    """Those of which each order does something when its turn comes; the others are given whole."""
    stepped = 0
    for record in records_of(game.game_name, step=6):
        environment = of_level(game, record.rules_level)
        environment.reset(seed=record.seed)
        for number, ask in enumerate(record.asks, 1):
            if give_by_orders(environment, ask.answer):
                stepped += 1
            else:
                environment.answer(ask.answer)
            assert len(environment.asks) == number
        assert [ask.lines for ask in environment.asks] == [ask.lines for ask in record.asks]
        assert environment.record().scores == record.scores
    assert stepped > fewest


def give_by_orders(environment: Environment, line: str | None) -> bool:
    """Say whether that can be done; the turn is over then."""
    if not line or not is_read(environment, line):
        return False
    number = len(environment.asks)
    for order in line.split(environment.separator):
        if len(environment.asks) > number:  # the order before has ended the match
            return True
        if order and order == environment.idle:
            continue
        action = action_of(environment, order)
        if action is None or not environment.observe(environment.agent_selection)["action_mask"][action]:
            return False
        environment.step(action)
    end = len(environment.orders) - 1
    if len(environment.asks) == number and environment.observe(environment.agent_selection)["action_mask"][end]:
        environment.step(end)
    return len(environment.asks) > number


def is_read(environment: Environment, line: str) -> bool:
    """A line of Ice and Fire with a piece that is not a command loses as a whole, whatever those before it do."""
    try:
        read_line(line if isinstance(environment, IceAndFire) else "WAIT")
    except Unrecognised:
        return False
    return True


def action_of(environment: Environment, order: str) -> int | None:
    if isinstance(environment, OceanOfCode):
        return ocean_of_code.NUMBER.get(order if order[:1].isalpha() else f"START {order}")
    name, *words = order.split(" ")
    side: Any = environment._side
    if name == "MOVE" and len(words) == 3 and (unit := side.own.units.get(int(words[0]))):
        steps = {
            CELL_TEXT[unit.cell + step]: way
            for way, step in ice_and_fire.STEPS.items()
            if unit.cell + step in CELL_TEXT
        }
        way = steps.get(" ".join(words[1:]))
        order = f"MOVE {way} {CELL_TEXT[unit.cell]}"
    return ice_and_fire.ORDERS.index(order) if order in ice_and_fire.ORDERS else None


@pytest.mark.parametrize(
    ("game", "league", "seed"),
    [
        pytest.param(game, league, seed, marks=[] if number % 2 == at else pytest.mark.weekly)
        for number, (game, league) in enumerate(LEVELS)
        for at, seed in enumerate((-(1 << 63), (1 << 63) - 1))
    ],
)
def test_orders_that_the_mask_allows_never_lose_and_lead_the_referee_to_the_same_lines(
    game: type[Environment], league: str, seed: int
) -> None:
    environment = game(league)
    for agent, seen in at_random(environment, seed):
        assert environment.observation_space(agent).contains(seen)
    assert environment.outcome is not None
    assert {one.verdict for one in environment.outcome.verdicts} == {Verdict.OK}
    assert record_difference(environment.record(), environment.game) is None


def positions(game: type[Environment], level: int, most: int) -> Iterator[Any]:
    """Give the sides that are asked at some places of official matches."""
    places = 0
    for record in records_of(game.game_name):
        if record.rules_level != level or places == most:
            continue
        environment = of_level(game, level)
        environment.reset(seed=record.seed)
        for number, ask in enumerate(record.asks[:-1]):
            if number == 2 + places % 3 + len(record.asks) // 2 and places < most:
                places += 1
                yield environment._side
            environment.answer(ask.answer)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_mask_of_ocean_of_code_has_each_order_that_the_rules_neither_drop_nor_punish(level: int) -> None:
    found: Counter[str] = Counter()
    for side in positions(OceanOfCode, level, most=30):
        for _ in range(2):
            possible = {action for action in range(len(ocean_of_code.ORDERS) - 1) if does_something(side, action)}
            end = {len(ocean_of_code.ORDERS) - 1} if side._orders else set[int]()
            assert set(np.flatnonzero(side.mask())) == possible | end
            found.update(ocean_of_code.ORDERS[action].split(" ")[0] for action in possible)
            side.give(min(possible))
            side._copy.missing = {power: min(0, missing) for power, missing in side._copy.missing.items()}
    assert set(found) == set(orders_of(level))


def does_something(side: Any, action: int) -> bool:
    """By the functions of the rules alone."""
    name, *words = ocean_of_code.ORDERS[action].split(" ")
    if name not in side._known or name in {order.split(" ")[0] for order in side._orders}:
        return False
    own = ocean_of_code._copy(side._copy)
    try:
        carry_out = side._known[name](own, words)
        if carry_out is None:
            return False
        carry_out(own, ocean_of_code._copy(own))
    except IllegalOrder:
        return False
    return True


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_the_mask_of_ice_and_fire_has_each_command_that_changes_something(level: int) -> None:
    found: Counter[str] = Counter()
    for side in positions(IceAndFire, level, most=6):
        possible = {action for action in range(len(ice_and_fire.ORDERS) - 1) if changes_something(side, action)}
        assert set(np.flatnonzero(side.mask())) == possible | {len(ice_and_fire.ORDERS) - 1}
        found.update(ice_and_fire.PLANES[action // ice_and_fire.CELLS] for action in possible)
    rules = rules_of(level)
    lacks = {f"TRAIN {above}" for above in range(rules.top_level + 1, 4)}
    lacks |= {f"BUILD {kind}" for kind, has in (("MINE", rules.mines), ("TOWER", rules.towers)) if not has}
    assert set(found) == set(ice_and_fire.PLANES) - lacks


def changes_something(side: Any, action: int) -> bool:
    """By the functions of the rules alone; units are named by their ids, so a step from a cell without one is none."""
    own, other = ice_and_fire._copy(side.own), ice_and_fire._copy(side.other)
    plane, place = divmod(action, ice_and_fire.CELLS)
    cell = MAP_CELLS[place]
    order = ice_and_fire.ORDERS[action]
    if plane < ice_and_fire.TRAIN:
        target = cell + tuple(ice_and_fire.STEPS.values())[plane]
        if cell not in own.unit_at or target not in CELL_TEXT:
            return False
        order = f"MOVE {own.unit_at[cell]} {CELL_TEXT[target]}"
    before = turn_lines(own, other, 0)
    for carry_out in read_line(order):
        carry_out(own, other)
    return other.has_fallen or turn_lines(own, other, 0) != before


def test_what_is_observed_has_the_names_and_numbers_of_the_statement() -> None:
    environment = OceanOfCode("bronze")
    environment.reset(seed=42)
    seen = environment.observe("seat_0")["observation"]
    assert set(seen) == set(ocean_of_code.ARRAYS)
    assert ["".join(".x"[cell] for cell in row) for row in seen["map"]] == list(environment.ask.lines[1:])
    water = np.argwhere((seen["map"][:-1] == 0) & (seen["map"][1:] == 0))
    y, x = map(int, water[0])
    environment.step(ocean_of_code.NUMBER[f"START {x} {y + 1}"])
    environment.answer(f"{x} {y}")
    environment.step(ocean_of_code.NUMBER["MOVE N TORPEDO"])
    seen = environment.observe("seat_0")["observation"]
    numbers = {name: int(seen[name]) for name in ocean_of_code.STATE}
    assert numbers == dict(zip(ocean_of_code.STATE, (x, y, 6, 6, 2, 4, 6, 3), strict=True))
    assert np.argwhere(seen["visited"]).tolist() == [[y, x], [y + 1, x]]
    environment.step(len(ocean_of_code.ORDERS) - 1)
    heard = environment.observe("seat_1")["observation"]["opponentOrders"]
    assert heard[0].tolist() == [1, 0, 0]
    assert not heard[1:].any()


def test_a_wrong_league_a_masked_order_and_a_match_that_is_over_are_refused_in_a_sentence() -> None:
    with pytest.raises(UnknownName, match="unknown league of ocean-of-code 'wod'; known: wood-2"):
        OceanOfCode("wod")
    environment = OceanOfCode()
    environment.reset(seed=1)
    with pytest.raises(UsageFault, match=r"action 16 \(SURFACE\) cannot be given now"):
        environment.step(16)
    with pytest.raises(UsageFault, match="the match is not over"):
        environment.record()
    for _ in AGENTS:
        environment.answer(None)
    with pytest.raises(UsageFault, match="the match is over"):
        environment.answer("MOVE N")
    assert environment.infos["seat_0"]["verdict"] == "timeout"


def test_without_its_packages_a_sentence_says_what_to_install() -> None:
    hide = "import sys; sys.modules['pettingzoo'] = None; import engine.gym.environment"
    done = finished([sys.executable, "-c", hide])
    assert "MissingTool: environments for bots that learn need PettingZoo and Gymnasium" in done.stderr
    assert "deploy/setup.sh gym" in done.stderr
