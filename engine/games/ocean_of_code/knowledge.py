"""What a player could know of the opponent's submarine, from the lines that it was sent and its own orders alone.

How this works. All that is possible is a number of ways that the opponent may have come; most of them have the same
shape and differ only in where they began. So hypotheses are grouped by shape: a `Shape` is the way since the opponent
surfaced, and the mines that it may have laid, all relative to the cell where it is; and one set of cells says where
that can be. A move shifts the set and the shape, whichever cell it is, so a turn costs as much for a hundred cells as
for one. Only silence makes several shapes of one.

Each order that the opponent is shown to have carried out takes away the cells where it could not have been; so do the
sonar's answer, and the lives that it lost: each explosion hurts by its distance, and the sum has to be what was sent.

Beyond MOST_HYPOTHESES the ways are forgotten: one shape stays, without a way, and the mines become a set of cells where
some mine can be. From then on sets can be wider than need be, until the opponent surfaces in a cell that is known.
Mines are taken one by one: that two of them cannot have been laid in one place narrows nothing but where they are.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial, reduce
from itertools import zip_longest
from operator import or_
from typing import NamedTuple

from engine.frames import View, set_text
from engine.games.ocean_of_code.board import (
    DAMAGE,
    MAP_CELLS,
    SECTOR,
    SIZE,
    STEPS,
    SeaMap,
    board_of,
    cell_at,
    torpedo_reach,
)
from engine.games.ocean_of_code.referee import carry_out
from engine.games.ocean_of_code.submarine import (
    FULL_CHARGE,
    LIVES,
    NOTHING,
    IllegalOrder,
    OrderLine,
    Submarine,
    orders_of,
)

MOST_HYPOTHESES = 100_000
"""This many ways (cell and path) are kept separate."""
LONGEST_SILENCE = 4
HERE = 256
"""The bit of a relative set of cells that stands for the cell itself."""
FAR = 32
"""Sets are moved either way by moving them this far up and down again; no step is as long."""
IN_SECTOR = {sector: sum(1 << cell for cell in MAP_CELLS if SECTOR[cell] == sector) for sector in range(1, 10)}


class Shape(NamedTuple):
    """How the opponent may have come, relative to where it is: bit HERE. `way`: since it surfaced. `mines`: where each
    can be; `fresh`: the one laid in this turn. `lost`: lives in this turn. A tuple, as a turn looks up to a hundred
    thousand of them.
    """

    way: int = 1 << HERE
    mines: tuple[int, ...] = ()
    fresh: int | None = None
    lost: int = 0


Hypotheses = dict[Shape, int]
"""Where each shape can be, as a set of cells."""
shape_of: Callable[[tuple[int, tuple[int, ...], int | None, int]], Shape] = partial(tuple.__new__, Shape)
"""Makes a shape of its parts in two thirds of the time that `Shape(...)` takes."""


def further(hypotheses: Hypotheses, step: int, water: int) -> Hypotheses:
    """Return what is possible one step further. Written out: silence takes a million steps, and calls take longer."""
    after: Hypotheses = {}
    ahead, by, back = 1 << HERE + step, FAR + step, FAR - step
    for (way, mines, fresh, lost), cells in hypotheses.items():
        there = cells << by >> FAR & water
        if there and not way & ahead:
            if mines:
                mines = tuple([mine << back >> FAR for mine in mines])  # noqa: PLW2901
            after[shape_of((way << back >> FAR | 1 << HERE, mines, fresh, lost))] = there
    return after  # no two shapes come to the same one


def shifted(cells: int, step: int) -> int:
    return cells << step if step > 0 else cells >> -step


class Opponent:
    def __init__(self, board: SeaMap) -> None:
        self._board = board
        self._can_be: Hypotheses = {Shape(): board.water_bits}
        self._some_mine = 0
        """Where mines can be of which no shape speaks."""
        self.is_exact = True

    @property
    def cells(self) -> int:
        return union(self._can_be.values())

    @property
    def mines(self) -> int:
        mines = self._some_mine
        for shape, cells in self._can_be.items():
            for mine in shape.mines:
                mines |= union(shifted(cells, bit - HERE) for bit in bits_of(mine)) & self._board.water_bits
        return mines

    def felt(self, orders: Iterable[str], answer: str) -> None:
        """`orders`: carried out before it moved again. `answer`: the sonar's."""
        for order in orders:
            name, *words = order.split(" ")
            if name in {"TORPEDO", "TRIGGER"}:
                self._can_be = hurt_by(self._can_be, cell_at(int(words[0]), int(words[1])))
            elif name == "SONAR":
                sector = IN_SECTOR[int(words[0])]
                self._can_be = within(self._can_be, sector if answer == "Y" else ~sector)

    def did(self, orders: Iterable[str]) -> None:
        for order in orders:
            self._can_be = self._after(order)
            if sum(map(int.bit_count, self._can_be.values())) > MOST_HYPOTHESES:
                self._forget()

    def end_turn(self, lost: int) -> None:
        if not lost and all(fresh is None and not hurt for _, _, fresh, hurt in self._can_be):
            return
        fitting = ((shape, cells) for shape, cells in self._can_be.items() if shape.lost == lost)
        self._can_be = gathered((Shape(shape.way, shape.mines), cells) for shape, cells in fitting)

    def _after(self, order: str) -> Hypotheses:
        name, *words = order.split(" ")
        match name:
            case "MOVE":
                return further(self._can_be, STEPS[words[0]], self._board.water_bits)
            case "SURFACE":
                return self._after_surfacing(IN_SECTOR[int(words[0])])
            case "TORPEDO":
                target = cell_at(int(words[0]), int(words[1]))
                return hurt_by(within(self._can_be, torpedo_reach(self._board, target)), target)
            case "SILENCE":
                return self._after_silence()
            case "MINE":
                return self._after_mine()
            case "TRIGGER":
                target = cell_at(int(words[0]), int(words[1]))
                return hurt_by(self._after_trigger(target), target)
        return self._can_be

    def _after_surfacing(self, sector: int) -> Hypotheses:
        there = within(self._can_be, sector)
        after = gathered((shape._replace(way=1 << HERE, lost=shape.lost + 1), cells) for shape, cells in there.items())
        if union(after.values()).bit_count() == 1 and not self._some_mine:
            self.is_exact = True
        return after

    def _after_silence(self) -> Hypotheses:
        after: Hypotheses = defaultdict(int, self._can_be)
        for step in STEPS.values():
            moved = self._can_be
            for _ in range(LONGEST_SILENCE):
                moved = further(moved, step, self._board.water_bits)
                for shape, cells in moved.items():
                    after[shape] |= cells
        return dict(after)

    def _after_mine(self) -> Hypotheses:
        water = self._board.water_bits
        beside = union(shifted(water, -step) for step in STEPS.values())
        around = sum(1 << HERE + step for step in STEPS.values())
        places = within(self._can_be, beside).items()
        return gathered(
            (shape._replace(mines=(*shape.mines, around), fresh=len(shape.mines)), cells) for shape, cells in places
        )

    def _after_trigger(self, target: int) -> Hypotheses:
        after: Hypotheses = defaultdict(int)
        for shape, cells in self._can_be.items():
            if self._some_mine >> target & 1:
                after[shape] |= cells
            for index, mine in enumerate(shape.mines):
                if index == shape.fresh:
                    continue
                for bit in bits_of(mine):
                    cell = target - (bit - HERE)
                    if cell > 0 and cells >> cell & 1:
                        after[without_mine(shape, index, bit)] |= 1 << cell
        self._some_mine &= ~(1 << target)
        return dict(after)

    def _forget(self) -> None:
        """Keep of all ways only where they lead, and of all mines only where some can be."""
        self._some_mine = self.mines
        self._can_be = gathered((Shape(lost=shape.lost), cells) for shape, cells in self._can_be.items())
        self.is_exact = False


