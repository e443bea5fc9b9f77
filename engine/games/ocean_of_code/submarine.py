"""One submarine, which its referee knows, and its orders: how a line is read, and what each order does.

A submarine is the mutable part of a game. It lives and dies inside one referee.

How orders work. Every order has a check, which looks and changes nothing. It answers with an `Action`, or with None if
the order is to be dropped silently, or it raises `IllegalOrder`, which loses the match. An order is checked only when
those before it in the line have been carried out, so what stands behind the end of a match is never looked at. Which
orders there are follows from the league.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from engine.games.ocean_of_code.board import (
    CELL_TEXT,
    DAMAGE,
    OUTSIDE,
    SECTOR,
    STEPS,
    SeaMap,
    cell_at,
    column_and_row,
    torpedo_reach,
)
from engine.text import BLANKS, shortened

LIVES = 6
FULL_CHARGE = {"TORPEDO": 3, "SONAR": 4, "SILENCE": 6, "MINE": 3}
NO_POWER = -1  # stands in the place of a charge for a power that the league lacks
NOTHING = "NA"


class IllegalOrder(Exception):
    """A bot broke a rule: no error of ours, but on its way to be a verdict. Says how, and ` on turn 14` can follow."""


@dataclass(slots=True, eq=False)
class Submarine:
    """Position, lives, powers and mines of one player. `missing`: charge units until a power is full, by its name, in
    protocol order; NO_POWER where the league lacks it. `fresh_mine`: the mine laid in the current turn, which cannot be
    triggered yet. `shown`: what the opponent hears of the latest turn.
    """

    board: SeaMap
    cell: int
    missing: dict[str, int]
    lives: int = LIVES
    visited: set[int] = field(default_factory=set)
    mines: set[int] = field(default_factory=set)
    fresh_mine: int = OUTSIDE
    sonar_answer: str = NOTHING
    shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.visited.add(self.cell)

    def input_lines(self, other: Submarine) -> tuple[str, str, str]:
        torpedo, sonar, silence, mine = self.missing.values()
        state = f"{CELL_TEXT[self.cell]} {self.lives} {other.lives} {torpedo} {sonar} {silence} {mine}"
        return state, self.sonar_answer, "|".join(other.shown) or NOTHING

    def begin_turn(self) -> None:
        self.fresh_mine = OUTSIDE
        self.sonar_answer = NOTHING
        self.shown = []

    def step(self, step: int) -> None:
        target = self.cell + step
        if target not in self.board.water:
            raise IllegalOrder("moved onto an island" if target in CELL_TEXT else "moved off the map")
        if target in self.visited:
            raise IllegalOrder(f"visited {column_and_row(target)} twice without surfacing")
        self.visited.add(target)
        self.cell = target

    def charge(self, power: str) -> None:
        if self.missing[power]:
            self.missing[power] -= 1

    def discharge(self, power: str) -> None:
        self.missing[power] = FULL_CHARGE[power]

    def surface(self) -> None:
        """Forget the path, at the price of a life."""
        self.visited = {self.cell}
        self.hurt(1)

    def hurt(self, damage: int) -> None:
        self.lives = max(0, self.lives - damage)

    @property
    def sector(self) -> int:
        """1 to 9."""
        return SECTOR[self.cell]


def explode(target: int, *submarines: Submarine) -> None:
    """2 lives there, 1 on the eight cells around it. Nobody is spared."""
    for submarine in submarines:
        submarine.hurt(DAMAGE.get(submarine.cell - target, 0))


_TOO_LARGE = 1 << 31
_LAST_OF_BMP = "\uffff"


def integer(text: str) -> int | None:
    """Read a 32-bit integer, or return None if it is none. A sign or not, then digits of any script in the basic
    multilingual plane, leading zeros allowed. Python's own `int` takes underscores, blanks, other planes and any size,
    and refuses very long runs of zeros.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or max(digits) > _LAST_OF_BMP:
        return None
    value = 0
    for digit in digits:
        value = 10 * value + unicodedata.decimal(digit)
        if value > _TOO_LARGE:
            return None
    if text[0] == "-":
        return -value
    return value if value < _TOO_LARGE else None


Action: TypeAlias = Callable[[Submarine, Submarine], str]
"""Carries out a checked order, given the own submarine and the other one; returns what the opponent hears of it."""

Check: TypeAlias = Callable[[Submarine, list[str]], Action | None]
"""Looks at the arguments of an order: an action, or None to drop it. Raises IllegalOrder."""

_TOP_LEVEL = 3
_MOVE_TEXT = {step: f"MOVE {direction}" for direction, step in STEPS.items()}


class OrderLine:
    """The orders of one line, handed out one executable order at a time. `current`: the words that are being looked at
    or carried out, the whole line at first.
    """

    __slots__ = ("_checks", "_orders", "_waiting", "current")

    def __init__(self, line: str, checks: Mapping[str, Check]) -> None:
        """`checks`: the orders of the league."""
        self._checks = checks
        pieces = [piece.strip(BLANKS) for piece in line.split("|")]
        self._orders = [piece.split(" ") for piece in pieces if piece]
        self._waiting = iter(self._orders)
        self.current = [line]

    def refuse_repetition(self) -> None:
        names: set[str] = set()
        for name, *_ in self._orders:
            if name in names and name != "MSG":
                raise IllegalOrder(f"gave `{shortened(name)}` twice in one line")
            names.add(name)

    def next_action(self, submarine: Submarine) -> Action | None:
        """Look ahead to the next executable order, or to the end of the line (None). Raises IllegalOrder."""
        for order in self._waiting:
            name, *arguments = order
            if name == "MSG":
                continue
            self.current = order
            check = self._checks.get(name)
            if check is None:
                raise IllegalOrder(_unknown("order", name, orders_of(_TOP_LEVEL)))
            action = check(submarine, arguments)
            if action is not None:
                return action
        return None


