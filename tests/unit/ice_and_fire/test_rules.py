"""The rules of A Code of Ice and Fire, sentence by sentence, on the map of seed 5.

   0           11                0           11                0           11
0  O$.#########      4  ....$.$.....      8   #...$.......    $ a mine spot
1  .....#######      5  .$..........      9   ##...$......
2  ......$...##      6  ..........$.      10  #######....X
3  .......$...#      7  .....$.$....      11  #########.$X
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, Verdict
from engine.games.ice_and_fire.board import cell_at, cells_of, column_and_row
from engine.games.ice_and_fire.commands import read_line
from engine.games.ice_and_fire.realm import Realm
from engine.games.ice_and_fire.referee import referee, start, war

Place = tuple[int, int]
SEED = 5


def position(level: int = 4, *, gold: int = 1000) -> tuple[Realm, Realm]:
    """The start of a game, with gold enough for anything; what belongs to whom is added by `settle`."""
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
    """Carry out a line."""
    for action in read_line(line):
        action(own, other)


def places(cells: int) -> set[Place]:
    """A set of cells as coordinates."""
    return set(map(column_and_row, cells_of(cells)))


def army(realm: Realm) -> dict[int, tuple[int, Place]]:
    """Level and place of every unit."""
    return {name: (unit.level, column_and_row(unit.cell)) for name, unit in realm.units.items()}


def row(y: int, columns: Iterable[int]) -> list[Place]:
    """Some cells of one row."""
    return [(x, y) for x in columns]


def converse(conversation: Referee, answers: Iterable[str | None]) -> tuple[list[Ask], Outcome | None]:
    """Give the answers until they or the game are at an end; return all questions, and the outcome if there is one."""
    asks: list[Ask] = []
    try:
        asks.append(next(conversation))
        for answer in answers:
            asks.append(conversation.send(answer))  # noqa: PERF401 - the game may end in the middle
    except StopIteration as stop:
        return asks, stop.value
    return asks, None


def ended(conversation: Referee, *answers: str | None) -> Outcome:
    """The outcome of a game that ends with the last answer, and not before."""
    asks, outcome = converse(conversation, answers)
    assert outcome is not None
    assert len(asks) == len(answers)
    return outcome


# Section 3: what a bot reads


def test_the_first_questions() -> None:
    """Mine spots once for each player, by y and x; gold after the first income; the map from the reader's side."""
    (first, second, third), _ = converse(referee(SEED, 4), ["WAIT", "WAIT"])
    spots = ("12", "1 0", "6 2", "7 3", "4 4", "6 4", "1 5", "10 6", "5 7", "7 7", "4 8", "5 9", "10 11")
    assert (first.seat, first.limit_ms, first.lines[:13]) == (0, 1000, spots)
    assert first.lines[13:18] == ("21", "1", "20", "2", "O..#########")
    assert first.lines[27:] == ("#######....X", "#########..X", "2", "0 0 0 0", "1 0 11 11", "0")
    assert (second.seat, second.limit_ms, second.lines[:13]) == (1, 1000, spots)
    assert second.lines[13:18] == ("22", "2", "21", "1", "X..#########")
    assert second.lines[27:] == ("#######....O", "#########..O", "2", "0 0 11 11", "1 0 0 0", "0")
    assert (third.seat, third.limit_ms, len(third.lines)) == (0, 50, 20)
    assert third.lines[:5] == ("22", "1", "22", "2", "O..#########")


@pytest.mark.parametrize("level", [1, 2])
def test_leagues_without_mines_say_zero_spots(level: int) -> None:
    """One line, in both players' first question."""
    (first, second), _ = converse(referee(SEED, level), ["WAIT"])
    assert first.lines[:2] == ("0", "21")
    assert second.lines[:2] == ("0", "22")


