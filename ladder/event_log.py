"""What the processes of a ladder write into their logs: one event a line, as text or as JSON.

LADDER_LOG        `text`, or `json`: an object a line
LADDER_LOG_LEVEL  the least that is written: `debug`, `info`, `warning` or `error`

How this works. All lines go through the standard library's logging, so those of libraries have the same form: their
event is `message`, with what they say in `words`. Each line is escaped, whatever a bot has printed, and the passwords
of the services are taken out of it. Of a match each line has the number: it can be followed over all machines.
"""

import json
import logging
import os
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from engine.errors import UsageFault, plain_words

FORM, LEVEL = "LADDER_LOG", "LADDER_LOG_LEVEL"
JSON = "json"
CHOICES = {FORM: ("text", JSON), LEVEL: ("info", "debug", "warning", "error")}
"""What each variable can be; the first is meant where it is not set."""
ADDRESSES = ("LADDER_DATABASE_URL", "LADDER_DATABASE_SESSION_URL", "LADDER_BROKER_URL")
PLAIN = re.compile(r"[\w.,:@/+-]+", re.ASCII)
HOST = socket.gethostname()
LOG = logging.getLogger("ladder.events")


def event(name: str, level: int = logging.INFO, **fields: object) -> None:
    """Write down what has happened. `fields`: None is left out; times end in `ms` or `s`."""
    LOG.log(level, name, extra={"fields": {key: value for key, value in fields.items() if value is not None}})


def ms_since(began: float) -> int:
    """Return milliseconds. `began`: by the clock that only runs forward, in seconds."""
    return round(1000 * (time.monotonic() - began))


class Outage:
    """A service that does not answer: a line when it is lost, and one when it is found again, with the seconds."""

    def __init__(self, service: str) -> None:
        """`service`: as its events are called, `database` or `broker`."""
        self._service = service
        self._since: float | None = None

    def begins(self, why: str) -> None:
        if self._since is None:
            self._since = time.monotonic()
            event(f"{self._service}_lost", logging.WARNING, words=why)

    def ends(self) -> None:
        if self._since is not None:
            event(f"{self._service}_found", s=round(time.monotonic() - self._since, 1))
            self._since = None


def log_settings(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the form and the level. Raises UsageFault for a word that is neither."""
    words = {name: environment.get(name) or choices[0] for name, choices in CHOICES.items()}
    for name, word in words.items():
        if word not in CHOICES[name]:
            raise UsageFault(f"{name} is {word!r}; it must be one of: {', '.join(CHOICES[name])}")
    return words[FORM], words[LEVEL]


class Unbuffered(logging.Handler):
    """Writes lines to the standard error without Python's buffers: some are written in the middle of a signal."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # there is no reader any more
            os.write(2, f"{self.format(record)}\n".encode(errors="replace"))


def log_to(handler: logging.Handler, environment: Mapping[str, str] = os.environ) -> None:
    """Let everything be written to a handler, what libraries say from warnings on. Raises UsageFault."""
    form, level = log_settings(environment)
    handler.setFormatter(Lines(is_json=form == JSON, secrets=secrets_in(environment)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    least = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(logging.WARNING, least))
    logging.getLogger("ladder").setLevel(least)


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    passwords = [environment.get("PGPASSWORD")]
    for name in ADDRESSES:
        try:
            password = urlsplit(environment.get(name, "")).password
        except ValueError:  # an address that cannot be read is refused elsewhere
            continue
        passwords += [password, unquote(password or "")]
    return tuple(filter(None, passwords))


class Lines(logging.Formatter):
    """Makes a line of a record. `secrets`: what must not stand in it."""

    def __init__(self, *, is_json: bool, secrets: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._is_json, self._secrets = is_json, secrets

    def format(self, record: logging.LogRecord) -> str:
        values = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            **self._contents(record),
            "host": HOST,
            "pid": record.process,
        }
        line = json.dumps(values, default=str) if self._is_json else as_text(values)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line

    def _contents(self, record: logging.LogRecord) -> dict[str, Any]:
        """Return the event and its fields. An error's words stand for its traceback, unless that is asked."""
        fields = getattr(record, "fields", None)
        if fields is not None:
            return {"event": record.getMessage(), **fields}
        values = {"event": "message", "words": record.getMessage()}
        if record.exc_info and record.exc_info[1]:
            fault = plain_words(record.exc_info[1])
            values["words"] += "" if fault in values["words"] else f": {fault}"
            if os.environ.get("LADDER_DEBUG"):
                values["traceback"] = self.formatException(record.exc_info)
        return values


def as_text(values: Mapping[str, Any]) -> str:
    first, rest = list(values.values())[:3], list(values.items())[3:]
    return " ".join([*map(str, first), *(f"{name}={cell(value)}" for name, value in rest)])


def cell(value: object) -> str:
    """Return a value as a word; in quotes, and escaped, where it is not one."""
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text)
