"""On any map, a player is told nothing of where the other one is. The kit tries every other secret on one map."""

from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.conversation import Ask
from engine.games.ocean_of_code.board import draw_map
from engine.match import MatchSpec, converse
from tests.catalogue import GAMES
from tests.fakes import Scripted

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
SIZE = 15


def told_to_seat_0(seed: int, start: tuple[int, int], lines: list[str]) -> list[tuple[str, ...]]:
    """Play seat 1 from `start` with those lines, seat 0 surfacing where it is; return what seat 0 is told."""
    told: list[tuple[str, ...]] = []
    said = {0: iter([own_cell(seed), *["SURFACE"] * 4]), 1: iter([f"{start[0]} {start[1]}", *lines])}

    def answer(ask: Ask) -> str | None:
        if ask.seat == 0:
            told.append(ask.lines)
        return next(said[ask.seat], None)

    converse(MatchSpec(GAMES.find("ocean-of-code"), 3, seed), [Scripted(answer)] * 2)
    return told


def own_cell(seed: int) -> str:
    x, y = water_of(seed)[0]
    return f"{x} {y}"


def water_of(seed: int) -> list[tuple[int, int]]:
    rows = draw_map(seed)
    return [(x, y) for y in range(SIZE) for x in range(SIZE) if rows[y][x] == "."]


def walks(start: tuple[int, int], path: str, water: set[tuple[int, int]]) -> bool:
    """Say whether that path can be walked from there without leaving the water or crossing itself."""
    cell, seen = start, {start}
    for step in path:
        cell = (cell[0] + STEPS[step][0], cell[1] + STEPS[step][1])
        if cell not in water or cell in seen:
            return False
        seen.add(cell)
    return True


@given(seed=st.integers(-(2**63), 2**63 - 1), chance=st.integers())
def test_where_the_opponent_is_shows_in_nothing_but_its_orders(seed: int, chance: int) -> None:
    """Two starts from which the same orders can be carried out look the same to the other player."""
    random = Random(chance)
    water = set(water_of(seed))
    path = "".join(random.choice("NESW") for _ in range(3))
    starts = [cell for cell in sorted(water) if walks(cell, path, water)]
    assume(len(starts) >= 2)
    lines = [f"MOVE {step} TORPEDO|MSG at {chance}" for step in path]
    first, second = random.sample(starts, 2)
    assert told_to_seat_0(seed, first, lines) == told_to_seat_0(seed, second, lines)