def without_mine(shape: Shape, index: int, bit: int) -> Shape:
    others = [mine & ~(1 << bit) for number, mine in enumerate(shape.mines) if number != index]
    fresh = None if shape.fresh is None else shape.fresh - (shape.fresh > index)
    return shape._replace(mines=tuple(others), fresh=fresh)


def gathered(shapes: Iterable[tuple[Shape, int]]) -> Hypotheses:
    after: Hypotheses = defaultdict(int)
    for shape, cells in shapes:
        after[shape] |= cells
    return dict(after)


def within(hypotheses: Hypotheses, place: int) -> Hypotheses:
    return {shape: cells & place for shape, cells in hypotheses.items() if cells & place}


def hurt_by(hypotheses: Hypotheses, target: int) -> Hypotheses:
    """Return what is possible after an explosion, each with the lives that it costs."""
    parts = [(lives, within(hypotheses, hit).items()) for lives, hit in enumerate(hit_cells(target))]
    return gathered((shape._replace(lost=shape.lost + lives), cells) for lives, part in parts for shape, cells in part)


@cache
def hit_cells(target: int) -> tuple[int, int, int]:
    """What an explosion at `target` costs nothing, one life, and two."""
    one_life, two_lives = (
        sum(1 << target + by for by, damage in DAMAGE.items() if damage == lives and target + by > 0)
        for lives in (1, 2)
    )
    return ~(one_life | two_lives), one_life, two_lives


def union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def bits_of(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def knowledge(rules_level: int, inputs: Sequence[Sequence[str]], lines: Sequence[str | None]) -> Iterator[View]:
    """`inputs`: the lines that a seat was sent, each time; at first it was to be placed. `lines`: what it said."""
    board = board_of(tuple(inputs[0][1:]))
    opponent = Opponent(board)
    yield view_of(opponent)
    possible = orders_of(rules_level)
    submarine: Submarine | None = None
    lives = LIVES
    for (state, answer, orders), line in zip_longest(inputs[1:], lines[1:]):
        x, y, _, lives_now, *missing = map(int, state.split(" "))
        if submarine is None:
            submarine = Submarine(board, cell_at(x, y), dict(zip(FULL_CHARGE, missing, strict=True)))
        opponent.felt(submarine.shown, answer)
        opponent.did([] if orders == NOTHING else orders.split("|"))
        opponent.end_turn(lives - lives_now)
        yield view_of(opponent)
        lives = lives_now
        if line is not None:
            submarine.begin_turn()
            anybody = Submarine(board, submarine.cell, {})  # what the orders do to the opponent is another matter
            with suppress(IllegalOrder):
                for _ in carry_out(submarine, anybody, OrderLine(line, possible)):
                    pass


def view_of(opponent: Opponent) -> View:
    cells = opponent.cells
    where, mines = (set_text(cells_of, MAP_CELLS[::SIZE], SIZE) for cells_of in (cells, opponent.mines))
    return View(where, mines, cells.bit_count(), opponent.is_exact)
