"""PostgreSQL and Redis reached by TCP and a password, as operators have them, and machines as network namespaces.

How this works. A namespace has a network of its own, with one cable to a switch that stands where the services are.
To pull the cable out of the switch loses everything in both directions, and neither end is told: as when a machine has
no power. Making namespaces takes root and the program `ip`.
"""

import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
from redis import Redis
from redis.exceptions import RedisError

from ladder.actions.installation import bring_up_to_date
from tests.patience import patience_s, wait_until
from tests.throwaway import lay_database
from workers.embedded import folders, postgres, redis
from workers.embedded.folders import DataPlace, SystemAccount, private_folder
from workers.embedded.home import LadderHome
from workers.embedded.processes import Child

NETWORK = "10.213.7"
"""Inside the namespaces alone; the machine's own network does not see it."""
SWITCH = "switch"
UNDER_ITS_NAME = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"')
"""The words before a machine's name and a command that is to see that name."""


def call(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"


@dataclass(frozen=True, slots=True)
class Services:
    """Both servers. `inside_url`: by the Unix socket, which leads there whatever becomes of the network."""

    database_url: str
    broker_url: str
    inside_url: str

    @property
    def environment(self) -> dict[str, str]:
        return {"LADDER_DATABASE_URL": self.database_url, "LADDER_BROKER_URL": self.broker_url}


@dataclass
class Machine:
    """A network namespace with one cable, and the processes that were started in it."""

    name: str
    cable: str
    services: str
    started: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def start(
        self, command: Sequence[str | Path], environment: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]:
        """Start a program there, its output at the end of a file."""
        with log.open("ab") as output:
            process = subprocess.Popen(
                [*entering(self.name), *UNDER_ITS_NAME, self.name, *command],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def unplug(self) -> None:
        call(*entering(self.services), "ip", "link", "set", self.cable, "nomaster")

    def plug_in(self) -> None:
        call(*entering(self.services), "ip", "link", "set", self.cable, "master", SWITCH)


def entering(namespace: str) -> list[str]:
    return ["nsenter", f"--net=/run/netns/{namespace}"]


@contextmanager
def machines(names: Sequence[str]) -> Iterator[tuple[str, list[Machine]]]:
    """Make namespaces for the block: one for services, whose name and switch come first, and one for each machine."""
    tag = secrets.token_hex(2)
    services = f"services-{tag}"
    with ExitStack() as made:
        made.enter_context(namespace(services))
        inside = entering(services)
        # An address of its own: else it takes that of a cable, by which frames arrive though it is pulled out.
        call(*inside, "ip", "link", "add", SWITCH, "address", "02:00:00:00:00:01", "type", "bridge")
        call(*inside, "ip", "address", "add", f"{NETWORK}.1/24", "dev", SWITCH)
        call(*inside, "ip", "link", "set", SWITCH, "up")
        found = []
        for number, name in enumerate(names, start=2):
            machine = Machine(f"{name}-{tag}", f"to-{number}", services)
            made.enter_context(namespace(machine.name))
            call(*inside, *f"ip link add {machine.cable} type veth peer name eth0 netns {machine.name}".split())
            call(*inside, *f"ip link set {machine.cable} master {SWITCH} up".split())
            call(*entering(machine.name), *f"ip address add {NETWORK}.{number}/24 dev eth0".split())
            call(*entering(machine.name), *["ip", "link", "set", "eth0", "up"])
            found.append(machine)
        yield services, found


@contextmanager
def namespace(name: str) -> Iterator[None]:
    """Have a network namespace for the block."""
    call("ip", "netns", "add", name)
    try:
        call(*entering(name), "ip", "link", "set", "lo", "up")
        yield
    finally:
        call("ip", "netns", "delete", name)


def settled(folder: Path) -> DataPlace:
    """Return where servers of a home in that folder have their data and sockets."""
    home = LadderHome.at(folder)
    home.create()
    place = folders.settle(home)
    private_folder(place.sockets, place.account())
    return place


@contextmanager
def services_at(folder: Path, host: str, namespace: str | None = None) -> Iterator[Services]:
    """Serve PostgreSQL and Redis at this address for the block, the schema and the bosses in place."""
    lay_database(LadderHome.at(folder))
    where = settled(folder)
    account = where.account()
    ports = (5432, 6379) if namespace else (free_port(), free_port())
    password = secrets.token_hex(8)
    binaries = folders.postgres_programs(account)
    with (where.postgres / "pg_hba.conf").open("a") as rules:
        rules.write("host all all 0.0.0.0/0 scram-sha-256\n")
    inside_url = postgres.database_url(where).replace(f"port={postgres.PORT}", f"port={ports[0]}")
    database = postgres.child(where, binaries, account)
    database = more(database, "-c", f"listen_addresses={host}", "-c", f"port={ports[0]}", "-c", "fsync=off")
    broker = redis.child(where, folders.redis_server(account), account)
    broker = more(broker, "--bind", host, "--port", str(ports[1]), "--requirepass", password)
    try:
        with serving(database, account, namespace), serving(broker, account, namespace):
            make_database(inside_url, password)
            wait_until(lambda: redis_answers(where, password), "Redis answers")
            yield Services(
                f"postgresql://ladder:{password}@{host}:{ports[0]}/ladder",
                f"redis://:{password}@{host}:{ports[1]}/0",
                inside_url,
            )
    finally:
        shutil.rmtree(where.sockets, ignore_errors=True)


def more(child: Child, *arguments: str) -> Child:
    return replace(child, command=(*child.command, *arguments))


@contextmanager
def serving(child: Child, account: SystemAccount, namespace: str | None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server for the block, under the account that is to run it."""
    before = entering(namespace) if namespace else []
    if not account.is_ours:
        before += ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups", "--pdeathsig=KILL"]
    process = subprocess.Popen([*before, *child.command], cwd="/", stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        process.send_signal(child.stop_signal)
        process.wait(patience_s())


def make_database(inside_url: str, password: str) -> None:
    """Make the database once the server answers, and give the role its password."""

    def answers() -> bool:
        try:
            with psycopg.connect(inside_url.replace("/ladder?", "/postgres?"), autocommit=True) as connection:
                connection.execute("CREATE DATABASE ladder")
                connection.execute(f"ALTER ROLE ladder PASSWORD '{password}'".encode())
        except psycopg.OperationalError:
            return False
        return True

    wait_until(answers, "PostgreSQL answers")
    bring_up_to_date(inside_url)


def redis_answers(where: DataPlace, password: str) -> bool:
    try:
        with Redis(unix_socket_path=str(redis.socket_path(where)), password=password) as client:
            return bool(client.ping())
    except RedisError:
        return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
