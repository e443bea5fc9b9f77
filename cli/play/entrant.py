"""Somebody who is to play: a name, a source, and the league it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.series import built
from engine.toolchains.languages import find_language

if TYPE_CHECKING:
    from engine.toolchains.bot_source import Source
    from engine.toolchains.build import Program
    from engine.toolchains.own_program import OwnProgram


@dataclass(frozen=True, slots=True)
class Home:
    """The league of a boss or a version."""

    title: str
    rules_level: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who is to play. `home`: the league it belongs to, by title and with its rules level; None for a file."""

    name: str
    language: str
    content: Source | OwnProgram
    home: Home | None = None

    def program(self, tier: str | None) -> Program:
        """Build it. Raises BuildRefused, MissingTool."""
        return built(self.content, find_language(self.language), tier)