def test_a_position_as_it_is_sent() -> None:
    """Marks of the map; buildings by owner, type, x, y, also those that are cut off; units by owner and id."""
    zero, one = position()
    settle(one, row(9, [8, 9, 10]), {(11, 9): 2})
    settle(zero, [(2, 2), (3, 2)], {(0, 1): 1, (1, 1): 3}, mines=[(1, 0), (6, 2)], towers=[(2, 1), (0, 2)])
    settle(one, mines=[(5, 9)], towers=[(9, 8)])
    lines = converse(war(zero, one), ["WAIT"])[0][1].lines[13:]
    assert lines[4:16] == (
        "XX.#########",
        "XXX..#######",
        "X.XX..x...##",
        "...........#",
        *["............"] * 4,
        "#........O..",
        "##...o..OOOO",
        "#######....O",
        "#########..O",
    )
    assert lines[16:] == (
        *("8", "0 0 11 11", "0 1 5 9", "0 2 9 8"),
        *("1 0 0 0", "1 1 1 0", "1 1 6 2", "1 2 0 2", "1 2 2 1"),
        *("3", "0 1 2 11 9", "1 2 1 0 1", "1 3 3 1 1"),
    )


# Section 4: how a line is read


@pytest.mark.parametrize(
    "line", [";", ";;;", "WAIT", "WAIT;", "WAIT;;", " WAIT\t", "\x01WAIT\x1f; WAIT", "MSG hi;WAIT"]
)
def test_lines_that_pass(line: str) -> None:
    """Empty pieces at the end are dropped if there is a semicolon; blanks are all characters up to the space."""
    assert read_line(line) == []


@pytest.mark.parametrize("piece", ["MSG a", "MSG  a", "MSG \u00a0", "MSG a\u2028b", "MSG MOVE 1 2 3", "WAIT"])
def test_messages_do_nothing(piece: str) -> None:
    """Whatever is said in them."""
    assert read_line(piece) == []
    assert len(read_line(f"MOVE 1 1 1;{piece};MOVE 1 1 1")) == 2


@pytest.mark.parametrize(
    "piece",
    [
        *("MOVE 1 2 3", "TRAIN 01 1 00", "BUILD MINE 1 0", "BUILD TOWER 0 0", "\tMOVE 1 2 3 "),
        *("MOVE 2147483647 2147483647 2147483647", "TRAIN 1 1 " + "0" * 5000 + "1", "MOVE 1 1 0002147483647"),
    ],
)
def test_commands(piece: str) -> None:
    """Also with a number as large as Java's int, and with any number of leading zeros."""
    assert len(read_line(piece)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "\t",
        ";WAIT",
        "WAIT; ",
        "WAIT;;WAIT",
        "wait",
        "WAIT 1",
        "MSG",
        "MSG ",
        "MSG\ta",
        "MSG a;b",
        "WAIT,WAIT",
        "MOVE",
        "MOVE 1 2",
        "MOVE 1 2 3 4",
        "MOVE  1 2 3",
        "MOVE 1\t2 3",
        "MOVE 1 -1 0",
        "MOVE +1 1 1",
        "MOVE 1.0 1 1",
        "MOVE 0x1 1 1",
        "MOVE 1_0 1 1",
        "MOVE 1 1 \u0661",
        "MOVE 1 1 \uff11",
        "MOVE a b c",
        "move 1 1 1",
        "MOVE 1 1 \u00b2",
        "TRAIN 1 1",
        "TRAIN 1 1 1 1",
        "TRAIN -1 1 1",
        "TRAIN 1 1 2147483648",
        "TRAIN 1 1 " + "9" * 5000,
        "BUILD mine 1 0",
        "BUILD HQ 1 1",
        "BUILD MINE 1",
        "BUILD MINE 1 1 1",
        "BUILD 1 1",
        "BUILD",
        "\xa0WAIT",
        "WAIT\xa0",
        "\ufeffWAIT",
        "WAIT\x85",
        "WAIT\u2028",
    ],
)
def test_lines_that_lose(line: str) -> None:
    """Every piece has to be a command, whatever Python's own numbers and blanks are."""
    outcome = ended(referee(SEED, 4), line)
    assert (outcome.scores, outcome.reason) == ((-1, 20), "unrecognised")
    assert outcome.verdicts[0].verdict == Verdict.ILLEGAL
    assert outcome.verdicts[1] == OK


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("WAIT;MOVE 1 2;WAIT", "wrote an unknown command on turn 2: `MOVE 1 2`"),
        ("WAIT;;WAIT", "wrote an empty command on turn 2"),
        ("a\x00b", "wrote an unknown command on turn 2: `a\\x00b`"),
    ],
)
def test_what_people_are_told(line: str, message: str) -> None:
    """The piece, and the turn of that player."""
    outcome = ended(referee(SEED, 4), "WAIT", "WAIT", "WAIT", line)
    assert outcome.verdicts == (OK, SeatVerdict(Verdict.ILLEGAL, message))


