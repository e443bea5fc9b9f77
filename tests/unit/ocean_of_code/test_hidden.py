"""What a player is told depends only on what it may know."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.bot import Reply
from engine.conversation import Ask
from engine.games.ocean_of_code.board import map_rows
from engine.match import MatchSpec, converse

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
SIZE = 15


def told_to_seat_0(
    seed: int, start: tuple[int, int], lines: list[str], own: Sequence[str] = ("SURFACE",) * 4
) -> list[tuple[str, ...]]:
    """Play seat 1 from `start` with those lines and seat 0 from its cell with its own; return what seat 0 is told."""
    seat_0 = Listener([own_cell(seed), *own])
    seat_1 = Listener([f"{start[0]} {start[1]}", *lines])
    converse(MatchSpec("ocean-of-code", 3, seed), [seat_0, seat_1])
    return seat_0.told


class Listener:
    """A player that says its lines one after another, then nothing, and remembers what it is told."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = iter(lines)
        self.told: list[tuple[str, ...]] = []

    def ask(self, ask: Ask) -> Reply:
        """Answer one ask."""
        self.told.append(ask.lines)
        return Reply(next(self._lines, None), 0)


def own_cell(seed: int) -> str:
    x, y = water_of(seed)[0]
    return f"{x} {y}"


def water_of(seed: int) -> list[tuple[int, int]]:
    rows = map_rows(seed)
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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("direction", "NSW")
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_silence_tells_neither_direction_nor_length(direction: str, steps: int) -> None:
    """Seed 1337, along its sixth row, which is all water; seat 0 meanwhile goes along the first."""
    charging = ["MOVE W SILENCE"] * 6
    own = ["MOVE E"] * 9
    told, baseline = (
        told_to_seat_0(1337, (13, 5), [*charging, f"SILENCE {where}"], own) for where in (f"{direction} {steps}", "N 0")
    )
    assert told[8][2] == "SILENCE"
    assert told[:9] == baseline[:9]


def test_messages_are_told_to_nobody() -> None:
    told = told_to_seat_0(1337, (10, 9), ["MOVE N|MSG watchword", "MSG watchword|MOVE N", "MOVE E"])
    assert [lines[2] for lines in told[2:5]] == ["MOVE N", "MOVE N", "MOVE E"]
    assert not any("watchword" in line for lines in told for line in lines)
