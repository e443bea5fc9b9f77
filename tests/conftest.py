"""What every test starts from: none of our settings in the environment, and real servers for those that ask."""

from __future__ import annotations

import gc
import os
import re
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pytest
from argon2 import PasswordHasher
from hypothesis import settings

from cli.main import MANY_OBJECTS
from tests.processes import core_to_keep_busy, staying_on
from tests.throwaway import end_with_us, folder_of_run

if TYPE_CHECKING:
    import psycopg

    from ladder.database.connection import Pool
    from tests.acceptance.conftest import Desk
    from tests.ladder.rated import History
    from workers.embedded.state_file import Running

Found = TypeVar("Found")
TESTS = Path(__file__).parent
CPU_BEFORE = pytest.StashKey[float]()
QUICK = frozenset({"documents", "engine", "golden", "ladder", "unit", "web"})
"""Folders of tests that `make test` runs, but for those marked `thorough`, and with those of others marked `smoke`."""
SLOW = frozenset({"acceptance", "browser", "conformance", "deploy", "integration"})
"""Folders of tests that start programs and wait for them."""
IN_EACH_TIER = ("sandbox", "acceptance/test_examination.py")
"""Tests that are collected by what sandboxes work here."""

for name in [name for name in os.environ if name.startswith("LADDER_")]:
    del os.environ[name]
end_with_us()
# Where somebody who runs the tests is logged in is nothing to them.
os.environ["XDG_CONFIG_HOME"] = "/nonexistent/ladder-tests"
# Our programs are started a thousand times, and each would compile all of itself again; so would the next run of tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `cli.main` does
# Started where Ctrl-C is ignored, our programs would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The same examples on every machine, however busy it is; more of them once a week.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=int(os.environ.get("EXAMPLES", "25")))
settings.load_profile("steady")


def pytest_xdist_auto_num_workers() -> int:
    """Let two tests run for each core: many wait for what others do, but each process has servers of its own."""
    return 2 * len(os.sched_getaffinity(0))


def pytest_configure(config: pytest.Config) -> None:
    takers = [TESTS / name for name in IN_EACH_TIER]
    if any(taker.is_relative_to(path) or path.is_relative_to(taker) for taker in takers for path in paths(config)):
        import_module("tests.sandbox.conftest").offers()