def test_nothing_of_a_line_with_an_unknown_command_is_carried_out() -> None:
    """Not even what would have won before it."""
    zero, one = position()
    settle(zero, units={(10, 11): 1})
    settle(zero, row(2, range(3, 9)))
    outcome = ended(war(zero, one), "MOVE 1 11 11;FOO")
    assert outcome.reason == "unrecognised"
    assert not one.has_fallen


@pytest.mark.parametrize(
    "piece",
    [
        "TRAIN 1 12 0",
        "TRAIN 1 0 12",
        "TRAIN 1 2147483647 0",
        "TRAIN 1 3 0",
        "TRAIN 0 0 1",
        "TRAIN 4 0 1",
        "MOVE 1 12 0",
        "MOVE 1 3 0",
        "MOVE 0 1 1",
        "MOVE 9 1 1",
        "MOVE 2 0 1",
        "BUILD MINE 3 0",
        "BUILD TOWER 0 12",
    ],
)
def test_targets_levels_and_units_that_are_not_there_are_ignored(piece: str) -> None:
    """Off the map, void, no such level, no such unit, a unit of the enemy; the rest of the line goes on."""
    zero, one = position()
    settle(zero, units={(1, 1): 1}, land=[(0, 1)])
    settle(one, units={(10, 10): 1})
    do(f"{piece};TRAIN 1 1 0", zero, one)
    assert army(zero) == {1: (1, (1, 1)), 3: (1, (1, 0))}
    assert army(one) == {2: (1, (10, 10))}
    assert zero.gold == 990
    assert zero.mines == zero.towers == 0


@pytest.mark.parametrize("level", [2, 3])
def test_wood_3_trains_level_1_only(level: int) -> None:
    """Higher levels are ignored there and known everywhere else."""
    for rules_level, trained in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 1)]:
        zero, one = position(rules_level)
        do(f"TRAIN {level} 0 1", zero, one)
        assert len(zero.units) == trained


# Sections 1 and 5: where a unit can go

FRONT = (4, 4)


def can_train(level: int, rules_level: int = 4, **there: Any) -> bool:
    """Whether player 0 can train a unit at FRONT, beside own land, where player 1 has something."""
    zero, one = position(rules_level)
    settle(one, row(4, range(5, 11)) + [(11, y) for y in range(4, 10)])  # a connection with its headquarters
    settle(one, **there)
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    do(f"TRAIN {level} 4 4", zero, one)
    return bool(zero.land.owned >> cell_at(*FRONT) & 1)


@pytest.mark.parametrize(
    ("rules_level", "killing"),
    [(1, {(1, 1)}), (2, {(2, 1), (3, 1), (3, 2), (3, 3)}), (4, {(2, 1), (3, 1), (3, 2), (3, 3)})],
)
def test_which_unit_kills_which(rules_level: int, killing: set[tuple[int, int]]) -> None:
    """The top level of the league kills all, every other one what is below it."""
    top = max(level for level, _ in killing)
    for level in range(1, top + 1):
        for defender in range(1, top + 1):
            assert can_train(level, rules_level, units={FRONT: defender}) == ((level, defender) in killing)


