"""Who plays in `ladder play`: files, the bosses that come with a game, and versions of the ladder.

A path, or a word with an ending that bots have, is a file, a folder or an archive; a program may have arguments.
`boss-bronze` is the boss that the game ships for its league Bronze, and needs no database. Every other word is a
version as in `nemo@v3`, or a bot, and so the version that plays for it now: its source is taken from the ladder's
database, whether the services run or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cli.context import Context
from cli.database_to_read import can_be_read, database_to_read
from cli.run import folder_advice, is_folder
from engine.errors import Refused, Unavailable, UsageFault
from engine.series import built
from engine.text import one_line
from engine.toolchains.given_bot import means_file, name_of, path_and_arguments, read_bot
from engine.toolchains.languages import find_language, language_of
from engine.toolchains.params import Params, params_text, with_params
from ladder.bots.bots import bot_of_version
from ladder.bots.sources import sources_of
from ladder.gauntlets.opponents import version_named
from ladder.leagues.leagues import leagues

if TYPE_CHECKING:
    from engine.game import Game
    from engine.toolchains.build import Program
    from engine.toolchains.own_program import OwnProgram
    from engine.toolchains.tree import Source
    from ladder.database.connection import Connection


@dataclass(frozen=True, slots=True)
class Home:
    """The league of a boss or a version."""

    title: str
    rules_level: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who is to play. `home`: the league it belongs to, by title and with its rules level; None for a file.

    `params`: all its parameters; `given`: those of them that were given for these matches.
    """

    name: str
    language: str
    content: Source | OwnProgram
    home: Home | None = None
    params: Params = field(default_factory=dict[str, str])
    given: Params = field(default_factory=dict[str, str])

    @property
    def label(self) -> str:
        """Return how people call it here: with the parameters that were given for these matches."""
        return f"{self.name} ({params_text(self.given)})" if self.given else self.name

    def but(self, given: Params) -> Entrant:
        """Return it with these parameters, which come before those of its version."""
        return replace(self, params={**self.params, **given}, given=given)

    def program(self, tier: str | None) -> Program:
        """Build it. Raises BuildRefused, MissingTool."""
        return with_params(built(self.content, find_language(self.language), tier, self.name), self.params)


def stored_entrants(context: Context, game: Game, words: Sequence[str]) -> dict[str, Entrant]:
    """Read versions by the words that name them. Raises UsageFault, UnknownName, Refused, Unavailable."""
    if not can_be_read(context):
        folder = next(filter(is_folder, words), None)
        if folder is not None:
            raise UsageFault(f"{one_line(folder)} is not a boss of {game.name}; {folder_advice(folder)}")
        raise Unavailable(
            f"{one_line(words[0])} is not a file, nor one of the bosses of {game.name} ({', '.join(game.bosses)}), and "
            f"there is no ladder in {context.home.folder} to look it up in"
        )
    with database_to_read(context) as connection:
        return {word: stored_entrant(connection, game, word) for word in words}


def stored_entrant(connection: Connection, game: Game, word: str) -> Entrant:
    """Read one version. Raises UsageFault, UnknownName, Refused."""
    version = version_named(connection, word, game.name)
    if version.game != game.name:
        raise Refused(f"{version.name} plays {version.game}, not {game.name}")
    home_id = bot_of_version(connection, version.id).league_id
    (home,) = (league for league in leagues(connection, game.name) if league.id == home_id)
    source = sources_of(connection, [version.id])[version.id]
    own = Home(home.title, home.rules_level)
    return Entrant(version.name, source.language, source.source, own, source.params)


def entrants(context: Context, game: Game, words: Sequence[str]) -> list[Entrant]:
    """Return who is meant, in their order. Two files of the same name are called as they were given.

    Raises UsageFault, UnknownName, Refused where a word names no player; Unavailable where the database that
    knows a version cannot be read.
    """
    known = {word: file_entrant(word, words, context.settings.source_chars) for word in words if is_path(word)}
    others = [word for word in dict.fromkeys(words) if word not in known]
    known |= {word: boss_entrant(game, word.lower()) for word in others if word.lower() in game.bosses}
    stored = [word for word in others if word not in known]
    if stored:
        known |= stored_entrants(context, game, stored)
    return [known[word] for word in words]


def is_path(word: str) -> bool:
    """Say whether a word means a file: it looks like one, or there is one."""
    try:
        return means_file(word) or path_and_arguments(word)[0].is_file()
    except OSError:  # it is longer than the name of a file can be
        return False


def file_entrant(word: str, words: Sequence[str], source_chars: int) -> Entrant:
    """Read a file. Raises UsageFault, UnknownName, Refused."""
    bot = read_bot(word, source_chars)
    namesakes = {other for other in words if is_path(other) and name_of(*path_and_arguments(other)) == bot.name}
    return Entrant(bot.name if len(namesakes) == 1 else one_line(word), bot.language.name, bot.content)


def boss_entrant(game: Game, name: str) -> Entrant:
    """Return the boss of that name that the game ships."""
    league = game.bosses[name]
    path = game.bots_folder / str(league.boss)
    return Entrant(name, language_of(path).name, path.read_text("utf-8"), Home(league.title, league.rules_level))
