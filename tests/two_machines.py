"""A served ladder on one machine and a player on another one, who reaches nothing of it but its web port.

How this works. As root both machines are network namespaces with a cable between them. An ordinary user has two homes
in their place, on one network; then the server's processes are asked on which ports they listen.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg

from tests.acceptance.conftest import LADDER
from tests.browser.pages import chromium_program, running_chromium
from tests.certificates import Certified, certified
from tests.networks import NETWORK, entering, free_port, machines
from tests.patience import patience_s
from tests.processes import processes_of
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BATTLES = 2
KNOCKING = """
import socket, sys
caller = socket.socket()
for port in range(1, 65536):
    if caller.connect_ex((sys.argv[1], port)) == 0:
        print(port)
        caller.close()
        caller = socket.socket()
caller.close()
"""
"""A program that prints the ports of an address that answer; a socket that was refused can be used again."""


@dataclass(frozen=True)
class Place:
    """A machine, or a home in its place. `before`: the words before a command that is to run there."""

    address: str
    before: Sequence[str]
    home: Path
    environment: dict[str, str]

    def command(self, *words: str | Path) -> list[str | Path]:
        return [*self.before, LADDER, *words]

    def run(self, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `ladder` there, to its end."""
        return subprocess.run(
            self.command(*words),
            env=self.environment | environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=patience_s(),
            check=False,
        )

    def ok(self, *words: str | Path) -> str:
        done = self.run(*words)
        assert done.returncode == 0, f"{words}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        """Start a command of `ladder` there."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.command(*words), env=self.environment, cwd=self.home, stdout=pipe, stderr=pipe, text=True
        )


@dataclass(frozen=True)
class TwoMachines:
    """The server, where players find it, and a client."""

    server: Place
    client: Place
    port: int
    files: Certified

    @property
    def url(self) -> str:
        return f"https://{self.server.address}:{self.port}"

    def open_ports(self) -> set[int]:
        """Return the ports of the server on which the client gets an answer."""
        if not self.client.before:
            return ports_of(self.server.home)
        knocking = [*self.client.before, sys.executable, "-c", KNOCKING, self.server.address]
        done = subprocess.run(knocking, capture_output=True, text=True, check=True)
        return set(map(int, done.stdout.split()))

    @contextmanager
    def browser_of_client(self) -> Iterator[Browser]:
        """Run a browser on the client's machine, which trusts the server's key."""
        path = self.client.home / "browser"
        words = shlex.join([*self.client.before, "env", f"HOME={self.client.home}", chromium_program()])
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
        trusted = f"--ignore-certificate-errors-spki-list={self.files.fingerprint}"
        with running_chromium(path, trusted) as browser:
            yield browser


@contextmanager
def two_machines(folder: Path) -> Iterator[TwoMachines]:
    """Let a ladder be served to a player on another machine for the block."""
    with two_places(folder) as (server, client):
        made = TwoMachines(server, client, free_port(), certified(folder, server.address))
        served = {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": made.url}
        server.environment.update(served, LADDER_HOME=str(server.home), LADDER_PLAYER="olga")
        client.environment.update(SSL_CERT_FILE=str(made.files.authority))
        try:
            server.ok("up", "--no-web")
            have_few_battles(server.home)
            with web(made):
                yield made
        finally:
            control.destroy(LadderHome.at(server.home))


@contextmanager
def two_places(folder: Path) -> Iterator[tuple[Place, Place]]:
    """Give the server and the client."""
    homes = folder / "server", folder / "client"
    if os.geteuid() != 0:
        yield place(homes[0], "127.0.0.1"), place(homes[1], "127.0.0.1")
        return
    with machines(["client"]) as (services, [client]):
        yield place(homes[0], f"{NETWORK}.1", services), place(homes[1], f"{NETWORK}.2", client.name)


def place(home: Path, address: str, namespace: str | None = None) -> Place:
    """Make a place, in whose environment nothing is that this process was given."""
    home.mkdir(mode=0o755)
    known = {name: os.environ[name] for name in ("PATH", "LANG", "LADDER_ENDS_WITH") if name in os.environ}
    before = () if namespace is None else entering(namespace)
    return Place(address, before, home, {**known, "HOME": str(home), "COLUMNS": "200", "BROWSER": "true"})


@contextmanager
def web(made: TwoMachines) -> Iterator[None]:
    """Serve the ladder by TLS for the block."""
    files = ("--tls-cert", made.files.certificate, "--tls-key", made.files.key)
    with made.server.start("web", "--host", made.server.address, "--port", str(made.port), *files) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"{made.url}\n"
            yield
        finally:
            process.send_signal(signal.SIGTERM)


def have_few_battles(home: Path) -> None:
    """Let versions have few battles, and let no boss be built, which takes long."""
    with psycopg.connect(running_at(home).database_url, autocommit=True) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        connection.execute("UPDATE leagues SET battles = %s", [BATTLES])


def running_at(home: Path) -> Running:
    """Return what runs at a home."""
    found = state_file.running(LadderHome.at(home))
    assert found is not None
    return found


def ports_of(home: Path) -> set[int]:
    """Return the ports on which programs of a ladder listen, the servers' too."""
    found = set[int]()
    for started in processes_of(home):
        for process in [started, *started.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                sockets = process.net_connections("inet")
                found |= {one.laddr.port for one in sockets if one.status == psutil.CONN_LISTEN}
    return found


def code_in(line: str) -> tuple[str, str]:
    found = re.fullmatch(r"open (\S+) in a browser, and type the code ([A-Z]{4}-[A-Z]{4}) there\n", line)
    assert found is not None, line
    return found[1], found[2]