@pytest.mark.parametrize(
    ("level", "there", "possible"),
    [
        (1, {}, True),
        (1, {"land": [FRONT]}, True),
        (1, {"mines": [FRONT]}, True),
        (2, {"towers": [FRONT]}, False),
        (3, {"towers": [FRONT]}, True),
        (1, {"land": [FRONT], "towers": [(5, 4)]}, False),
        (2, {"land": [FRONT], "towers": [(5, 4)]}, False),
        (3, {"land": [FRONT], "towers": [(5, 4)]}, True),
        (2, {"mines": [FRONT], "towers": [(5, 4)]}, False),
        (1, {"towers": [(5, 4)]}, True),  # the cell is neutral
        (1, {"land": [FRONT], "towers": [(5, 5)]}, True),  # diagonal
        (2, {"units": {FRONT: 1}, "towers": [(5, 4)]}, False),
    ],
)
def test_towers_keep_lower_levels_out(level: int, there: dict[str, Any], possible: bool) -> None:
    """On their own cell and on own cells beside them."""
    assert can_train(level, **there) == possible


def test_a_tower_that_is_cut_off_keeps_only_its_own_cell() -> None:
    """And no cell is protected that is cut off itself."""
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, [(4, 4)], towers=[(4, 5)])
    do("TRAIN 1 4 4;TRAIN 2 4 5", zero, one)
    assert places(zero.land.owned) & {(4, 4), (4, 5)} == {(4, 4)}
    assert places(one.towers) == {(4, 5)}
    do("TRAIN 3 4 5", zero, one)
    assert one.towers == 0


def test_a_capture_that_cuts_a_tower_off_ends_its_protection_at_once() -> None:
    """In the same line."""
    zero, one = position()
    settle(one, [(11, y) for y in range(4, 10)] + row(4, range(6, 11)) + [(4, 4)], towers=[(5, 4)])
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(zero, [(x, 3) for x in range(1, 7)])
    do("TRAIN 1 4 4", zero, one)
    assert places(zero.land.owned).isdisjoint({(4, 4)})
    do("TRAIN 3 6 4;TRAIN 1 4 4", zero, one)
    assert {(4, 4), (6, 4)} <= places(zero.land.owned)


@pytest.mark.parametrize("there", [{"units": {FRONT: 1}}, {"mines": [FRONT]}, {"towers": [FRONT]}])
def test_own_things_are_in_the_way(there: dict[str, Any]) -> None:
    """No unit is trained on them or goes there, and nothing is built."""
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(zero, units={(3, 4): 3})
    settle(zero, **there)
    before = army(zero), zero.mines, zero.towers
    do("TRAIN 3 4 4;MOVE 1 4 4;BUILD MINE 4 4;BUILD TOWER 4 4;TRAIN 1 0 0", zero, one)
    assert (army(zero), zero.mines, zero.towers) == before
    assert zero.gold == 1000


@pytest.mark.parametrize(("towers", "level", "wins"), [([], 1, True), ([(11, 10)], 2, False), ([(11, 10)], 3, True)])
def test_any_unit_takes_the_headquarters_unless_a_tower_protects_it(
    towers: list[Place], level: int, wins: bool
) -> None:
    """Then it has to be of level 3."""
    zero, one = position()
    settle(one, towers=towers)
    settle(zero, units={(10, 11): level})
    do("MOVE 1 11 11", zero, one)
    assert one.has_fallen == wins


# Section 6: MOVE


