"""Somebody who is to play: a name, a source, and the league it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field, replace
from typing import TYPE_CHECKING

from engine.immutable import immutable
from engine.series import built
from engine.text import one_line
from engine.toolchains.given_bot import read_bot
from engine.toolchains.languages import find_language, language_of
from engine.toolchains.params import NO_PARAMS, Params, params_text, with_params
from engine.toolchains.source import Source

if TYPE_CHECKING:
    from engine.game import Game, GameLeague
    from engine.toolchains.given_bot import GivenBot, OwnProgram
    from engine.toolchains.program import Program
    from ladder.bots.sources import VersionSource
    from ladder.leagues.leagues import League

    Home = GameLeague | League
    """The league of a boss or a version."""


@immutable
class Entrant:
    """Somebody who is to play. `home`: None for a file; `params`: all; `given`: those given for these matches."""

    name: str
    language: str
    content: Source | OwnProgram
    home: Home | None = None
    params: Params = field(default_factory=dict[str, str])
    given: Params = field(default_factory=dict[str, str])

    @property
    def label(self) -> str:
        return f"{self.name} ({params_text(self.given)})" if self.given else self.name

    def but(self, params: Params) -> Entrant:
        return replace(self, params={**self.params, **params}, given=params)

    @property
    def without_params(self) -> Entrant:
        return replace(self, params=NO_PARAMS)

    def program(self, tier: str | None) -> Program:
        return with_params(built(self.content, find_language(self.language), tier, self.name), self.params)


def of_file(bot: GivenBot, name: str | None = None) -> Entrant:
    return Entrant(name or bot.name, bot.language.name, bot.content)


def of_files(words: Iterable[str], source_chars: int) -> dict[str, tuple[Entrant, GivenBot]]:
    """Read files by the words that name them; namesakes are called as given. Raises UsageFault, UnknownName, Refused"""
    bots = {word: read_bot(word, source_chars) for word in dict.fromkeys(words)}
    names = Counter(bot.name for bot in bots.values())
    return {word: (of_file(bot, one_line(word) if names[bot.name] > 1 else None), bot) for word, bot in bots.items()}


def of_version(version: VersionSource, home: Home | None = None) -> Entrant:
    return Entrant(version.name, version.language, version.source, home, version.params)


def of_boss(game: Game, name: str) -> Entrant:
    league = game.bosses[name]
    path = game.bots_folder / str(league.boss)
    return Entrant(name, language_of(path).name, path.read_text("utf-8"), league, league.boss_params)
