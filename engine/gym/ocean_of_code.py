"""Ocean of Code as an environment: its orders as numbers, its lines as arrays.

How this works. A line has each order at most once, so a turn is a few steps: `MOVE N TORPEDO`, `TORPEDO 3 5`, end. With
whole lines as actions there would be 16 million of them; this way there are 723 orders, and a mask says which of them
do something now. What the league lacks, what is not charged or out of reach, and what would lose is masked. Left out is
what never helps: a `MOVE` that charges nothing, and `MSG`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from engine.conversation import Referee
from engine.errors import UsageFault
from engine.games.ocean_of_code.board import (
    CELL_TEXT,
    MAP_CELLS,
    SIZE,
    STEPS,
    SeaMap,
    column_and_row,
    draw_board,
    torpedo_reach,
)
from engine.games.ocean_of_code.referee import game
from engine.games.ocean_of_code.submarine import FULL_CHARGE, LIVES, NO_POWER, NOTHING, Submarine, orders_of
from engine.gym.environment import Array, Environment, SeatSide

NAMES = ("MOVE", "SURFACE", "TORPEDO", "SONAR", "SILENCE", "MINE", "TRIGGER")
"""Orders as they are numbered in arrays, from 1."""
DIRECTIONS, POWERS = tuple(STEPS), tuple(FULL_CHARGE)
ANSWERS = {NOTHING: 0, "N": 1, "Y": 2}
STATE = ("x", "y", "lives", "opponentLives", "torpedo", "sonar", "silence", "mine")
END = "end of the turn"


def _all_orders() -> Iterator[str]:
    yield from (f"MOVE {way} {power}" for way, power in product(DIRECTIONS, POWERS))
    yield "SURFACE"
    yield from (f"SONAR {sector}" for sector in range(1, 10))
    yield f"SILENCE {DIRECTIONS[0]} 0"
    yield from (f"SILENCE {way} {distance}" for way, distance in product(DIRECTIONS, range(1, 5)))
    yield from (f"MINE {way}" for way in DIRECTIONS)
    for name in ("TORPEDO", "TRIGGER", "START"):
        yield from (f"{name} {CELL_TEXT[cell]}" for cell in MAP_CELLS)
    yield END


ORDERS = tuple(_all_orders())
NUMBER = {order: number for number, order in enumerate(ORDERS)}


def _scalar(low: int, high: int) -> spaces.Box:
    return spaces.Box(low, high, (), np.int8)


def _plane() -> spaces.Box:
    return spaces.Box(0, 1, (SIZE, SIZE), np.int8)


def _orders() -> spaces.Box:
    return spaces.Box(0, SIZE, (len(NAMES), 3), np.int8)


ARRAYS = {
    "id": _scalar(0, 1),
    "map": _plane(),
    "x": _scalar(-1, SIZE - 1),
    "y": _scalar(-1, SIZE - 1),
    "lives": _scalar(0, LIVES),
    "opponentLives": _scalar(0, LIVES),
    "torpedo": _scalar(NO_POWER, FULL_CHARGE["TORPEDO"]),
    "sonar": _scalar(NO_POWER, FULL_CHARGE["SONAR"]),
    "silence": _scalar(NO_POWER, FULL_CHARGE["SILENCE"]),
    "mine": _scalar(NO_POWER, FULL_CHARGE["MINE"]),
    "sonarResult": _scalar(0, 2),
    "opponentOrders": _orders(),
    "orders": _orders(),
    "visited": _plane(),
    "mines": _plane(),
}
"""Before the start cell is chosen, x and y are -1, and lives and charges 0."""


def orders_array(line: str) -> Array:
    """One row for each order, in its sequence: its number in NAMES, and its arguments; directions, powers as in order.
    The referee says nothing of a direction where the opponent does not hear it: 0 stands there.
    """
    rows = np.zeros((len(NAMES), 3), np.int8)
    for row, order in zip(rows, filter(None, line.split("|")), strict=False):
        name, *words = order.split(" ")
        row[: 1 + len(words)] = (NAMES.index(name) + 1, *map(_number, words))
    return rows


def _number(word: str) -> int:
    if word in DIRECTIONS:
        return DIRECTIONS.index(word)
    return POWERS.index(word) if word in POWERS else int(word)


def cells_plane(cells: int) -> Array:
    return np.fromiter((cells >> cell & 1 for cell in MAP_CELLS), np.int8, SIZE * SIZE).reshape(SIZE, SIZE)


class Helm(SeatSide):
    """One seat. `own`: its submarine in the referee, once it is placed; `copy`: as the orders of this turn leave it."""

    def __init__(self, seat: int, board: SeaMap, rules_level: int) -> None:
        self._seat, self._board, self._known = seat, board, orders_of(rules_level)
        self._water = cells_plane(board.water_bits)
        self._orders: list[str] = []
        self._lines: Sequence[str] = ()
        self.own: Submarine | None = None
        self._copy: Submarine | None = None

    @property
    def is_complete(self) -> bool:
        return self._copy is None and bool(self._orders)

    def hear(self, lines: Sequence[str]) -> None:
        self._lines, self._orders = lines, []
        if self.own is not None:
            self._copy = _copy(self.own)
            self._copy.begin_turn()

    def give(self, action: int) -> str:
        order = ORDERS[action]
        name, *words = order.split(" ")
        self._orders.append(order)
        if self._copy is None:
            return " ".join(words)
        if (carry_out := self._known[name](self._copy, words)) is None:
            raise UsageFault(f"{order} would be dropped")
        carry_out(self._copy, _copy(self._copy))  # what it does to the opponent is heard only in the next turn
        return order

    def mask(self) -> Array:
        mask = np.zeros(len(ORDERS), np.int8)
        if self._copy is None:
            first = NUMBER[f"START {CELL_TEXT[MAP_CELLS[0]]}"]
            mask[first : first + SIZE * SIZE] = self._water.ravel() if self._lines and not self._orders else 0
            return mask
        names = {order.split(" ", 1)[0] for order in self._orders}
        for name in self._known.keys() - names:
            mask[[NUMBER[order] for order in POSSIBLE[name](self._copy)]] = 1
        mask[-1] = bool(self._orders)
        return mask

    def observe(self) -> dict[str, Array]:
        submarine = self._copy
        state: tuple[int, ...] = (-1, -1, *(0,) * 6)
        if submarine:
            lives = submarine.lives, int(self._lines[0].split(" ")[3])
            state = (*column_and_row(submarine.cell), *lives, *submarine.missing.values())
        answer, opponent = self._lines[1:] if submarine else (NOTHING, NOTHING)
        values = {name: np.array(value, np.int8) for name, value in zip(STATE, state, strict=True)}
        return values | {
            "id": np.array(self._seat, np.int8),
            "map": 1 - self._water,
            "sonarResult": np.array(ANSWERS[answer], np.int8),
            "opponentOrders": orders_array("" if opponent == NOTHING else opponent),
            "orders": orders_array("|".join(self._orders) if submarine else ""),
            "visited": cells_plane(sum(1 << cell for cell in submarine.visited) if submarine else 0),
            "mines": cells_plane(sum(1 << cell for cell in submarine.mines) if submarine else 0),
        }


def _copy(submarine: Submarine) -> Submarine:
    missing, visited, mines = dict(submarine.missing), set(submarine.visited), set(submarine.mines)
    return replace(submarine, missing=missing, visited=visited, mines=mines, shown=[])


def _moves(submarine: Submarine) -> Iterator[str]:
    powers = [power for power in POWERS if submarine.missing[power] != NO_POWER]
    return (f"MOVE {way} {power}" for way in DIRECTIONS if _reach(submarine, way, 1) for power in powers)


def _reach(submarine: Submarine, way: str, most: int) -> int:
    """How many steps are possible, `most` of them at most."""
    cell = submarine.cell
    for steps in range(most):
        cell += STEPS[way]
        if cell not in submarine.board.water or cell in submarine.visited:
            return steps
    return most


def _torpedoes(submarine: Submarine) -> Iterator[str]:
    if submarine.missing["TORPEDO"] == 0:
        reach = torpedo_reach(submarine.board, submarine.cell)
        yield from (f"TORPEDO {CELL_TEXT[cell]}" for cell in MAP_CELLS if reach >> cell & 1)


def _silences(submarine: Submarine) -> Iterator[str]:
    if submarine.missing["SILENCE"] == 0:
        yield f"SILENCE {DIRECTIONS[0]} 0"
        for way in DIRECTIONS:
            yield from (f"SILENCE {way} {distance}" for distance in range(1, _reach(submarine, way, 4) + 1))


def _mines(submarine: Submarine) -> Iterator[str]:
    if submarine.missing["MINE"] == 0:
        free = submarine.board.water - submarine.mines
        yield from (f"MINE {way}" for way, step in STEPS.items() if submarine.cell + step in free)


POSSIBLE: Mapping[str, Callable[[Submarine], Iterator[str]]] = {
    "MOVE": _moves,
    "SURFACE": lambda _own: iter(["SURFACE"]),
    "TORPEDO": _torpedoes,
    "SONAR": lambda own: (f"SONAR {sector}" for sector in range(1, 10) if own.missing["SONAR"] == 0),
    "SILENCE": _silences,
    "MINE": _mines,
    "TRIGGER": lambda own: (f"TRIGGER {CELL_TEXT[cell]}" for cell in own.mines - {own.fresh_mine}),
}
"""The orders of each name that do what they say now."""


class OceanOfCode(Environment):
    """Both submarines. An action is a number of ORDERS."""

    game_name: ClassVar[str] = "ocean-of-code"
    separator: ClassVar[str] = "|"
    orders: ClassVar[Sequence[str]] = ORDERS
    arrays = ARRAYS

    def begin(self, seed: int) -> tuple[Referee, tuple[SeatSide, SeatSide]]:
        board, level = draw_board(seed), self.league.rules_level
        helms = Helm(0, board, level), Helm(1, board, level)
        waiting = iter(helms)

        def launch(board: SeaMap, cell: int, missing: dict[str, int]) -> Submarine:
            helm = next(waiting)
            helm.own = Submarine(board, cell, missing)
            return helm.own

        return game(board, level, self.game.limits, launch), helms
