"""What a supervisor publishes about itself, in LADDER_HOME/state.json."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.errors import ArenaError, MachineBusy, MissingTool, Refused, Unavailable, UsageFault
from workers.embedded.home import LadderHome


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended: the status of the error that it names, or 1, and why, in words of its own where it had any."""

    status: int
    words: str

    def error(self, what: str) -> ArenaError:
        """Return it as an error. `what`: what to say of it, before its words."""
        return ERRORS.get(self.status, ArenaError)(f"{what}: {self.words}")


ERRORS = {kind.exit_status: kind for kind in (ArenaError, UsageFault, Refused, Unavailable, MissingTool, MachineBusy)}


@dataclass(frozen=True, slots=True)
class Running:
    """A supervisor that runs, or ended with a failure.

    pid           of the supervisor
    started_at    when it started, in ISO 8601 with a time zone
    ready         whether everything is started and the schema is up to date
    steps         what it has begun so far, in words for people
    database_url  for psycopg; empty until PostgreSQL answers
    broker_url    for Celery; empty until Redis answers
    children      pid by name
    endings       of those that have ended since the start how they did it the last time, by name
    failure       why it ended, and the exit status that goes with it
    """

    pid: int
    started_at: str
    ready: bool = False
    steps: tuple[str, ...] = ()
    database_url: str = ""
    broker_url: str = ""
    children: Mapping[str, int] = field(default_factory=dict)
    endings: Mapping[str, Ending] = field(default_factory=dict)
    failure: str = ""
    failure_status: int = 0

    def error(self) -> ArenaError:
        """Return the failure as the exception that it was in the supervisor."""
        return ERRORS.get(self.failure_status, ArenaError)(self.failure)


def write(home: LadderHome, running: Running) -> None:
    """Write the state, whole or not at all."""
    draft = home.state.with_suffix(".new")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 - the mode
        json.dump(asdict(running), file)
    draft.replace(home.state)


def read(home: LadderHome) -> Running | None:
    """Read what a supervisor wrote last; it may be gone. None where there is nothing, or nothing that makes sense."""
    try:
        data: dict[str, Any] = json.loads(home.state.read_text())
        endings = {name: Ending(**ending) for name, ending in data["endings"].items()}
        return Running(**{**data, "steps": tuple(data["steps"]), "endings": endings})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
