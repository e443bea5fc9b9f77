"""Running programs in real sandboxes of every tier that works here, as root and as an ordinary user.

How this works. The parent of the bots is a process of its own, the driver: it can become an ordinary user for good, or
be killed. Most tests share one driver for each kind of user, which is told in each request which tier to use. Those
that kill it, or start it with other variables, have their own.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from engine import errors
from engine.boxes import BOT_UIDS
from engine.sandbox import watchdog
from engine.sandbox.run_to_end import Finished
from tests.throwaway import language_table, public_folder_named

CHECKOUT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
DRIVER = Path(__file__).with_name("driver.py")
ATTACKS = Path(__file__).with_name("attacks")
ORDINARY_UID = 4242
USERS = ("root", "user") if os.geteuid() == 0 else ("user",)
OFFERS = "SANDBOX_OFFERS"
"""The variable by which the first process of a run tells the others what it has tried."""
SECRET = "xyzzy"  # noqa: S105 - what must not be found

ATTACK = "test_the_attack_does_no_harm_and_gets_what_it_deserves"
SMOKE = (
    "-fork bomb]",
    "-memory hog]",
    "-talks to servers, and listens]",
    "-reads and changes files, and fills disks and inodes]",
    "-kills, traces and slows down others, and leaves its core]",
    "-computes in the opponent's time]",
    "-answers early]",
)
"""The ends of names of tests: an attack of each family, which `make test` tries in the strongest tier."""

SHELL: dict[str, object] = {"run": ["sh", "{folder}/bot"], "compile": ["sh", "{source}"]}
SCRIPT_LANGUAGE = (
    language_table("script", **SHELL, build_memory_mb=128, build_seconds=1)
    + language_table("patient", **SHELL, build_memory_mb=64)
    + "[cpp.toolchains.gcc]\nbuild_seconds = 1\n"
)
"""Languages whose sources say themselves what their compiler does, and less patience with compilers than usual, but
for one of them."""


@dataclass
class Driver:
    """A process that is the parent of bots."""

    process: subprocess.Popen[str]

    def order(self, order: str, **request: Any) -> dict[str, Any]:
        """Give an order and return the report; the errors of ours that it tells of are raised here."""
        self.send({"order": order, **request})
        return self.report()

    def report(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        report: dict[str, Any] = json.loads(self.process.stdout.readline())
        if "error" in report:
            raise getattr(errors, report["error"])(report["message"])
        return report

    def send(self, request: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate()


@contextmanager
def driver(user: str, **variables: str) -> Iterator[Driver]:
    """Start a driver as that user, with an empty cache for built programs and further environment variables."""
    drop = user == "user" and os.geteuid() == 0
    with public_folder_named("driver") as folder:
        (folder / "languages.toml").write_text(SCRIPT_LANGUAGE)
        shutil.copy(watchdog.WATCHDOG, folder)
        if drop:
            os.chown(folder, ORDINARY_UID, ORDINARY_UID)
        started = Driver(
            subprocess.Popen(
                [sys.executable, str(DRIVER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd="/",
                start_new_session=True,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *sys.path]),
                    "SECRET_OF_THE_PARENT": SECRET,
                    "LADDER_CACHE": str(folder / "cache"),
                    "LADDER_LANGUAGES": str(folder / "languages.toml"),
                    **variables,
                },
            )
        )
        started.send({"drop": drop, "watchdog": str(folder / "watchdog_program.py")})
        yield started
        if started.process.poll() is None:
            started.leave()


@cache
def offers() -> dict[str, list[str]]:
    """Return the tiers that work here for each kind of user; the first process of a run tries them for all others."""
    if OFFERS not in os.environ:
        os.environ[OFFERS] = json.dumps({user: offered_to(user) for user in USERS})
    found: dict[str, list[str]] = json.loads(os.environ[OFFERS])
    return found


def offered_to(user: str) -> list[str]:
    with driver(user) as asked:
        tiers: list[str] = asked.order("offers")["tiers"]
        return tiers


def tiers() -> list[str]:
    return offers()[USERS[0]]


def places() -> list[tuple[str, str]]:
    """Return each kind of user with each tier that it is offered here; with the usual one if none is, to see why."""
    return [(user, tier) for user, tiers in offers().items() for tier in tiers or ["bubblewrap"]]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the weekly run what is tried in a tier by all but one kind of user, unless marked otherwise.

    Which kind that is follows from the row's name alone, so that a row by itself runs as it does among all.
    """
    for item in items:
        if not isinstance(item, pytest.Function) or "arena" not in item.fixturenames or item.path.parent != FOLDER:
            continue
        user, tier = place_of(item)
        if item.originalname == ATTACK and (user, tier) == places()[0] and item.name.endswith(SMOKE):
            item.add_marker("smoke")
        takers = [place for place in places() if place[1] == tier or item.get_closest_marker("one_place")]
        number = crc32(item.name.replace(f"{user}-{tier}", "").encode())
        if (user, tier) != takers[number % len(takers)] and not item.get_closest_marker("every_place"):
            item.add_marker("weekly")


