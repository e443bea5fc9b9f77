"""The test referees say the same: in Java, in Python, in C, and as a game in Python."""

import pickle
import subprocess
from pathlib import Path

import pytest

from engine.games.game_folder import load_game
from tests.referees.as_game import as_game
from tests.referees.compiled import HERE, referees
from tests.referees.driver import Heard, game_match, hash_match, sdk_match

JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "foragers.jar")
PYTHON = ("python3", "-I", "-S", "foragers.py")
SDK_CLASS = "com.codingame.gameengine.core.RefereeMain"
EVERYTHING = {"bushes": 5, "rounds": 9, "lines": 2, "news": 1, "thorns": 1, "starve": 4}
PLAIN: dict[str, int] = {}


@pytest.fixture(scope="session")
def folder() -> Path:
    return referees()


def pickers(seat: int, turn: int, lines: int) -> list[str]:
    numbers = [(7 * turn + 3 * seat + 2 * line) % 6 for line in range(lines)]
    return ["WAIT" if number == 5 else f"PICK {number}" for number in numbers]


def failing(seat: int, turn: int, lines: int) -> list[str] | None:
    if (seat, turn) == (1, 2):
        return None
    return ["PLEASE"] * lines if (seat, turn) == (2, 3) else pickers(seat, turn, lines)


def in_java(folder: Path, players: int, seed: int, parameters: dict[str, int], level: int = 19) -> Heard:
    command = (*JAVA, f"-Dleague.level={level}", SDK_CLASS)
    return sdk_match(command, folder, players, {"seed": seed, **parameters}, failing)


def in_python(folder: Path, players: int, seed: int, parameters: dict[str, int]) -> Heard:
    return sdk_match(PYTHON, folder, players, {"seed": seed, **parameters}, failing)


def in_c(folder: Path, players: int, seed: int | None, parameters: dict[str, int]) -> Heard:
    words = [f"{name}={value}" for name, value in parameters.items()]
    return hash_match(("./foragers", *words), folder, players, seed, failing)


@pytest.mark.parametrize(("players", "seed", "parameters"), [(2, 2**31 - 1, PLAIN), (4, 5, EVERYTHING)])
def test_three_programs_ask_and_end_the_same(folder: Path, players: int, seed: int, parameters: dict[str, int]) -> None:
    java, python, c = (play(folder, players, seed, parameters) for play in (in_java, in_python, in_c))
    assert len(java.asked) >= 5
    assert java == python
    assert java.questions == c.questions
    assert java.places == c.places


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, -7), (4, 2**63 - 1)])
def test_the_game_in_python_asks_the_same_and_ends_the_same(folder: Path, players: int, seed: int) -> None:
    builtin = game_match(load_game(HERE / "foragers"), players, seed, failing)
    program = in_python(folder, players, seed, PLAIN)
    assert (builtin.asked, builtin.scores) == (program.asked, program.scores)


def test_the_level_of_the_league_reaches_the_rules(folder: Path) -> None:
    """It is a system property in Java, and a parameter elsewhere."""
    java = in_java(folder, 2, 3, PLAIN, level=1)
    assert java.asked == in_python(folder, 2, 3, {"level": 1}).asked
    assert java.asked != in_python(folder, 2, 3, PLAIN).asked


def test_a_bank_shrinks_by_what_is_reported_and_a_limit_has_50_ms_of_grace(folder: Path) -> None:
    limits = {}
    for name, parameters in {
        "plain": {"monitoring": 0},
        "grace": {"monitoring": 1},
        "bank": {"monitoring": 1, "bank_ms": 20},
        "strikes": {"monitoring": 1, "strikes": 1, "turn_ms": 5},
    }.items():
        heard = sdk_match(PYTHON, folder, 2, {"seed": 1, **parameters}, pickers, took_ms=7)
        limits[name] = [asked.limit_ms for asked in heard.asked if asked.seat == 0]
        assert heard.scores[0] == -1 if name in {"bank", "strikes"} else heard.scores[0] > 0
    assert limits["plain"][:2] == [1000, 50]
    assert limits["grace"][:2] == [1050, 100]
    assert limits["bank"] == [20, 13, 6]
    assert limits["strikes"] == [1050, 55, 55]


def test_what_people_see_is_there(folder: Path) -> None:
    """Views, summaries, tooltips of those who failed, all parameters, and a line of figures."""
    heard = in_python(folder, 3, 11, {"news": 1})
    assert len(heard.all_of("VIEW")) == 2 * sum(name == "VIEW" for name, _ in heard.blocks)
    assert heard.all_of("SUMMARY")[0].startswith("$0 ")
    assert heard.all_of("TOOLTIP") == ["$1 no answer in time", "1", "$2 said no PICK and no WAIT", "2"]
    assert heard.parameters == {"seed": "11", "news": "1"}
    assert heard.all_of("METADATA") == [f'{{"berries":"{sum(heard.scores)}"}}']


def test_matches_that_do_not_repeat_are_to_be_had(folder: Path) -> None:
    first, second = (in_python(folder, 2, 1, {"draw": 1}) for _ in range(2))
    assert first.asked != second.asked
    secret = int(first.parameters["secret"])
    assert in_python(folder, 2, 1, {"draw": 1, "secret": secret}).asked == first.asked
    for parameters in ({"chaos": 1}, {"hash_order": 1, "bushes": 20}):
        assert in_python(folder, 2, 1, parameters).asked != in_python(folder, 2, 1, parameters).asked
    assert in_python(folder, 2, 1, {"no_seed": 1}).asked == in_python(folder, 2, 2, {"no_seed": 1}).asked
    for play in (in_java, in_python):
        assert play(folder, 2, 2**40, {"int_seed": 1}).all_of("FAIL")


def test_a_referee_without_seeds_takes_one_for_an_error(folder: Path) -> None:
    assert in_c(folder, 2, 1, {"unseeded": 1}).places == ()
    assert in_c(folder, 2, None, {"unseeded": 1}).asked != in_c(folder, 2, None, {"unseeded": 1}).asked


def test_the_jar_itself_starts_the_bots(folder: Path) -> None:
    words = [*JAVA[:3], "-jar", "foragers.jar", "-p1", "yes 'PICK 0'", "-p2", "yes NO", "-s", "-seed", "1"]
    outer = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    heard = sdk_match(PYTHON, folder, 2, {"seed": 1}, lambda seat, *_: ["NO" if seat else "PICK 0"])
    assert tuple(map(int, outer.stdout.split())) == heard.scores


def test_a_game_whose_referee_is_a_program_goes_to_other_processes(folder: Path, tmp_path: Path) -> None:
    """As `ladder play` sends it where several matches are played side by side."""
    game = as_game(tmp_path / "game", folder, {"rounds": 3})
    assert pickle.loads(pickle.dumps(game)) == game  # noqa: S301 - our own