def paths(config: pytest.Config) -> list[Path]:
    """Return the files and folders that are to be run."""
    return [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without any test of the tier: they need not be imported."""
    return None if may_hold(collection_path, config.getoption("--tier")) else True


def may_hold(file: Path, tier: str | None) -> bool:
    """Say whether a file may hold tests of a tier: by its folder, and by marks that it or its conftest names."""
    if tier is None or file.suffix != ".py":
        return True
    is_quick = file.relative_to(TESTS).parts[0] in QUICK
    mark = "thorough" if is_quick else "smoke"
    marks = any(mark in one.read_text("utf-8") for one in (file, file.with_name("conftest.py")) if one.exists())
    return marks or is_quick == (tier == "quick")


def pytest_collection(session: pytest.Session) -> None:
    """Let each process import a part of the tests before it collects them all.

    Where they were never run, what takes long is that pytest rewrites their assertions, once for all processes. What is
    made meanwhile stays to the end, so the collector of garbage, which would take a fifth of the time, does not look.
    """
    ours: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if ours:
        gc.disable()
        files = sorted({file for path in paths(session.config) for file in [path, *path.rglob("test_*.py")]})
        tier = session.config.getoption("--tier")
        own = [file for file in files if file.is_relative_to(TESTS) and file.is_file() and may_hold(file, tier)]
        for file in own[int(ours["workerid"].removeprefix("gw")) :: ours["workercount"]]:
            with suppress(Exception):  # it comes again when the module is collected, and is reported then
                import_module(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the tier has not, and what is tried once a week unless that is asked for; deal the rest out."""
    tier, weekly = config.getoption("--tier"), "weekly" in str(config.getoption("markexpr"))
    wanted, unwanted = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        runs = (weekly or not item.get_closest_marker("weekly")) and (not tier or is_quick(item) == (tier == "quick"))
        (wanted if runs else unwanted).append(item)
    config.hook.pytest_deselected(items=unwanted)
    items[:] = wanted
    deal_out(config, items)


def is_quick(item: pytest.Item) -> bool:
    in_quick_folder = item.path.relative_to(TESTS).parts[0] in QUICK
    return bool(item.get_closest_marker("smoke") or (in_quick_folder and not item.get_closest_marker("thorough")))


def deal_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal the tests that are `long`, and then those of slow folders, out to all processes, to be run first.

    A long one that comes last keeps the run waiting. The processes begin with equal shares of the list, in its order.
    What the tests of a module share is made once: none is cut in two where shares are cut.
    """
    count = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    by_rank: tuple[list[pytest.Item], ...] = ([], [], [])
    for item in items:
        by_rank[rank(item)].append(item)
    long, slow, others = by_rank
    long_modules = list(dict.fromkeys(item.path for item in long))
    share = len(items) // count
    dealt = []
    for first in range(count):
        mine = [item for item in long if item.path in long_modules[first::count]]
        mine += slow[between_modules(slow, first, count) : between_modules(slow, first + 1, count)]
        room = max(0, share - len(mine)) if first < count - 1 else len(others)
        dealt += [*mine, *others[:room]]
        del others[:room]
    items[:] = dealt


def between_modules(items: list[pytest.Item], first: int, count: int) -> int:
    """Return where the share `first` of `count` begins: between two modules, at or after its exact beginning.

    Those that use the `arena`, which takes longest to be made, count as one module.
    """
    at = len(items) * first // count
    while 0 < at < len(items) and module(items[at]) == module(items[at - 1]):
        at += 1
    return at


def module(item: pytest.Item) -> str | Path:
    return "arena" if "arena" in getattr(item, "fixturenames", ()) else item.path


def rank(item: pytest.Item) -> int:
    """Say which tests come first: 0 for the long ones, 1 for those of slow folders, whose order stays, 2 for others."""
    if item.get_closest_marker("long"):
        return 0
    return 1 if SLOW.intersection(item.path.parts) else 2


def pytest_collection_finish() -> None:
    """Look for garbage as seldom as our program does: it takes a tenth of what tests compute."""
    gc.freeze()
    gc.set_threshold(MANY_OBJECTS)
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Take away what was kept, when all fixtures have ended what they began. Strange skips make the run fail."""
    if strange_skips(session.config.pluginmanager.get_plugin("terminalreporter"), session.config):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
    if folder_of_run.cache_info().currsize:
        shutil.rmtree(folder_of_run())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot play."""
    from tests.referees.cgroups import has_cgroup

    if item.get_closest_marker("takes_cgroup") is not None and not has_cgroup():
        pytest.skip("no cgroup can hold a box here")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[CPU_BEFORE] = cpu_s()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    done = yield
    item.user_properties.append(("cpu_s", f"{cpu_s() - item.stash[CPU_BEFORE]:.3f}"))
    return done


def cpu_s() -> float:
    """Return how long this process and those that it has waited for have computed, in seconds."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=["quick", "rest"], help="run what `make test` runs, or all other tests")
    parser.addoption("--may-skip", metavar="FILE", help="fail on a skip whose reason no pattern in FILE matches")


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for reason in strange_skips(terminalreporter, config):
        terminalreporter.write_line(f"NOT TO BE SKIPPED: {reason}", red=True)


def strange_skips(reporter: Any, config: pytest.Config) -> list[str]:
    """Return the reasons of skips that may not be, each once; none without the option."""
    if reporter is None or not (name := config.getoption("--may-skip")):
        return []
    lines = (line.strip() for line in Path(name).read_text().splitlines())
    patterns = [line for line in lines if line and not line.startswith("#")]
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])}
    return sorted(reason for reason in reasons if not any(re.fullmatch(pattern, reason) for pattern in patterns))


