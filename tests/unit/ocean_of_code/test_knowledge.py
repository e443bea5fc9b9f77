"""What a player could know of the opponent: all that is possible, and nothing else while few ways are."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conformance.kit import Secret, secrets_of
from engine.conversation import Ask
from engine.frames import View, cells_in
from engine.games.ocean_of_code import knowledge as module
from engine.games.ocean_of_code.board import SECTOR, STEPS, SeaMap, board_of, cell_at, torpedo_reach
from engine.games.ocean_of_code.frames import NUMBERS
from engine.games.ocean_of_code.knowledge import knowledge
from engine.games.ocean_of_code.referee import hunt
from engine.games.ocean_of_code.submarine import LIVES, Submarine, orders_of
from engine.match import MatchSpec, lead_by_rules
from tests.catalogue import GAMES

TURNS = 5
OCEAN = GAMES.find("ocean-of-code")


@dataclass(frozen=True)
class Way:
    """One way in which the opponent may have come, cell by cell."""

    cell: int
    visited: frozenset[int]
    mines: frozenset[int] = frozenset()
    fresh: int = 0
    lost: int = 0


def pond(water: set[tuple[int, int]]) -> SeaMap:
    return board_of(tuple("".join("." if (x, y) in water else "x" for x in range(15)) for y in range(15)))


def damage(cell: int, target: int) -> int:
    return 2 if cell == target else int(abs(cell // 16 - target // 16) <= 1 and abs(cell % 16 - target % 16) <= 1)


def ways_after(way: Way, order: str, board: SeaMap) -> Iterator[Way]:
    """All that the opponent can have done so that this was shown."""
    name, *words = order.split(" ")
    if name in {"TORPEDO", "TRIGGER"}:
        yield from ways_after_explosion(way, name, cell_at(*map(int, words)), board)
    elif name == "MOVE":
        yield from list(straight_on(way, STEPS[words[0]], board))[:1]
    elif name == "SURFACE":
        if SECTOR[way.cell] == int(words[0]):
            yield Way(way.cell, frozenset({way.cell}), way.mines, way.fresh, way.lost + 1)
    elif name == "SILENCE":
        yield from (way, *(after for step in STEPS.values() for after in straight_on(way, step, board)))
    elif name == "MINE":
        for mine in (way.cell + step for step in STEPS.values()):
            if mine in board.water and mine not in way.mines:
                yield Way(way.cell, way.visited, way.mines | {mine}, mine, way.lost)
    else:
        yield way


def straight_on(way: Way, step: int, board: SeaMap) -> Iterator[Way]:
    cell, visited = way.cell, way.visited
    for _ in range(4):
        cell += step
        if cell not in board.water or cell in visited:
            return
        visited |= {cell}
        yield Way(cell, visited, way.mines, way.fresh, way.lost)


def ways_after_explosion(way: Way, name: str, target: int, board: SeaMap) -> Iterator[Way]:
    lost = way.lost + damage(way.cell, target)
    if name == "TORPEDO" and torpedo_reach(board, way.cell) >> target & 1:
        yield Way(way.cell, way.visited, way.mines, way.fresh, lost)
    if name == "TRIGGER" and target in way.mines and target != way.fresh:
        yield Way(way.cell, way.visited, way.mines - {target}, way.fresh, lost)


def by_brute_force(board: SeaMap, asks: list[Ask], own_orders: list[list[str]]) -> Iterator[tuple[set[int], set[int]]]:
    """Where the opponent and its mines can be each time that a seat is asked, by trying everything."""
    ways = {Way(cell, frozenset({cell})) for cell in board.water}
    lives = LIVES
    for ask, executed in zip(asks, own_orders, strict=True):
        state, answer, orders = ask.lines
        lives_now = int(state.split(" ")[3])
        for order in executed:
            name, *words = order.split(" ")
            if name in {"TORPEDO", "TRIGGER"}:
                target = cell_at(int(words[0]), int(words[1]))
                ways = {Way(way.cell, way.visited, way.mines, 0, way.lost + damage(way.cell, target)) for way in ways}
            elif name == "SONAR":
                ways = {way for way in ways if (SECTOR[way.cell] == int(words[0])) == (answer == "Y")}
        for order in [] if orders == "NA" else orders.split("|"):
            ways = {after for way in ways for after in ways_after(way, order, board)}
        ways = {Way(way.cell, way.visited, way.mines) for way in ways if way.lost == lives - lives_now}
        lives = lives_now
        yield {NUMBERS[way.cell] for way in ways}, {NUMBERS[mine] for way in ways for mine in way.mines}


def some_line(random: Random, own: Submarine) -> str:
    """A line that breaks no rule, of orders that are likely to be carried out."""
    water = sorted(own.board.water)
    x, y = ((cell % 16 - 1, cell // 16 - 1) for cell in [random.choice(water)]).__next__()
    free = [name for name, step in STEPS.items() if own.cell + step in own.board.water - own.visited]
    orders = [f"TORPEDO {x} {y}", f"SONAR {random.randint(1, 9)}", f"MINE {random.choice('NESW')}", "SILENCE N 0"]
    if own.mines:
        mine = random.choice(sorted(own.mines))
        orders.append(f"TRIGGER {mine % 16 - 1} {mine // 16 - 1}")
    line = random.sample(orders, random.randint(0, 2))
    if free and random.random() < 0.4:
        line = [order for order in line if not order.startswith("SILENCE")] + [f"SILENCE {random.choice(free)} 1"]
    elif free and random.random() < 0.8:
        line.append(f"MOVE {random.choice(free)} {random.choice(['TORPEDO', 'MINE', 'SILENCE', 'SONAR'])}")
    return "|".join(line) or "SURFACE"


def game_on(board: SeaMap, random: Random) -> tuple[list[Ask], list[list[str]], list[str | None]]:
    """Play a few turns with all powers charged; return what seat 0 was asked, carried out before each ask, and said."""
    zero, one = (
        Submarine(board, random.choice(sorted(board.water)), dict.fromkeys(("TORPEDO", "SONAR", "SILENCE", "MINE"), 0))
        for _ in range(2)
    )
    conversation = hunt(zero, one, orders_of(3), 50)
    asks: list[Ask] = []
    executed: list[list[str]] = []
    said: list[str | None] = []
    try:
        ask = next(conversation)
        while len(asks) < TURNS or ask.seat == 0:
            own = (zero, one)[ask.seat]
            if ask.seat == 0:
                asks.append(ask)
                executed.append(list(zero.shown))
                if len(asks) > TURNS:
                    break
            line = some_line(random, own)
            if ask.seat == 0:
                said.append(line)
            ask = conversation.send(line)
    except StopIteration:
        pass
    return asks, executed, said


cells = st.tuples(st.integers(3, 7), st.integers(3, 6))


@given(water=st.sets(cells, min_size=4, max_size=18), seed=st.integers(0, 2**32))
def test_on_small_maps_it_is_what_trying_everything_gives(water: set[tuple[int, int]], seed: int) -> None:
    board = pond(water)
    asks, executed, said = game_on(board, Random(seed))
    placed = ("15 15 0", *board.rows)
    views = list(knowledge(3, [placed, *(ask.lines for ask in asks)], ["3 3", *said]))[1:]
    assert views
    expected = by_brute_force(board, asks, executed)
    for view, (where, mines) in zip(views, expected, strict=True):
        assert view.exact
        assert cells_in(view.cells) == where
        assert cells_in(view.others) >= mines


def views_of(secret: Secret, level: int, seat: int, way: tuple[str, ...]) -> list[View]:
    """What the opponent of a seat could know, while that seat plays in one of the ways of a secret."""
    said = {seat: [*way], 1 - seat: [*secret.opponent]}
    inputs, lines = [], []
    conversation = lead_by_rules(MatchSpec(OCEAN, level, secret.seed))
    ask = next(conversation)
    try:
        while True:
            script = said[ask.seat]
            line = script.pop(0) if script else None
            if ask.seat != seat:
                line = line or secret.opponent[-1]
                inputs.append(ask.lines)
                lines.append(line)
            ask = conversation.send(line)
    except StopIteration:
        return list(knowledge(level, inputs, lines))


@pytest.mark.parametrize("seat", [0, 1])
def test_what_could_be_known_is_the_same_in_all_ways_of_every_secret(seat: int) -> None:
    secrets = secrets_of(OCEAN)
    assert secrets
    for secret in secrets:
        for level in secret.levels:
            first, *others = (views_of(secret, level, seat, way) for way in secret.ways)
            assert len(first) > 2
            assert all(other == first for other in others), secret.what


def test_beyond_a_bound_ways_are_forgotten_and_the_truth_is_among_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HYPOTHESES", 40)
    water = {(x, y) for x in range(3, 8) for y in range(3, 7)}
    forgotten = 0
    for seed in range(60):
        asks, executed, said = game_on(pond(water), Random(seed))
        views = list(knowledge(3, [("15 15 0", *pond(water).rows), *(ask.lines for ask in asks)], ["3 3", *said]))[1:]
        for view, (where, mines) in zip(views, by_brute_force(pond(water), asks, executed), strict=True):
            assert cells_in(view.cells) >= where
            assert cells_in(view.others) >= mines
            forgotten += not view.exact
    assert forgotten > 50
