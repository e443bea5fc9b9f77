"""A ladder as `deploy/compose.yaml` runs it, unmodified: what it is asked, and what is done to it."""

import json
import re
import secrets
import subprocess
from pathlib import Path
from typing import Any

from tests.containers.engine import Engine, printed
from tests.patience import wait_until

PROJECT = "ladder-containers"
IMAGE, NEXT = "ladder-arena:0.1.0", "ladder-arena:next"
SERVICES = ("postgres", "redis", "scheduler", "worker")
PLAYING_S = 600.0
READ_METRICS = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9153/metrics').read().decode())"


class Deployed:
    """One such ladder. `image`: whose name its containers get."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.image = engine, IMAGE

    def compose(self, *words: str) -> str:
        """Run Compose and return what it prints. Raises AssertionError."""
        return printed(f"compose {' '.join(words)}", self.tried(*words))

    def tried(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Compose to its end, whatever that is."""
        file = f"{self.engine.sources}/deploy/compose.yaml"
        variables = {"IMAGE": self.image, "LADDER_PLAYER": "kim", "LADDER_ACCEPTED_WAIT_S": "10"}
        words = ("compose", "--ansi=never", "--progress=plain", "--file", file, "--project-name", PROJECT, *words)
        return self.engine.tried(*words, variables=variables)

    def command(self, *words: str) -> str:
        """Run one of Ladder's commands, as an operator does."""
        return self.compose("run", "--rm", "--no-TTY", "cli", *words)

    def up(self, workers: int = 2) -> None:
        """Start what does not run, with the image of now, and wait until all is healthy."""
        self.compose("up", "--detach", "--wait", "--wait-timeout", "600", "--scale", f"worker={workers}")

    def scale(self, workers: int) -> None:
        """Let there be so many workers; those that are too many end in good order."""
        self.compose("up", "--detach", "--no-recreate", "--scale", f"worker={workers}", "worker")

    def wanted(self) -> int:
        """Return how many workers are wanted, as Prometheus is told."""
        page = self.compose("exec", "-T", "metrics", "python", "-c", READ_METRICS)
        (value,) = re.findall(r"^ladder_workers_wanted ([\d.e+]+)$", page, re.MULTILINE)
        return round(float(value))

    def ask(self, statement: str) -> str:
        """Ask the database, within its container."""
        return self.compose(
            "exec", "-T", "postgres", "psql", "--username=ladder", "--tuples-only", "--no-align", "--command", statement
        )

    def finished(self) -> int:
        return int(self.ask("SELECT count(*) FROM matches WHERE state = 'finished'"))

    def plays_on(self, more: int = 3) -> None:
        """Wait until so many more matches have been recorded. Raises AssertionError."""
        wanted = self.finished() + more
        wait_until(self.finished, f"{more} more matches", 1.0, quiet_s=PLAYING_S, fits=lambda found: found >= wanted)

    def containers(self, service: str) -> list[dict[str, Any]]:
        """Return what the engine says of a service's containers."""
        numbers = self.compose("ps", "--all", "--quiet", service).split()
        found: list[dict[str, Any]] = json.loads(self.engine.docker("inspect", *numbers)) if numbers else []
        return found

    def states(self) -> dict[str, str]:
        """Return for each container that is meant to run whether it is healthy."""
        return {
            found["Name"].strip("/"): found["State"].get("Health", {}).get("Status", found["State"]["Status"])
            for service in SERVICES
            for found in self.containers(service)
        }

    def is_well(self) -> None:
        """Wait until all containers are healthy. Raises AssertionError, which names those that are not."""
        wait_until(
            self.states,
            "that every container is healthy",
            2.0,
            quiet_s=PLAYING_S,
            fits=lambda found: set(found.values()) == {"healthy"},
        )


def give_password(folder: Path) -> None:
    """Make the one secret that the deployment asks for, as its README says. `folder`: of the checkout's copy."""
    (folder / "deploy" / "secrets").mkdir(mode=0o700)
    (folder / "deploy" / "secrets" / "database-password").write_text(f"{secrets.token_hex(24)}\n", "utf-8")