@pytest.mark.parametrize(
    ("seat", "first", "second"),
    [(0, (5, 5), (6, 6)), (1, (5, 7), (4, 6))],
)
def test_the_order_of_ways_depends_on_the_player(seat: int, first: Place, second: Place) -> None:
    """Up and right first for player 0, down and left first for player 1, where two ways are as short."""
    realms = position()
    own, other = realms[seat], realms[1 - seat]
    settle(own, units={(5, 6): 1})
    target = (8, 3) if seat == 0 else (2, 8)
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own) == {1: (1, first)}
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own) == {1: (1, first)}, "it has moved"
    own.tired.clear()
    do("MOVE 1 5 6", own, other)
    own.tired.clear()
    settle(own, units={first: 1})
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own)[1] == (1, second)


def test_there_is_no_way_around_a_blocked_cell() -> None:
    """The unit stays and can be ordered again in the same line."""
    zero, one = position()
    settle(zero, units={(5, 6): 1}, towers=[(6, 6)])
    do("MOVE 1 8 6;MOVE 1 6 6;MOVE 1 5 6;MOVE 1 5 5", zero, one)
    assert army(zero) == {1: (1, (5, 5))}


def test_void_cells_are_walked_around() -> None:
    """The way is the shortest one over the floor, whoever owns it."""
    zero, one = position()
    settle(zero, units={(2, 0): 1})
    do("MOVE 1 11 0;MOVE 1 4 1", zero, one)
    assert army(zero) == {1: (1, (2, 1))}, "11 0 is void and ignored"


def test_a_unit_that_was_trained_in_the_line_does_not_move() -> None:
    """Not even when its id is guessed right."""
    zero, one = position()
    do("TRAIN 1 0 1;MOVE 1 0 2", zero, one)
    assert army(zero) == {1: (1, (0, 1))}


@pytest.mark.parametrize("there", [{"units": {FRONT: 1}}, {"mines": [FRONT]}, {"towers": [FRONT]}, {"land": [FRONT]}])
def test_a_move_takes_the_cell_and_what_stands_on_it(there: dict[str, Any]) -> None:
    """Unit, mine or tower; the cell never becomes neutral again, and the unit may go back inside its own land."""
    zero, one = position()
    settle(zero, units={(4, 5): 3})
    settle(one, **there)
    do("MOVE 1 4 4", zero, one)
    assert army(zero) == {1: (3, FRONT)}
    assert (army(one), one.mines, one.towers) == ({}, 0, 0)
    assert FRONT in places(zero.land.owned) - places(one.land.owned)
    zero.tired.clear()
    do("MOVE 1 4 5", zero, one)
    assert {FRONT, (4, 5)} <= places(zero.land.owned)
    assert army(zero) == {1: (3, (4, 5))}


# Section 6: TRAIN and BUILD


def test_training_goes_on_from_the_frontier_that_the_last_one_opened() -> None:
    """In one line, over neutral and enemy land; ids count on for both players."""
    zero, one = position(gold=30)
    do("TRAIN 1 0 3;TRAIN 1 0 1;TRAIN 1 0 2;TRAIN 1 0 3;TRAIN 1 0 4", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 2)), 3: (1, (0, 3))}
    assert zero.gold == 0
    do("TRAIN 2 10 11", one, zero)
    assert army(one) == {4: (2, (10, 11))}
    assert one.gold == 10


@pytest.mark.parametrize(("level", "price"), [(1, 10), (2, 20), (3, 30)])
def test_prices_of_units(level: int, price: int) -> None:
    """One coin less is not enough."""
    for gold, trained in [(price - 1, 0), (price, 1)]:
        zero, one = position(gold=gold)
        do(f"TRAIN {level} 0 1", zero, one)
        assert (len(zero.units), zero.gold) == (trained, gold - price * trained)


def test_units_are_trained_on_active_land_and_beside_it() -> None:
    """Not on land that is cut off, nor beside that."""
    zero, one = position()
    settle(zero, [(0, 1), (5, 5)])
    do("TRAIN 1 5 5;TRAIN 1 5 6;TRAIN 1 0 1;TRAIN 1 0 2", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 2))}


def test_land_that_is_joined_again_is_active_at_once() -> None:
    """So training can go on from there."""
    zero, one = position()
    settle(zero, [(0, 2), (0, 3)])
    do("TRAIN 1 0 1;TRAIN 1 0 4", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 4))}


