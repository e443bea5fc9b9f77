"""Positions for tests of A Code of Ice and Fire, on the map of seed 5, and what becomes of them.

   0           11                0           11                0           11
0  O$.#########      4  ....$.$.....      8   #...$.......    $ a mine spot
1  .....#######      5  .$..........      9   ##...$......
2  ......$...##      6  ..........$.      10  #######....X
3  .......$...#      7  .....$.$....      11  #########.$X
"""

from collections.abc import Iterable

from engine.conversation import Outcome, Referee, TimeLimits
from engine.games.ice_and_fire.board import cell_at, cells_of, column_and_row
from engine.games.ice_and_fire.realm import Realm, read_line
from engine.games.ice_and_fire.referee import start
from tests.unit.conversations import converse

Place = tuple[int, int]
SEED = 5
LIMITS = TimeLimits(1000, 50)


def position(level: int = 4, *, gold: int = 1000) -> tuple[Realm, Realm]:
    zero, one = start(SEED, level)
    zero.gold = one.gold = gold
    return zero, one


def settle(
    realm: Realm,
    land: Iterable[Place] = (),
    units: dict[Place, int] | None = None,
    mines: Iterable[Place] = (),
    towers: Iterable[Place] = (),
) -> None:
    """Give a player cells, and units (by their levels) and buildings, with the cells that these stand on."""
    for place in (*land, *mines, *towers):
        realm.land.gain(cell_at(*place))
    for place, level in (units or {}).items():
        realm.add_unit(level, cell_at(*place))
    realm.tired.clear()
    for place in mines:
        realm.mines |= 1 << cell_at(*place)
    for place in towers:
        realm.towers |= 1 << cell_at(*place)
    realm.occupied |= realm.mines | realm.towers


def do(line: str, own: Realm, other: Realm) -> None:
    for action in read_line(line):
        action(own, other)


def places(cells: int) -> set[Place]:
    return set(map(column_and_row, cells_of(cells)))


def army(realm: Realm) -> dict[int, tuple[int, Place]]:
    return {name: (unit.level, column_and_row(unit.cell)) for name, unit in realm.units.items()}


def row(y: int, columns: Iterable[int]) -> list[Place]:
    return [(x, y) for x in columns]


def ended(conversation: Referee, *answers: str | None) -> Outcome:
    asks, outcome = converse(conversation, answers)
    assert outcome is not None
    assert len(asks) == len(answers)
    return outcome
