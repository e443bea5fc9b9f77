"""`make mutants`: would the tests of the modules on which all else rests notice a mistake?

`tests/mutants.toml` lists the modules, by rooms, each with the tests that belong to it. mutmut changes a module in one
place after the other: a comparison, a number, a word. A mutant that its tests do not notice has survived. The exit
status is 1 if in a room less than 95 % die of those that are not equivalent; 2 for a room that is not there, and where
the list is not true or mutmut fails.

    python -m tests.mutants [ROOM ...]

How this works. mutmut reads its settings in the folder where it is run, and has one list of tests for all modules. So
each room has a folder of its own in `.test-artefacts/mutants`, with links to our packages. It stays until the room is
tried again, and there `mutmut browse` shows its mutants. mutmut leaves out what has a decorator, such as properties,
and what stands outside functions, such as tables. Of each property Hypothesis tries 20 examples in place of 100.

A mutant that means the same as the code is listed as equivalent, by its function and by the line before and after, as
their numbers change with the code. An entry that no survivor is like makes the list untrue. Two kinds need none: see
`means_the_same`.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.report import say

CHECKOUT = Path(__file__).parent.parent
ROOMS = Path(__file__).with_suffix(".toml")
WORKSPACES = CHECKOUT / ".test-artefacts" / "mutants"
PACKAGES = ("cli", "engine", "ladder", "workers")
LEAST_SHARE = 0.95
DEAD = frozenset({"killed", "timeout", "segfault"})
ALIVE = frozenset({"survived", "no tests"})
SETTINGS = """
[tool.mutmut]
source_paths = {packages}
only_mutate = ["{module}"]
process_isolation = "forkserver"
pytest_add_cli_args = [
    "-o", "addopts=--import-mode=importlib",
    "--disable-plugin-autoload", "-p", "xdist.plugin", "-p", "no:cacheprovider",
]
pytest_add_cli_args_test_selection = {tests}
"""


@dataclass(frozen=True, slots=True)
class Change:
    """What a mutant changes: the lines before and after, in a function."""

    function: str
    line: str
    mutant: str


@dataclass(frozen=True, slots=True)
class Room:
    """A module and the tests that belong to it."""

    name: str
    module: str
    tests: tuple[str, ...]
    equivalent: frozenset[Change]


class Untrue(Exception):
    """The list of rooms does not say how it is, or mutmut did not come to an end. The message says what is wrong."""


def rooms(chosen: Sequence[str]) -> list[Room]:
    """Read these rooms from their list; all of them where none is named. Raises Untrue."""
    listed = tomllib.loads(ROOMS.read_text("utf-8"))
    if unknown := sorted(set(chosen) - set(listed)):
        raise Untrue(f"no room {unknown[0]}; there are {', '.join(listed)}")
    return [room(name, listed[name]) for name in chosen or listed]


def room(name: str, listed: dict[str, Any]) -> Room:
    """Read one room. Raises Untrue for an equivalent mutant without a reason."""
    equivalent = listed.get("equivalent", [])
    if not all(one["why"] for one in equivalent):
        raise Untrue(f"room {name}: an equivalent mutant has no reason")
    changes = frozenset(Change(one["function"], one["line"], one["mutant"]) for one in equivalent)
    return Room(name, listed["module"], tuple(listed["tests"]), changes)


def try_out(room: Room) -> bool:
    """Try all mutants of a room, print what came of them, and say whether enough died. Raises Untrue."""
    began, cpu_before_s = time.monotonic(), cpu_s()
    folder = workspace(room)
    mutmut(folder, "run", "--max-children", "1", shown=sys.stdout.isatty())
    statuses = dict(re.findall(r"^ +(\S+): (.+)$", mutmut(folder, "results", "--all", "true"), re.MULTILINE))
    if strange := sorted(set(statuses.values()) - DEAD - ALIVE) or not statuses:
        raise Untrue(f"room {room.name}: mutmut did not try all mutants: {strange}; see {folder}")
    alive = [name for name, status in statuses.items() if status in ALIVE]
    changes = {name: change(name, mutmut(folder, "show", name)) for name in alive}
    if gone := room.equivalent - set(changes.values()):
        raise Untrue(f"room {room.name}: no survivor is like the equivalent mutant {min(gone, key=str)}")
    survivors = [(name, one) for name, one in changes.items() if one not in room.equivalent and not means_the_same(one)]
    equivalent = len(alive) - len(survivors)
    share = 1 - len(survivors) / max(len(statuses) - equivalent, 1)
    times = f"{time.monotonic() - began:.0f} s, {cpu_s() - cpu_before_s:.0f} s of CPU time"
    for name, one in survivors:
        say(f"  {statuses[name]}: {name}\n    - {one.line}\n    + {one.mutant}")
    say(
        f"{room.name}: {len(statuses)} mutants of {room.module}, {equivalent} equivalent, {len(survivors)} survived: "
        f"{share:.1%} of the others died, in {times}"
    )
    return share >= LEAST_SHARE


STRICT = re.compile(r", (strict=\w+)?(?=\))")
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) ")


def means_the_same(one: Change) -> bool:
    """Whether a mutant changes no more than a check of lengths that are always equal, or the case of words of SQL."""
    if "strict=True" in one.line and STRICT.sub("", one.line) == STRICT.sub("", one.mutant):
        return True
    return bool(SQL.search(one.line)) and one.line.lower() == one.mutant.lower()


def workspace(room: Room) -> Path:
    """Make the folder of a room anew, with the settings for it."""
    folder = WORKSPACES / room.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (*PACKAGES, "tests"):
        (folder / name).symlink_to(CHECKOUT / name)
    settings = SETTINGS.format(packages=list(PACKAGES), module=room.module, tests=list(room.tests))
    (folder / "pyproject.toml").write_text((CHECKOUT / "pyproject.toml").read_text("utf-8") + settings)
    return folder


def mutmut(folder: Path, *words: str, shown: bool = False) -> str:
    """Run mutmut in a room's folder and return what it printed. Raises Untrue where it fails."""
    program = Path(sys.executable).with_name("mutmut")
    if not program.exists():
        raise Untrue("mutmut is missing: 'sh deploy/setup.sh mutants' installs it")
    environment = {**os.environ, "EXAMPLES": "20"}
    output = None if shown else subprocess.PIPE
    done = subprocess.run(
        [program, *words], cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise Untrue(f"mutmut {words[0]} failed in {folder}\n{(done.stdout or '')[-4000:]}".rstrip())
    return done.stdout or ""


def change(name: str, difference: str) -> Change:
    function = name.rpartition(".")[2].rpartition("__mutmut_")[0].removeprefix("x_")
    function = function.removeprefix("x\u01c1").replace("\u01c1", ".")
    return Change(function, *(" ".join(lines(difference, sign)) for sign in "-+"))


def lines(difference: str, sign: str) -> Iterator[str]:
    for line in difference.splitlines():
        if line.startswith(sign) and not line.startswith(3 * sign):
            yield line[1:].strip()


def cpu_s() -> float:
    """Return how long the programs have computed that this one has waited for, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(chosen: Sequence[str]) -> int:
    """Try the rooms and return the exit status."""
    try:
        enough = [try_out(room) for room in rooms(chosen)]
    except Untrue as error:
        sys.stderr.write(f"mutants: {error}\n")
        return 2
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