@pytest.mark.parametrize(
    ("rules_level", "command", "possible"),
    [
        *((level, "BUILD MINE 1 0", level >= 3) for level in range(1, 6)),
        *((level, "BUILD TOWER 0 1", level >= 4) for level in range(1, 6)),
        (4, "BUILD MINE 0 1", False),  # no mine spot
        (4, "BUILD TOWER 1 0", False),  # a mine spot
        (4, "BUILD TOWER 1 1", False),  # neutral
        (4, "BUILD TOWER 0 0", False),  # the headquarters
        (4, "BUILD TOWER 5 5", False),  # cut off
        (4, "BUILD MINE 5 7", False),
        (4, "BUILD TOWER 11 10", False),  # the enemy's
    ],
)
def test_buildings(rules_level: int, command: str, possible: bool) -> None:
    """Leagues, places and the flat price of 15."""
    for gold in (14, 15):
        zero, one = position(rules_level, gold=gold)
        settle(zero, [(1, 0), (0, 1), (5, 5), (5, 7)])
        do(command, zero, one)
        built = possible and gold == 15
        assert (zero.mines | zero.towers).bit_count() == built
        assert zero.gold == (0 if built else gold)


def test_several_buildings_in_one_turn() -> None:
    """Each for 15."""
    zero, one = position(gold=50)
    settle(zero, [(1, 0), (0, 1), (0, 2), (0, 3)])
    do("BUILD TOWER 0 1;BUILD MINE 1 0;BUILD TOWER 0 1;BUILD TOWER 0 2;BUILD TOWER 0 3", zero, one)
    assert places(zero.mines) == {(1, 0)}
    assert places(zero.towers) == {(0, 1), (0, 2)}
    assert zero.gold == 5


# Section 7: the beginning of a turn


def test_income() -> None:
    """Active cells, 4 for each active mine, less upkeep of units on active cells."""
    zero, one = position()
    settle(zero, [(1, 1), (2, 2), (5, 5)], {(0, 1): 1, (0, 2): 2, (1, 2): 3, (5, 6): 3}, mines=[(1, 0), (5, 7)])
    assert zero.income == 7 + 4 - 1 - 4 - 20
    assert one.income == 2


def test_cut_off_units_die_when_their_owner_s_turn_begins() -> None:
    """Not before; their cells stay, and neither earn nor cost. They count as power until then."""
    zero, one = position(gold=0)
    settle(zero, units={(0, 1): 1, (5, 5): 2})
    settle(one, units={(10, 11): 1, (5, 6): 3})
    assert (zero.power, one.power) == (30, 40)
    asks, _ = converse(war(zero, one), ["WAIT"])
    assert [ask.lines[-2:] for ask in asks] == [("1 3 1 10 11", "1 4 3 5 6"), ("0 3 1 10 11", "1 1 1 0 1")]
    assert (zero.gold, one.gold) == (1, 2)
    assert (5, 5) in places(zero.land.owned)


def test_a_unit_that_is_cut_off_still_blocks() -> None:
    """Until its owner's turn."""
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, units={(4, 4): 2})
    do("TRAIN 1 4 4;TRAIN 2 4 4", zero, one)
    assert army(zero) == {}
    one.begin_turn()
    do("TRAIN 1 4 4", zero, one)
    assert army(zero) == {2: (1, (4, 4))}


def test_debts_kill_all_units_and_the_income_shown_is_the_old_one() -> None:
    """It is right again when the opponent is asked."""
    zero, one = position(gold=16)
    settle(zero, units={(0, 1): 3, (1, 1): 1})
    asks, _ = converse(war(zero, one), ["WAIT"])
    assert asks[0].lines[13:17] == ("0", "-18", "16", "2")
    assert asks[0].lines[-1] == "0"
    assert asks[1].lines[13:17] == ("18", "2", "0", "3")


