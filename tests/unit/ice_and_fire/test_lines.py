"""What a bot of A Code of Ice and Fire reads, and how its lines are read; see positions for the map."""

import pytest

from engine.conversation import OK, SeatVerdict, Verdict
from engine.games.ice_and_fire.realm import read_line
from engine.games.ice_and_fire.referee import referee, war
from tests.unit.conversations import converse
from tests.unit.ice_and_fire.positions import LIMITS, SEED, army, do, ended, position, row, settle

# Section 3: what a bot reads


def test_the_first_questions() -> None:
    """Mine spots once for each player, by y and x; gold after the first income; the map from the reader's side."""
    (first, second, third), _ = converse(referee(SEED, 4, LIMITS), ["WAIT", "WAIT"])
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
    (first, second), _ = converse(referee(SEED, level, LIMITS), ["WAIT"])
    assert first.lines[:2] == ("0", "21")
    assert second.lines[:2] == ("0", "22")


def test_a_position_as_it_is_sent() -> None:
    """Marks of the map; buildings by owner, type, x, y, also those that are cut off; units by owner and id."""
    zero, one = position()
    settle(one, row(9, [8, 9, 10]), {(11, 9): 2})
    settle(zero, [(2, 2), (3, 2)], {(0, 1): 1, (1, 1): 3}, mines=[(1, 0), (6, 2)], towers=[(2, 1), (0, 2)])
    settle(one, mines=[(5, 9)], towers=[(9, 8)])
    lines = converse(war(zero, one, LIMITS), ["WAIT"])[0][1].lines[13:]
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
        *("", " ", "\t", ";WAIT", "WAIT; ", "WAIT;;WAIT", "wait", "WAIT 1", "MSG", "MSG ", "MSG\ta", "MSG a;b"),
        *("WAIT,WAIT", "MOVE", "MOVE 1 2", "MOVE 1 2 3 4", "MOVE  1 2 3", "MOVE 1\t2 3", "MOVE 1 -1 0"),
        *("MOVE +1 1 1", "MOVE 1.0 1 1", "MOVE 0x1 1 1", "MOVE 1_0 1 1", "MOVE 1 1 \u0661", "MOVE 1 1 \uff11"),
        *("MOVE a b c", "move 1 1 1", "MOVE 1 1 \u00b2", "TRAIN 1 1", "TRAIN 1 1 1 1", "TRAIN -1 1 1"),
        *("TRAIN 1 1 2147483648", "TRAIN 1 1 " + "9" * 5000, "BUILD mine 1 0", "BUILD HQ 1 1", "BUILD MINE 1"),
        *("BUILD MINE 1 1 1", "BUILD 1 1", "BUILD", "\xa0WAIT", "WAIT\xa0", "\ufeffWAIT", "WAIT\x85", "WAIT\u2028"),
    ],
)
def test_lines_that_lose(line: str) -> None:
    """Every piece has to be a command, whatever Python's own numbers and blanks are."""
    outcome = ended(referee(SEED, 4, LIMITS), line)
    assert (outcome.scores, outcome.reason) == ((-1, 20), "unrecognised")
    assert outcome.verdicts[0].verdict == Verdict.ILLEGAL
    assert outcome.verdicts[1] == OK


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("WAIT;MOVE 1 2;WAIT", "wrote an unknown command: `MOVE 1 2`"),
        ("WAIT;;WAIT", "wrote an empty command"),
        ("a\x00b", "wrote an unknown command: `a\\x00b`"),
    ],
)
def test_a_bad_command_loses_with_a_message_that_says_why(line: str, message: str) -> None:
    outcome = ended(referee(SEED, 4, LIMITS), "WAIT", "WAIT", "WAIT", line)
    assert outcome.verdicts == (OK, SeatVerdict(Verdict.ILLEGAL, message))


def test_nothing_of_a_line_with_an_unknown_command_is_carried_out() -> None:
    """Not even what would have won before it."""
    zero, one = position()
    settle(zero, units={(10, 11): 1})
    settle(zero, row(2, range(3, 9)))
    outcome = ended(war(zero, one, LIMITS), "MOVE 1 11 11;FOO")
    assert outcome.reason == "unrecognised"
    assert not one.has_fallen


@pytest.mark.parametrize(
    "piece",
    [
        *("TRAIN 1 12 0", "TRAIN 1 0 12", "TRAIN 1 2147483647 0", "TRAIN 1 3 0", "TRAIN 0 0 1", "TRAIN 4 0 1"),
        *("MOVE 1 12 0", "MOVE 1 3 0", "MOVE 0 1 1", "MOVE 9 1 1", "MOVE 2 0 1", "BUILD MINE 3 0"),
        "BUILD TOWER 0 12",
    ],
)
def test_targets_levels_and_units_that_are_not_there_are_ignored(piece: str) -> None:
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
