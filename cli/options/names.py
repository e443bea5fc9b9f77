"""Options and arguments that take one of the known names: games, leagues, languages, sandboxes; a shell completes them.

The names are looked up when somebody presses Tab. They are those that need no services to be known, and the games and
leagues of the ladder's database, if one answers. Games and bots may be left out in a bot's folder: see `here`.

Imports inside functions: help and parsing need no names, only completion and checks do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from cli.context import this
from cli.options.here import bot_or_here, game_or_here, named_version, required_bot, required_game
from cli.options.ladder_games import leagues_of_games
from engine.boxes import ALL_TIERS, AUTO

if TYPE_CHECKING:
    from engine.game import Game, Games


def first_game_argument() -> Any:
    """Return an argument that names a game and is followed by others; the command finds out whether it was left out."""
    return typer.Argument(
        help="The game, for instance ocean-of-code. [default: the folder's, or LADDER_GAME]",
        show_default=False,
        autocompletion=games,
    )


def game_option(purpose: str, *, from_folder: bool = True) -> Any:
    """Return the option --game. `purpose`: its help; `from_folder`: in a bot's folder it means that bot's game."""
    return typer.Option(
        "--game", "-g", help=purpose, autocompletion=games, callback=game_or_here if from_folder else None
    )


def game_named_argument() -> Any:
    """Return an argument that names a game, in every folder."""
    return typer.Argument(help="The game's name.", show_default=False, autocompletion=games)


def ladder_game_argument(purpose: str = "The game.", *, or_folder: bool = False) -> Any:
    """Return an argument that names a game whose referee is a program. `or_folder`: it can also be a folder."""
    completion = ladder_games_or_folders if or_folder else ladder_games
    return typer.Argument(help=purpose, show_default=False, autocompletion=completion)


def game_argument(what: str = "The game's name.") -> Any:
    """Return an argument that names a game, by default that of the folder. `what`: its help."""
    return typer.Argument(
        help=f"{what} [default: the folder's, or LADDER_GAME]",
        show_default=False,
        autocompletion=games,
        default_factory=nothing,
        callback=required_game,
    )


def bot_option(purpose: str) -> Any:
    """Return the option --bot, which in a bot's folder means that bot. `purpose`: its help."""
    return typer.Option("--bot", "-b", help=purpose, callback=bot_or_here)


def starter_language_option(purpose: str) -> Any:
    """Return the option --language of what begins with a starter, completed to its game's. `purpose`: its help."""
    return typer.Option("--language", "-l", help=purpose, autocompletion=starter_languages, show_default=False)


def bot_argument(purpose: str) -> Any:
    """Return an argument that names a bot, by default that of the folder. `purpose`: its help."""
    return typer.Argument(
        help=f"{purpose} [default: the folder's bot]",
        show_default=False,
        default_factory=nothing,
        callback=required_bot,
    )


def version_argument(purpose: str) -> Any:
    """Return an argument that names a version; in a bot's folder its number is enough. `purpose`: its help."""
    return typer.Argument(help=f"{purpose} In a bot's folder v3 is enough.", show_default=False, callback=named_version)


def nothing() -> None:
    """Return the default of an argument for which a callback finds another."""


def player_argument(purpose: str) -> Any:
    """Return an argument that names a file, a boss or a version. `purpose`: its help."""
    return typer.Argument(help=purpose, show_default=False, autocompletion=bosses)


def league_option(purpose: str) -> Any:
    """Return the option --league, completed to the leagues of the game that stands before it, else to those of all."""
    return typer.Option("--league", help=purpose, autocompletion=leagues)


def games(context: typer.Context, incomplete: str) -> list[str]:
    """Return the games that begin like this."""
    return beginning(incomplete, [*games_here(context).names, *leagues_of_games(context)])


def ladder_games(context: typer.Context, incomplete: str) -> list[str]:
    """Return the games of the ladder that begin like this."""
    return beginning(incomplete, leagues_of_games(context))


def ladder_games_or_folders(context: typer.Context, incomplete: str) -> list[str]:
    """Do the same; where nothing was typed yet, the shell offers folders."""
    return ladder_games(context, incomplete) if incomplete else []


def leagues(context: typer.Context, incomplete: str) -> list[str]:
    """Return the leagues that begin like this, of the game that is named or of all."""
    of_ladder = leagues_of_games(context).get(str(context.params.get("game")))
    if of_ladder is not None:
        return beginning(incomplete, of_ladder)
    return beginning(incomplete, (league.name for game in named_or_all(context) for league in game.leagues))


def bosses(context: typer.Context, incomplete: str) -> list[str]:
    """Return the bosses that begin like this, of the game that is named or of all; else the shell offers files."""
    games = games_here(context)
    name = context.params.get("game")
    known = (boss for game in games.all if name not in games or game.name == name for boss in game.bosses)
    return beginning(incomplete, known) if incomplete else []


def languages(incomplete: str) -> list[str]:
    """Return the languages that begin like this."""
    from engine.toolchains import languages

    return beginning(incomplete, languages.languages())


def starter_languages(context: typer.Context, incomplete: str) -> list[str]:
    """Return the languages that begin like this in which the game that is named, or any, has a starter."""
    from engine.new_bot.folder import starters_of

    return beginning(incomplete, (name for game in named_or_all(context) for name in starters_of(game)))


def statement_languages(context: typer.Context, incomplete: str) -> list[str]:
    """Return the languages that begin like this and in which the game that is named, or any, has its rules."""
    return beginning(incomplete, (name for game in named_or_all(context) for name in game.statement_languages))


def named_or_all(context: typer.Context) -> list[Game]:
    """Return the game that stands on the line that is completed, or all where none does."""
    games = games_here(context)
    name = context.params.get("game")
    return [game for game in games.all if name not in games or game.name == name]


def games_here(context: typer.Context) -> Games:
    """Return the games with rules in Python that can be played here."""
    return this(context).games.without_further()


def sandboxes(incomplete: str) -> list[str]:
    """Return the sandboxes that begin like this."""
    return beginning(incomplete, (AUTO, *ALL_TIERS))


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin like this, each once."""
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
