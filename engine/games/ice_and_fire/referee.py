"""The conversation of A Code of Ice and Fire: who is asked what, and how it ends. Bit for bit the official one."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.games.ice_and_fire.board import (
    BY_COLUMN,
    CELL_TEXT,
    CORNERS,
    MAP_CELLS,
    SECOND_CELL,
    SIZE,
    LandMap,
    cells_of,
    column_and_row,
    digits_of,
    draw_board,
    text_of,
)
from engine.games.ice_and_fire.realm import WAYS, Realm, RealmRules, Territory, Unrecognised, read_line, rules_of
from engine.text import shortened

_COLUMN_FIRST = {cell: place for place, cell in enumerate(BY_COLUMN)}
_MARKS = str.maketrans("012345", "#.oOxX")
_ROW_STARTS = MAP_CELLS[::SIZE]
_MINE, _TOWER = 1, 2  # 0 is the headquarters


def mine_spot_lines(board: LandMap) -> tuple[str, ...]:
    spots = [CELL_TEXT[cell] for cell in cells_of(board.mine_spots)]
    return str(len(spots)), *spots


def turn_lines(realm: Realm, other: Realm, income: int) -> tuple[str, ...]:
    buildings = [*_building_lines(0, realm), *_building_lines(1, other)]
    units = [*_unit_lines(0, realm), *_unit_lines(1, other)]
    return (
        *(str(realm.gold), str(income), str(other.gold), str(other.income)),
        *map_rows(realm, other),
        *(str(len(buildings)), *buildings),
        *(str(len(units)), *units),
    )


def map_rows(realm: Realm, other: Realm) -> tuple[str, ...]:
    """`#` void, `.` neutral, `O` own and active, `o` own, `X` and `x` enemy."""
    digits = realm.board.floor_digits
    digits += digits_of(realm.land.owned) + digits_of(realm.land.active)
    digits += 3 * digits_of(other.land.owned) + digits_of(other.land.active)
    text = text_of(digits).translate(_MARKS)
    return tuple(text[start : start + SIZE] for start in _ROW_STARTS)


def _building_lines(owner: int, realm: Realm) -> Iterator[str]:
    yield f"{owner} 0 {CELL_TEXT[realm.land.headquarters]}"
    for kind, cells in ((_MINE, realm.mines), (_TOWER, realm.towers)):
        for cell in sorted(cells_of(cells), key=_COLUMN_FIRST.__getitem__):
            yield f"{owner} {kind} {CELL_TEXT[cell]}"


def _unit_lines(owner: int, realm: Realm) -> Iterator[str]:
    for name, unit in realm.units.items():
        yield f"{owner} {name} {unit.level} {CELL_TEXT[unit.cell]}"


LAST_TURN = 100  # of each player
LOST = -1  # the score of a player whose headquarters fell, who wrote no command or did not answer


def referee(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    return war(*start(seed, rules_level), limits)


def war(zero: Realm, one: Realm, limits: TimeLimits) -> Referee:
    """Play all turns from a position before the turn of seat 0."""
    for turn in range(1, LAST_TURN + 1):
        for seat, realm, other in ((0, zero, one), (1, one, zero)):
            answer = yield _ask(turn, seat, realm, other, limits)
            if answer is None:
                return _lost(seat, other, "timeout", NO_ANSWER)
            try:
                actions = read_line(answer)
            except Unrecognised as unrecognised:
                return _lost(seat, other, "unrecognised", _illegal(str(unrecognised)))
            for action in actions:
                action(realm, other)
                if other.has_fallen:
                    return _lost(1 - seat, realm, "hq", OK)
    return Outcome((zero.power, one.power), "turns", (OK, OK))


def _ask(turn: int, seat: int, realm: Realm, other: Realm, limits: TimeLimits) -> Ask:
    income = realm.begin_turn()
    lines = turn_lines(realm, other, income)
    if turn == 1:
        return Ask(seat, mine_spot_lines(realm.board) + lines, limits.first_ms)
    return Ask(seat, lines, limits.turn_ms)


Found: TypeAlias = Callable[[LandMap, RealmRules, tuple[int, ...], Territory, Iterator[int]], Realm]
"""Makes a realm of the map, the rules, the ways that its units try, its land, and where units get their ids."""


def start(seed: int, rules_level: int, found: Found = Realm) -> tuple[Realm, Realm]:
    """`found`: makes each realm, that of seat 0 first."""
    rules = rules_of(rules_level)
    board = draw_board(seed, rules.mines)
    ids = count(1)
    zero, one = CORNERS
    return (
        found(board, rules, WAYS[0], Territory(zero, 1 << zero), ids),
        found(board, rules, WAYS[1], Territory(one, 1 << one | 1 << SECOND_CELL), ids),
    )


def map_facts(seed: int, rules_level: int) -> dict[str, object]:
    """Mine spots only in leagues with mines."""
    zero, one = start(seed, rules_level)
    facts: dict[str, object] = {"map": list(map_rows(zero, one))}
    if zero.rules.mines:
        facts["mine_spots"] = [list(column_and_row(cell)) for cell in cells_of(zero.board.mine_spots)]
    return facts


def draw_map(seed: int, rules_level: int) -> tuple[str, ...]:
    """12 rows as seat 0 is sent them at first, with `$` for a mine spot."""
    zero, one = start(seed, rules_level)
    rows = [list(row) for row in map_rows(zero, one)]
    for x, y in map(column_and_row, cells_of(zero.board.mine_spots)):
        rows[y][x] = "$"
    return tuple(map("".join, rows))


def _illegal(piece: str) -> SeatVerdict:
    if not piece:
        return SeatVerdict(Verdict.ILLEGAL, "wrote an empty command")
    return SeatVerdict(Verdict.ILLEGAL, f"wrote an unknown command: `{shortened(piece)}`")


def _lost(seat: int, winner: Realm, reason: str, verdict: SeatVerdict) -> Outcome:
    """The winner gets its power."""
    if seat == 0:
        return Outcome((LOST, winner.power), reason, (verdict, OK))
    return Outcome((winner.power, LOST), reason, (OK, verdict))
