"""The program reads in what the command line names, and nothing else; and what a shell completes."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from cli.program.assembly import named_in, program
from cli.program.command_list import COMMANDS, SECTIONS, CommandGroup
from engine.boxes import AUTO
from engine.game import Games
from engine.sandbox.choice import TIERS
from engine.toolchains.languages import languages
from ladder.access import Actor, Role
from ladder.actions.games import remove
from ladder.database.connection import Pool
from ladder.games.catalogue import GamesOfLadder
from tests.acceptance.conftest import LADDER, NO_BROKER, Desk, completed
from tests.catalogue import GAMES
from tests.ladder.test_games import added
from tests.processes import finished
from tests.web.serving import KEY, serving

READ_IN = """
import contextlib, io, json, os, sys
from cli.run import run
for words in json.loads(sys.argv[1]):
    if os.fork() == 0:
        with contextlib.redirect_stdout(io.StringIO()):
            run(words)
        print(*sorted(name for name in sys.modules if name.startswith("cli.")), flush=True)
        os._exit(0)
    os.wait()
"""


def read_in(*commands: Sequence[str]) -> list[set[str]]:
    """Return the modules with commands that each of these reads in, each in a process that has read in none."""
    done = finished([sys.executable, "-c", READ_IN, json.dumps(commands)])
    homes = {place.partition(":")[0] for place in every_place()}
    found = [homes & set(line.split()) for line in done.stdout.splitlines()]
    assert len(found) == len(commands), done.stderr
    return found


def every_place() -> Iterator[str]:
    for found in COMMANDS.values():
        yield from found.commands.values() if isinstance(found, CommandGroup) else [found]


def test_for_a_command_only_its_own_module_is_read_in_and_for_lists_of_commands_and_unknown_words_none() -> None:
    found = read_in(["game", "list"], ["match", "input", "--help"], ["--debug", "board", "--help"])
    assert found == [{"cli.game.commands"}, {"cli.match.show"}, {"cli.board"}]
    none = (["--help"], ["bord"], ["match", "--help"], ["match", "lst"], ["match"])
    assert read_in(*none) == [set()] * len(none)


def test_the_list_of_commands_says_of_each_what_the_command_says_of_itself() -> None:
    require_alike(get_command(program("")), get_command(program()))


@pytest.mark.parametrize("name", [name for name, found in COMMANDS.items() if isinstance(found, CommandGroup)])
def test_the_list_of_a_groups_commands_does_so_too(name: str) -> None:
    groups = [get_command(app) for app in (program(name, ""), program())]
    assert all(isinstance(group, TyperGroup) for group in groups)
    require_alike(*(group.commands[name] for group in groups if isinstance(group, TyperGroup)))


def test_help_lists_each_command_once_by_what_it_is_for() -> None:
    names = [name for names in SECTIONS.values() for name in names]
    assert sorted(names) == sorted(COMMANDS)
    printed = finished([LADDER, "--help"]).stdout
    places = [printed.index(f"\n{section}:\n") for section in SECTIONS]
    assert places == sorted(places)
    assert re.findall(r"^  ([a-z]+) ", printed[places[0] :], re.MULTILINE) == names


def require_alike(listed: object, real: object) -> None:
    assert isinstance(listed, TyperGroup)
    assert isinstance(real, TyperGroup)
    assert list(listed.commands) == list(real.commands), "in one order"
    for name, command in real.commands.items():
        assert listed.commands[name].get_short_help_str(200) == command.get_short_help_str(200), name


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["board"], ("board", "")),
        (["--debug", "board", "--json"], ("board", "")),
        (["submit", "bot.py", "--bot", "board"], ("submit", "")),
        (["--server", "board", "match", "--server", "x", "list"], ("match", "list")),
        (["match", "list", "show"], ("match", "list")),
        (["match", "--help", "list"], ("match", "")),
        (["match", "lst"], ("match", "")),
        (["match"], ("match", "")),
        (["import", "cgarena"], ("import", "cgarena")),
        (["import", "folder"], ("import", "export")),
        (["--help"], ("", "")),
        (["--help", "board"], ("", "")),
        (["bord", "list"], ("", "")),
        ([], ("", "")),
    ],
)
def test_a_command_is_the_first_word_or_in_a_group_two(words: list[str], command: tuple[str, str]) -> None:
    assert named_in(words) == command


def test_every_command_is_where_the_table_says() -> None:
    assert COMMANDS
    for place in every_place():
        module, _, name = place.partition(":")
        assert hasattr(import_module(module), name)


ALL_LEAGUES = {league.name for game in GAMES.all for league in game.leagues}


def test_known_names_are_completed(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    for words, found in (
        (("board", "--game", ""), set(GAMES.names)),
        (("submit", "kraken.cpp", "--game", "oc"), {"ocean-of-code"}),
        (("play", ""), set(GAMES.names)),
        (("league", "show", "ice"), {"ice-and-fire"}),
        (("board", "--league", ""), ALL_LEAGUES),
        (("board", "--game", "ocean-of-code", "--league", "wood"), {"wood-1", "wood-2"}),
        (("game", "show", "ice-and-fire", "--league", "wood"), {"wood-1", "wood-2", "wood-3"}),
        (("board", "--game", "chess", "--league", ""), ALL_LEAGUES),
        (("submit", "kraken.cpp", "--language", ""), set(languages())),
        (("play", "--sandbox", ""), {AUTO, *TIERS}),
        (("play", "ocean-of-code", "nemo.py", "boss-wood"), {"boss-wood-1", "boss-wood-2"}),
        (("gauntlet", "run", "kraken@v8", "--sandbox", "none"), {"none"}),
        (("board", "--game", "x"), set()),
    ):
        assert completed(desk, capfd, *words) == found, words
    assert not desk.home.exists()


@pytest.mark.parametrize(
    ("words", "place", "found"),
    [
        ("match show play :", 4, "1 2"),
        ("match show local : 1", 5, "12 11"),
        ("match compare play : 1 local :", 7, "12 11"),
        ("match compare play : 1 pl", 6, "play:1 play:2"),
    ],
)
def test_bash_completes_local_matches_despite_colons(desk: Desk, words: str, place: int, found: str) -> None:
    (desk.home / "played").mkdir(parents=True)
    for number in (11, 12):
        (desk.home / "played" / f"{number}.match").touch()
    lines = (
        f'eval "$(_LADDER_COMPLETE=source_bash {LADDER})"',
        f"COMP_WORDS=(ladder {words})",
        f"COMP_CWORD={place}",
        f"_ladder_completion {LADDER}",
        'echo "${COMPREPLY[@]}"',
    )
    done = finished(["bash", "-c", "\n".join(lines)], env=desk.full_environment())
    assert (done.stdout, done.stderr) == (f"{found}\n", "")


def test_games_of_the_ladder_and_their_leagues_are_completed_until_they_are_removed(
    pool: Pool, broker_url: str, desk: Desk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    added(pool, tmp_path)
    for words in (
        ("board", "--game", "tr"),
        ("game", "show", "tr"),
        ("play", "tr"),
        ("game", "remove", "tr"),
        ("game", "check", "tr"),
    ):
        assert completed(desk, capfd, *words) == {"tron"}
    assert completed(desk, capfd, "board", "--game", "tron", "--league", "") == {"arena"}
    assert completed(desk, capfd, "game", "show", "") == {*GAMES.names, "tron"}
    remove(Actor("olga", Role.OPERATOR), pool, "tron")
    assert completed(desk, capfd, "game", "show", "tr") == set()


def test_games_that_only_a_server_has_are_completed_where_it_is_meant(
    pool: Pool, desk: Desk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    added(pool, tmp_path)
    games = Games(GAMES.here, {}, GamesOfLadder(pool.connection))
    with serving(pool, games=games) as site:
        there = Desk(desk.home, {"LADDER_SERVER": site.address, "LADDER_TOKEN": KEY.text})
        assert completed(there, capfd, "board", "--game", "tr") == {"tron"}
        assert completed(there, capfd, "board", "--game", "tron", "--league", "") == {"arena"}
        assert completed(there, capfd, "play", "tr") == set(), "it is played here alone"
        mine = Desk(desk.home, {"LADDER_TOKEN": KEY.text})
        assert completed(mine, capfd, "--server", site.address, "board", "--game", "tr") == {"tron"}
    assert completed(there, capfd, "board", "--game", "oc") == {"ocean-of-code"}, "where no server answers"
    assert not desk.home.exists()


def test_without_a_database_other_games_are_completed(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    for address in ("postgresql://nobody@127.0.0.1:1/nothing", "postgresql://nobody@192.0.2.1/nothing", "no address"):
        away = Desk(desk.home, {"LADDER_DATABASE_URL": address, **NO_BROKER})
        assert completed(away, capfd, "board", "--game", "oc") == {"ocean-of-code"}