def test_no_gold_at_all_is_no_debt() -> None:
    """Exactly zero after the upkeep."""
    zero, one = position(gold=18)
    settle(zero, units={(0, 1): 3})
    settle(one, units={(10, 11): 3, (10, 10): 3})
    asks, _ = converse(war(zero, one), ["WAIT"])
    assert asks[0].lines[13:15] == ("0", "-18")
    assert len(zero.units) == 1
    assert asks[1].lines[13:15] == ("0", "-36")
    assert len(one.units) == 0


def test_all_units_may_move_again_on_the_next_turn() -> None:
    """Also those that were trained on the last one."""
    zero, one = position()
    answers = ["TRAIN 1 0 1", "WAIT", "MOVE 1 0 2", "WAIT", "MOVE 1 0 3;MOVE 1 0 4"]
    converse(war(zero, one), answers)
    assert army(zero) == {1: (1, (0, 3))}


# Section 8: the end


def test_waiting_to_the_end() -> None:
    """100 turns each; the second player's second cell wins."""
    asks, outcome = converse(referee(SEED, 4), ["WAIT"] * 201)
    assert len(asks) == 200
    assert outcome == Outcome((120, 220), "turns", (OK, OK))


def test_equal_power_at_the_end_is_a_draw() -> None:
    """Gold and the prices of the units on the map; no income is paid any more, and nobody dies."""
    zero, one = position(gold=0)
    settle(zero, units={(0, 1): 1})
    answers = ["WAIT", "WAIT"] * 99 + ["WAIT"]
    conversation = war(zero, one)
    converse(conversation, answers)
    zero.gold, one.gold = 5, 5
    settle(one, units={(5, 5): 1})  # it has no connection
    with pytest.raises(StopIteration) as stop:
        conversation.send("WAIT")
    assert stop.value.value == Outcome((15, 15), "turns", (OK, OK))
    assert stop.value.value.winner is None


@pytest.mark.parametrize("seat", [0, 1])
def test_a_taken_headquarters_ends_the_game_at_once(seat: int) -> None:
    """The rest of the line is ignored; the loser is not at fault; the winner's score is his power."""
    realms = position(gold=100)
    own, other = realms[seat], realms[1 - seat]
    x, y, beside = (11, 11, (10, 11)) if seat == 0 else (0, 0, (0, 1))
    settle(own, units={beside: 1})
    road = ["WAIT"] * seat
    own.land.gain(own.land.headquarters)
    # The unit stands alone, so that it has to be joined with its headquarters to survive.
    for cell in cells_of(own.board.floor):
        if cell != other.land.headquarters:
            other.land.owned &= ~(1 << cell)
            own.land.gain(cell)
    outcome = ended(war(*realms), *road, f"MOVE 1 {x} {y};TRAIN 1 5 5")
    income = own.board.floor.bit_count() - 1 - 1
    expected = [-1, -1]
    expected[seat] = 100 + income + 10
    assert outcome == Outcome((expected[0], expected[1]), "hq", (OK, OK))


def test_a_chain_of_trainings_reaches_the_headquarters_in_one_line() -> None:
    """If there is gold enough."""
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(12)), *((11, y) for y in range(5, 8))])
    outcome = ended(war(zero, one), "TRAIN 1 11 8;TRAIN 1 11 9;TRAIN 1 11 10;TRAIN 1 11 11;TRAIN 1 0 1")
    assert outcome.reason == "hq"
    assert outcome.scores == (1000 + 19, -1)


@pytest.mark.parametrize("seat", [0, 1])
def test_no_answer_loses(seat: int) -> None:
    """The other player gets its power."""
    outcome = ended(referee(SEED, 4), *["WAIT"] * seat, None)
    expected = ((-1, 20), (NO_ANSWER, OK)) if seat == 0 else ((21, -1), (OK, NO_ANSWER))
    assert outcome == Outcome(expected[0], "timeout", expected[1])
