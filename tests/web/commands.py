"""Commands as they are typed where this or that ladder is meant."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from cli.context import Context
from cli.ladders.server import server_meant
from cli.run import run
from ladder.settings import settings_from

SAYS_WHICH = ("DATABASE_URL", "BROKER_URL", "SERVER", "TOKEN", "WEB_MODE", "PUBLIC_URL")
WHICH_LADDER = tuple(f"LADDER_{name}" for name in SAYS_WHICH)


@dataclass(frozen=True)
class Printed:
    """What a command did."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Typist:
    """Types commands, each with the variables that say which ladder is meant."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, words: str, environment: Mapping[str, str]) -> Printed:
        self.mean(environment)
        self.capsys.readouterr()
        status = run(words.split(), Context(settings_from()))
        found = self.capsys.readouterr()
        return Printed(status, re.sub(r"about \d+ (s|min)", "soon", found.out), found.err)

    def mean(self, environment: Mapping[str, str]) -> None:
        for name in WHICH_LADDER:
            self.monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            self.monkeypatch.setenv(name, value)

    def context(self, environment: Mapping[str, str]) -> Context:
        self.mean(environment)
        return Context(settings_from(), server_meant(None))