def orders_of(rules_level: int) -> Mapping[str, Check]:
    """Without MSG. Level 1 Wood 2, 2 Wood 1, 3 and above all others."""
    checks: dict[str, Check] = {"MOVE": check_move, "SURFACE": check_surface, "TORPEDO": check_torpedo}
    if rules_level >= 2:
        checks |= {"SONAR": check_sonar, "SILENCE": check_silence}
    if rules_level >= _TOP_LEVEL:
        checks |= {"MINE": check_mine, "TRIGGER": check_trigger}
    return checks


def starting_charge(rules_level: int) -> dict[str, int]:
    """NO_POWER for those a league lacks."""
    orders = orders_of(rules_level)
    return {power: full if power in orders else NO_POWER for power, full in FULL_CHARGE.items()}


def check_move(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`MOVE direction [power]`. Where it leads is not looked at before it is carried out."""
    _at_most(2, arguments)
    step = _step(arguments)
    if len(arguments) == 1:
        return partial(_move, step, None)
    power = arguments[1].strip(BLANKS)
    if submarine.missing.get(power, NO_POWER) == NO_POWER:
        raise IllegalOrder(_unknown("power", power, FULL_CHARGE))
    return partial(_move, step, power)


def check_surface(_own: Submarine, _arguments: list[str]) -> Action | None:
    return surface


def check_torpedo(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`TORPEDO x y`."""
    if submarine.missing["TORPEDO"]:
        return None
    target = _target("TORPEDO", arguments)
    return partial(_torpedo, target) if torpedo_reach(submarine.board, submarine.cell) >> target & 1 else None


def check_sonar(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`SONAR sector`."""
    if submarine.missing["SONAR"]:
        return None
    sector = integer(arguments[0]) if len(arguments) == 1 else None
    if sector is None or not 1 <= sector <= 9:
        raise IllegalOrder("SONAR needs a sector from 1 to 9")
    return partial(_sonar, sector)


def check_silence(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`SILENCE direction steps`."""
    if submarine.missing["SILENCE"]:
        return None
    distance = integer(arguments[1]) if len(arguments) == 2 else None
    if distance is None or not 0 <= distance <= 4:
        raise IllegalOrder("SILENCE needs a direction and a distance from 0 to 4")
    return partial(_silence, _step(arguments), distance)


def check_mine(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`MINE direction`."""
    if submarine.missing["MINE"]:
        return None
    _at_most(1, arguments)
    target = submarine.cell + _step(arguments)
    return partial(_mine, target) if target in submarine.board.water and target not in submarine.mines else None


def check_trigger(submarine: Submarine, arguments: list[str]) -> Action | None:
    """`TRIGGER x y`."""
    target = _target("TRIGGER", arguments)
    return partial(_trigger, target) if target in submarine.mines and target != submarine.fresh_mine else None


def surface(submarine: Submarine, _other: Submarine) -> str:
    """By order, or because nothing else could be done."""
    submarine.surface()
    return f"SURFACE {submarine.sector}"


def _move(step: int, power: str | None, submarine: Submarine, _other: Submarine) -> str:
    submarine.step(step)
    if power:
        submarine.charge(power)
    return _MOVE_TEXT[step]


def _torpedo(target: int, submarine: Submarine, other: Submarine) -> str:
    submarine.discharge("TORPEDO")
    explode(target, submarine, other)
    return f"TORPEDO {CELL_TEXT[target]}"


def _sonar(sector: int, submarine: Submarine, other: Submarine) -> str:
    submarine.discharge("SONAR")
    submarine.sonar_answer = "Y" if other.sector == sector else "N"
    return f"SONAR {sector}"


def _silence(step: int, distance: int, submarine: Submarine, _other: Submarine) -> str:
    for _ in range(distance):
        submarine.step(step)
    submarine.discharge("SILENCE")
    return "SILENCE"


def _mine(target: int, submarine: Submarine, _other: Submarine) -> str:
    submarine.discharge("MINE")
    submarine.mines.add(target)
    submarine.fresh_mine = target
    return "MINE"


def _trigger(target: int, submarine: Submarine, other: Submarine) -> str:
    submarine.mines.remove(target)
    explode(target, submarine, other)
    return f"TRIGGER {CELL_TEXT[target]}"


def _unknown(kind: str, name: str, all_of_the_game: Container[str]) -> str:
    if name in all_of_the_game:
        return f"named the {kind} `{name}` of a higher league"
    return f"named the unknown {kind} `{shortened(name)}`"


def _at_most(limit: int, arguments: list[str]) -> None:
    if len(arguments) > limit:
        raise IllegalOrder(f"wrote {len(arguments)} arguments where at most {limit} can stand")


def _step(arguments: list[str]) -> int:
    step = STEPS.get(arguments[0]) if arguments else None
    if step is None:
        raise IllegalOrder("named no direction (N, S, W or E)")
    return step


def _target(order: str, arguments: list[str]) -> int:
    if len(arguments) == 2:
        x, y = integer(arguments[0]), integer(arguments[1])
        if x is not None and y is not None:
            return cell_at(x, y)
    raise IllegalOrder(f"{order} needs two integers, x and y")