def place_of(item: pytest.Function) -> tuple[str, str]:
    place: tuple[str, str] = item.callspec.params["arena"]  # type: ignore[assignment]
    return place


@dataclass
class Held:
    """A driver with running bots, which no other test has to do with meanwhile."""

    driver: Driver
    pids: list[int]
    mark: str

    def order(self, order: str) -> dict[str, Any]:
        return self.driver.order(order)


@dataclass
class Arena:
    """Where a test runs programs: as which user, in which tier, from which folder."""

    user: str
    tier: str
    folder: Path
    driver: Driver
    closing: ExitStack = field(default_factory=ExitStack)
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def kernel_uids(self) -> range:
        if self.user == "root":
            return BOT_UIDS
        uid = ORDINARY_UID if os.geteuid() == 0 else os.geteuid()
        return range(uid, uid + 1)

    @property
    def shows_proc(self) -> bool:
        return self.tier != "nested"

    @property
    def has_cgroup(self) -> bool:
        return self.tier == "bubblewrap+cgroup"

    def order(self, order: str, **request: Any) -> dict[str, Any]:
        return self.driver.order(order, tier=self.tier, **request)

    def run(self, *command: str, **request: Any) -> Finished:
        """Run a program to its end; `times` over, to see that nothing is left open."""
        report = self.order("run", **{"command": command, "folder": str(self.folder), **request})
        assert report["descriptors_left"] == 0
        finished = report["finished"]
        finished["stdout"], finished["stderr"] = (finished[name].encode("latin-1") for name in ("stdout", "stderr"))
        return Finished(**finished)

    def python(self, code: str, **request: Any) -> Finished:
        return self.run("/usr/bin/python3", "-I", "-c", code, **request)

    def own_driver(self) -> Driver:
        return self.closing.enter_context(driver(self.user, **self.variables))

    def hold(self, *command: str, count: int = 1, **request: Any) -> Held:
        """Let programs run until the end of the test."""
        self.closing.callback(self.driver.order, "kill")
        return self.held_by(self.driver, *command, count=count, **request)

    def held_by(self, driver: Driver, *command: str, count: int = 1, **request: Any) -> Held:
        wanted = {"command": command, "folder": str(self.folder), "count": count, "tier": self.tier, **request}
        return Held(driver, **driver.order("hold", **wanted))

    @staticmethod
    def monitor(pid: int) -> int:
        status = Path(f"/proc/{pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


@pytest.fixture(scope="session")
def drivers() -> Iterator[dict[str, Driver]]:
    with ExitStack() as running:
        yield {user: running.enter_context(driver(user)) for user in USERS}


@pytest.fixture
def public_folder() -> Iterator[Path]:
    with public_folder_named("box") as folder:
        yield folder


@pytest.fixture(params=places(), ids="-".join)
def arena(request: pytest.FixtureRequest, drivers: dict[str, Driver], public_folder: Path) -> Iterator[Arena]:
    user, tier = request.param
    with ExitStack() as closing:
        yield Arena(user, tier, public_folder, drivers[user], closing)


@pytest.fixture
def bare(drivers: dict[str, Driver], public_folder: Path) -> Arena:
    """No sandbox at all, used by an ordinary user: to see what would happen without one."""
    return Arena("user", "none", public_folder, drivers["user"])


@pytest.fixture
def token() -> str:
    return f"attack-{secrets.token_hex(8)}"


@dataclass
class Host:
    """What there is on the machine to be attacked; all of it within the reach of an ordinary user without a sandbox."""

    folder: Path
    servers: dict[str, socket.socket]

    @property
    def addresses(self) -> list[tuple[str, Any]]:
        names = [(server, server.getsockname()) for server in self.servers.values()]
        return [(server.type.name, place.decode() if isinstance(place, bytes) else place) for server, place in names]

    def visitors(self) -> list[str]:
        return [name for name, server in self.servers.items() if is_visited(server)]


def is_visited(server: socket.socket) -> bool:
    with suppress(BlockingIOError):
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
        return True
    return False


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """A host with servers such as a database and a broker have, with an opponent and with the attackers."""
    with public_folder_named("host") as folder, ExitStack() as closing:
        package = folder / "attacker" / "tests" / "sandbox" / "attacks"
        shutil.copytree(ATTACKS, package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(folder / "attacker", folder / "opponent")
        (folder / "opponent" / "secret").write_text(SECRET)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        of_root = package.parents[2] / "python-of-root"
        shutil.copy("/usr/bin/python3", of_root)
        of_root.chmod(0o4755)
        yield Host(folder, {name: closing.enter_context(server) for name, server in servers(folder)})


def servers(folder: Path) -> Iterator[tuple[str, socket.socket]]:
    name = folder.name
    for title, family, kind, address in (
        ("database", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        ("name server", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        ("database's socket", socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket")),
        ("log", socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "log")),
        ("broker", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
        ("abstract log", socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{name}-log"),
    ):
        server = socket.socket(family, kind)
        server.bind(address)
        if isinstance(address, str) and not address.startswith("\0"):
            Path(address).chmod(0o777)
        if kind == socket.SOCK_STREAM:
            server.listen()
        server.settimeout(0)
        yield title, server
