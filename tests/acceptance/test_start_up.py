"""Commands load what they need and nothing else, so that they answer at once."""

import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk, Shell
from tests.processes import finished
from tests.ten_commands import SLOW, TEN_COMMANDS
from tests.throwaway import written

GAME, BOT = "ocean-of-code", "kelp"
OURS = ("cli", "workers", "ladder", "engine")
OTHERS = frozenset(name for name in packages_distributions() if not name.startswith("_"))
BY_WHAT_THERE_IS = {
    "status": {"six", "trueskill"},
    "gauntlet list": {"charset_normalizer", "concurrent", "email", "importlib.metadata", "numpy", "scipy"},
}
"""What commands load besides where versions have met often enough to be compared, or a gauntlet has pairs to judge."""
LOADED = """
import sys
from cli.main import main
from tests.throwaway import written
sys.argv = ["ladder", *sys.argv[1:]]
try:
    main()
finally:
    print("LOADED", *sys.modules, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def match(arena: Desk, tmp_path_factory: pytest.TempPathFactory) -> str:
    source = written(
        tmp_path_factory.mktemp("bot") / "kelp.py", arena.ok("game", "starter", GAME, "--language", "python")
    )
    arena.ok("submit", source, "--game", GAME, "--bot", BOT, "--watch")
    return str(arena.json("match", "list", "--bot", BOT)[-1]["id"])


def loaded(shell: Shell, words: Iterable[str]) -> set[str]:
    done = finished([sys.executable, "-c", LOADED, *words], env=shell.full_environment(), cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    return set(named_here(done.stderr.rpartition("LOADED")[2].split()))


def named_here(modules: Iterable[str]) -> Iterator[str]:
    """Give the names of these modules that are said of a command: our packages two names deep, others' by one."""
    for module in modules:
        top, *below = module.split(".")
        if module in SLOW:
            yield module
        elif top in OURS:
            yield ".".join([top, *below[:1]]) if len(below) > 1 else top
        elif top in OTHERS:
            yield top


@pytest.mark.parametrize("command", TEN_COMMANDS)
def test_a_command_loads_these_packages_and_no_others(arena: Desk, match: str, command: str) -> None:
    words = command.format(match=match, bot=BOT).split()
    assert loaded(arena, words) - BY_WHAT_THERE_IS.get(command, set()) == set(TEN_COMMANDS[command].split())


@pytest.mark.parametrize("command", ["game list", f"play {GAME} boss-wood-2 boss-wood-1 --seed 5"])
def test_who_has_no_ladder_waits_for_no_driver_of_databases(shell: Shell, command: str) -> None:
    assert "psycopg" not in loaded(shell, command.split())
