"""Options and arguments that take one of the known names: games, leagues, languages, sandboxes; a shell completes them.

The names are those that need no services to be known, and are looked up when somebody presses Tab.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer


def game_option(purpose: str) -> Any:
    """Return the option --game. `purpose`: its help."""
    return typer.Option("--game", "-g", help=purpose, autocompletion=games)


def game_argument(purpose: str = "The game's name.") -> Any:
    """Return an argument that names a game. `purpose`: its help."""
    return typer.Argument(help=purpose, show_default=False, autocompletion=games)


def league_option(purpose: str) -> Any:
    """Return the option --league, completed to the leagues of the game that stands before it, else to those of all."""
    return typer.Option("--league", help=purpose, autocompletion=leagues)


def games(incomplete: str) -> list[str]:
    """Return the games that begin like this."""
    from engine.games.catalogue import all_games

    return beginning(incomplete, all_games().names)


def leagues(context: typer.Context, incomplete: str) -> list[str]:
    """Return the leagues that begin like this, of the game that is named or of all."""
    from engine.games.catalogue import all_games

    games = all_games()
    name = context.params.get("game")
    return beginning(
        incomplete,
        (league.name for game in games.all if name not in games or game.name == name for league in game.leagues),
    )


def languages(incomplete: str) -> list[str]:
    """Return the languages that begin like this."""
    from engine.toolchains import languages

    return beginning(incomplete, languages.languages())


def sandboxes(incomplete: str) -> list[str]:
    """Return the sandboxes that begin like this."""
    from engine.sandbox import AUTO, TIERS

    return beginning(incomplete, (AUTO, *TIERS))


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin like this, each once."""
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
