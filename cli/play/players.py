"""Who plays in `ladder play`: files, the bosses that come with a game, and versions of the ladder.

A path, or a word with an ending that bots have, is a file, a folder or an archive; a program may have arguments.
`boss-bronze` is the boss that the game ships for its league Bronze, and needs no database. Every other word is a
version as in `nemo@v3`, or a bot, and so the version that plays for it now: its source is taken from the ladder's
database, whether the services run or not.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cli import entrant
from cli.context import Context
from cli.entrant import Entrant
from engine.text import one_line
from engine.toolchains.given_bot import means_file, name_of, path_and_arguments, read_bot

if TYPE_CHECKING:
    from engine.game import Game


def entrants(context: Context, game: Game, words: Sequence[str]) -> list[Entrant]:
    """Return who is meant, in their order. Two files of the same name are called as they were given.

    Raises UsageFault, UnknownName, Refused where a word names no player; Unavailable where the database that
    knows a version cannot be read.
    """
    known = {word: file_entrant(word, words, context.settings.source_chars) for word in words if is_path(word)}
    others = [word for word in dict.fromkeys(words) if word not in known]
    known |= {word: entrant.of_boss(game, word.lower()) for word in others if word.lower() in game.bosses}
    stored = [word for word in others if word not in known]
    if stored:
        from cli.play.stored import stored_entrants

        known |= stored_entrants(context, game, stored)
    return [known[word] for word in words]


def is_path(word: str) -> bool:
    try:
        return means_file(word) or path_and_arguments(word)[0].is_file()
    except OSError:  # it is longer than the name of a file can be
        return False


def file_entrant(word: str, words: Sequence[str], source_chars: int) -> Entrant:
    """Read a file. Raises UsageFault, UnknownName, Refused."""
    bot = read_bot(word, source_chars)
    namesakes = {other for other in words if is_path(other) and name_of(*path_and_arguments(other)) == bot.name}
    return entrant.of_file(bot, bot.name if len(namesakes) == 1 else one_line(word))