@pytest.fixture(autouse=True)
def light_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password is hashed in no time, where the hash itself is not what is tried: it would take a core for 150 ms."""
    light = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("ladder.accounts.passwords.HASHER", light)


@pytest.fixture(scope="session")
def open_folder() -> Path:
    return folder_of_run()


@pytest.fixture
def workspace(open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.workspace import CACHE_VARIABLE

    monkeypatch.setenv(CACHE_VARIABLE, str(open_folder / tmp_path.name))


@pytest.fixture
def busy_core() -> Iterator[int]:
    with core_to_keep_busy() as core:
        yield core


@pytest.fixture
def one_core(busy_core: int) -> Iterator[int]:
    """Such a core, on which the test itself stays. It starts no services, which would stay there too."""
    with staying_on(busy_core):
        yield busy_core


@pytest.fixture(scope="session")
def services(open_folder: Path) -> Iterator[Running]:
    """Embedded PostgreSQL and Redis without workers, the schema and the bosses in place."""
    import psycopg

    from workers.embedded import control
    from workers.embedded.home import LadderHome

    home = LadderHome.at(open_folder / "services")
    running = control.up(home, prepare="ladder.actions.installation:bring_up_to_date")
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())  # these data are thrown away
        connection.execute("ALTER SYSTEM SET lock_timeout = '5min'")  # a test that waits for itself fails in the end
        connection.execute("SELECT pg_reload_conf()")
        # No scheduler is at work here; workers of tests do without what they would ask for in its place.
        connection.execute("DELETE FROM rounds")
    yield running
    beside(running.database_url).close()
    control.destroy(home)


@pytest.fixture
def broker_url(services: Running) -> Iterator[str]:
    """A broker in which there are no messages of other tests."""
    from workers.broker import broker

    url = f"{services.broker_url}?virtual_host=9"
    with broker(url) as client:
        client.flushdb()
        yield url
        client.flushdb()


@cache
def beside(database_url: str) -> psycopg.Connection:
    """Return the session that makes and drops databases, as long as the services run."""
    import psycopg

    return psycopg.connect(database_url.replace("/ladder?", "/postgres?"), autocommit=True)


@contextmanager
def cloned(services: Running, template: str) -> Iterator[str]:
    """Lend a database that is as another one, which nobody uses meanwhile; give its name."""
    name = f"test_{os.urandom(6).hex()}"
    beside(services.database_url).execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY".encode())
    yield name
    beside(services.database_url).execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def opened(services: Running, name: str, most: int = 2) -> Iterator[Pool]:
    """Connections to a database of the services, `most` at once, for the block."""
    from ladder.database.connection import open_pool

    pool = open_pool(services.database_url.replace("/ladder?", f"/{name}?"), most=most)
    try:
        yield pool
    finally:
        pool.close()


def url_of(services: Running, pool: Pool) -> str:
    """Return the address of the database that a pool is connected to."""
    with pool.connection() as connection:
        return services.database_url.replace("/ladder?", f"/{connection.info.dbname}?")


@pytest.fixture(scope="session")
def with_history(services: Running) -> Iterator[tuple[str, History]]:
    """The name of a database in which a history has been played once for all tests, and what it holds."""
    from tests.ladder.rated import a_history

    with cloned(services, "ladder") as name:
        with opened(services, name) as pool:
            played = a_history(pool)
        yield name, played


@pytest.fixture(scope="session")
def with_bosses(services: Running) -> Iterator[str]:
    """The name of a database in which all bosses were let onto their boards once for all tests."""
    from tests.ladder.arena import accept_bosses

    with cloned(services, "ladder") as name:
        with opened(services, name) as pool:
            accept_bosses(pool)
        yield name


@pytest.fixture
def bosses() -> None:
    """All bosses are on their boards in the test's own database; without it they wait to be built."""


@dataclass(frozen=True)
class Made(Generic[Found]):
    """A database in which something was made once for several tests, and what that was."""

    name: str
    found: Found


def once(make: Callable[[Pool], object], *, among_bosses: bool = False) -> Any:
    """Return a module's fixture `made`: of what is made, once, each test that asks for it has a copy of its own."""

    @pytest.fixture(scope="module")
    def made(services: Running, request: pytest.FixtureRequest) -> Iterator[Made[object]]:
        with cloned(services, request.getfixturevalue("with_bosses") if among_bosses else "ladder") as name:
            with opened(services, name) as pool:
                found = make(pool)
            yield Made(name, found)

    return made


def once_found(make: Callable[[Pool], object], *, among_bosses: bool = False) -> tuple[Any, Any]:
    """Return that fixture `made`, and one that gives what was made."""

    @pytest.fixture
    def found(made: Made[object]) -> object:
        return made.found

    return once(make, among_bosses=among_bosses), found


@pytest.fixture
def database_url(request: pytest.FixtureRequest, services: Running) -> Iterator[str]:
    """A database of the test's own, as `made`, `bosses` or `history` say it is; else with bosses to be built."""
    template = "ladder"
    if "made" in request.fixturenames:
        template = request.getfixturevalue("made").name
    elif "bosses" in request.fixturenames:
        template = request.getfixturevalue("with_bosses")
    elif "history" in request.fixturenames:
        template = request.getfixturevalue("with_history")[0]
    with cloned(services, template) as name:
        yield services.database_url.replace("/ladder?", f"/{name}?")


@pytest.fixture
def history(with_history: tuple[str, History], database_url: str) -> History:
    """Three versions and twelve matches of wood-2, in the test's own database."""
    return deepcopy(with_history[1])


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """A desk without services; a test that has a database of its own has it there.

    So it has the broker if it asks for its address; else that is away. A module may say in `PLAYER` who is at it.
    """
    from tests.acceptance.conftest import NO_BROKER, Desk

    if "database_url" not in request.fixturenames:
        return Desk(tmp_path / "home")
    person = getattr(request.module, "PLAYER", "tess")
    named = {"LADDER_DATABASE_URL": request.getfixturevalue("database_url"), **NO_BROKER, "LADDER_PLAYER": person}
    if "broker_url" in request.fixturenames:
        named["LADDER_BROKER_URL"] = request.getfixturevalue("broker_url")
    return Desk(tmp_path / "home", named)


@pytest.fixture
def pool(database_url: str) -> Iterator[Pool]:
    from ladder.database.connection import open_pool

    pool = open_pool(database_url, most=8)
    yield pool
    pool.close()
