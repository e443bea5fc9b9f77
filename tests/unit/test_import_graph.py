"""The graph of imports between the project's modules, those inside functions included."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.sources import CHECKOUT, LAYERS, modules

MOST_MODULES = 25
MOST_LINES = 700
FEWEST_LINES = 60
MOST_INSIDE = 15
REASON = "Imports inside functions: "
"""A module's docstring ends with a paragraph that begins like this and gives the reason."""
HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""What statements, and so imports, can stand in; expressions are passed over."""

SHORT: Mapping[str, str] = {
    "a noun of the field, which many modules know": (
        "engine.bot.conditions engine.games.java_random engine.lazy engine.machine ladder.accounts.passwords "
        "ladder.accounts.secrets ladder.bots.players ladder.ids ladder.queue ladder.row_limits ladder.version "
        "ladder.views.requests workers.wait_for_schema"
    ),
    "commands or options that load without what stands beside them": (
        "cli.main cli.play.ladder_versions cli.terminal.harmless_console cli.terminal.steps "
        "engine.games.ocean_of_code.draw workers.commands"
    ),
}
"""Modules below FEWEST_LINES, by the reason why each is one."""


@cache
def tree_of(name: str) -> ast.Module:
    """Return what a module is made of."""
    return ast.parse(modules()[name].read_text("utf-8"))


@cache
def imports_of(name: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return all imports of a module but those for types alone."""
    return tuple(imports(tree_of(name)))


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Give all imports below a node but those for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, HOLDERS) and not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from imports(node)


def imported(name: str) -> set[str]:
    """Return the modules of the project that a module imports anywhere."""
    found: set[str] = set()
    for node in imports_of(name):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            found |= {
                full if (full := f"{node.module}.{alias.name}") in modules() else node.module for alias in node.names
            }
    return found & set(modules()) - {name}


def room(name: str) -> str:
    """Return the room a module belongs to: a package of its layer, or the module itself if it stands alone there."""
    return ".".join(name.split(".")[:2])


def require_no_circle(graph: Mapping[str, set[str]]) -> None:
    """Fail with the names of a circle if there is one."""
    assert graph
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_modules_import_each_other_in_a_circle() -> None:
    require_no_circle({name: imported(name) for name in modules()})


def test_no_rooms_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for name in modules():
        graph.setdefault(room(name), set()).update({room(other) for other in imported(name)} - {room(name)})
    graph = {name: others - set(LAYERS) for name, others in graph.items() if name not in LAYERS}
    require_no_circle(graph)


def test_no_folder_holds_more_modules_than_a_newcomer_can_look_through() -> None:
    folders: dict[str, int] = {}
    for file in modules().values():
        if file.name not in {"__init__.py", "__main__.py"}:
            folders[str(file.parent.relative_to(CHECKOUT))] = folders.get(str(file.parent.relative_to(CHECKOUT)), 0) + 1
    assert {name: count for name, count in folders.items() if count > MOST_MODULES} == {}


def test_no_module_is_too_long_to_be_read_at_one_go() -> None:
    lengths = {name: len(file.read_text("utf-8").splitlines()) for name, file in modules().items()}
    assert {name for name, length in lengths.items() if length > MOST_LINES} == set()


def test_no_module_is_a_slice_of_another_one() -> None:
    """A short one is named in SHORT with its reason, and goes from there when it has grown or gone."""
    short = {
        name
        for name, file in modules().items()
        if file.name not in {"__init__.py", "__main__.py"}
        and "template" not in file.parts
        and len(file.read_text("utf-8").splitlines()) < FEWEST_LINES
    }
    assert short == {name for names in SHORT.values() for name in names.split()}


def test_no_two_classes_have_the_same_name() -> None:
    places: dict[str, list[str]] = {}
    for name in modules():
        for node in tree_of(name).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def inside_functions(name: str) -> int:
    """Return how many imports of a module are not at its top."""
    at_the_top = sum(isinstance(node, ast.Import | ast.ImportFrom) for node in tree_of(name).body)
    return len(imports_of(name)) - at_the_top


def test_few_imports_are_inside_functions() -> None:
    """They are there where a command that does not need them would start later: libraries of statistics, the database,
    Celery and tables, and most of all in `cli`, of which `ladder --help` reads every module."""
    assert sum(inside_functions(name) for name in modules()) <= MOST_INSIDE


def test_a_module_with_imports_inside_functions_says_why() -> None:
    documented = {name: ast.get_docstring(tree_of(name)) or "" for name in modules()}
    saying = {name for name, words in documented.items() if REASON in words}
    assert saying == {name for name in modules() if inside_functions(name)}


ROOT = Path(__file__).parents[2]


def test_no_layer_imports_from_above() -> None:
    """cli -> workers -> ladder -> engine, and the engine knows no database, queue or terminal."""
    command = (Path(sys.executable).with_name("lint-imports"), "--no-cache")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


IMPORTED = """
import sys
from cli.drivers import import_them_quickly
import_them_quickly()
import psycopg, redis
assert not {"asyncio", "importlib.metadata", "email", "opentelemetry", "redis.asyncio"} & set(sys.modules)
import asyncio, importlib.metadata, opentelemetry.metrics
from redis.asyncio import Redis
from psycopg_pool import ConnectionPool
for client in (psycopg, redis):
    assert client.__version__ == importlib.metadata.version(client.__name__)
assert asyncio.run(asyncio.sleep(0, "slept")) == "slept"
async def connected():
    await psycopg.AsyncConnection.connect("host=/nowhere connect_timeout=2")
try:
    asyncio.run(connected())
except psycopg.OperationalError as error:
    print(error)
try:
    asyncio.run(Redis.from_url("unix:///nowhere").ping())
except redis.ConnectionError as error:
    print(error)
"""


def test_asyncio_and_metadata_are_not_imported_with_clients_of_services_and_are_the_real_ones_afterwards() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("/nowhere") >= 2
