"""Options and arguments that take a name: games, leagues, languages, sandboxes, which a shell completes, and people.

The names are looked up when somebody presses Tab. They are those that need no services to be known, and the games and
leagues of the ladder's database, if one answers. Games and bots may be left out in a bot's folder: see `here`.

How this works. Where no services run and none are named, nothing is asked. Otherwise a thread asks, and a shell that
waits for names gets none where the answer takes too long; the thread ends with the program. While a line is completed
no command runs that could find out which ladder it means; so that is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

import engine
import ladder
from cli.answer import argument, option
from cli.context import default_player, this
from cli.ladders.server import server_meant
from cli.options.folder_defaults import bot_or_here, game_or_here, named_version, required_bot, required_game
from cli.program.command_list import WITH_NO_LADDER, is_local
from engine import toolchains
from engine.boxes import ALL_TIERS, AUTO
from engine.errors import ArenaError, UsageFault
from ladder.access import Actor, Role

if TYPE_CHECKING:
    from engine.game import Game

PATIENCE_S = 2.0
"""Somebody who pressed Tab waits no longer."""


def leagues_of_games(typer_context: typer.Context) -> Mapping[str, list[str]]:
    """Return the games of the ladder with the names of their leagues; none where nothing answers soon."""
    leagues_by_game: dict[str, list[str]] = {}
    try:
        question = question_for(typer_context)
    except ArenaError:
        return leagues_by_game

    def ask() -> None:
        with suppress(Exception):  # a word of complaint would stand in the middle of the line that is typed
            leagues_by_game.update(question())

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(PATIENCE_S)
    return {} if asking.is_alive() else leagues_by_game


def question_for(typer_context: typer.Context) -> Callable[[], Mapping[str, list[str]]]:
    context, root = this(typer_context), typer_context.find_root()
    command = " ".join(typer_context.command_path.split()[1:])
    if not (is_local(command) or command in WITH_NO_LADDER):
        context.server = server_meant(root.params.get("server"))
    if context.server is None:
        return partial(ladder.games.catalogue.leagues_of_games_at, context.database_url)

    def leagues_there() -> Mapping[str, list[str]]:
        try:
            return context.read(ladder.games.games.leagues_by_game, context.games)
        finally:
            context.at_end.close()

    return leagues_there


def player_option(who: str) -> Any:
    return option("--player -p", f"{who} [default: LADDER_PLAYER or your login name]")


OwnerOption = Annotated[str | None, player_option("Whose it is.")]
ByOption = Annotated[str | None, player_option("Who does it; it is written down.")]


def operator_named(player: str | None) -> Actor:
    """Return who does something that is written down: at a terminal everybody may name any. Raises UsageFault."""
    if player == "":
        raise UsageFault("--player is empty: name who does it, or leave it out to be yourself")
    return Actor(default_player() if player is None else player, Role.OPERATOR)


def owner_named(player: str | None) -> Actor:
    """Return the player in whose name something is done with bots. Raises UsageFault; Refused for the house."""
    if player == "":
        raise UsageFault("--player is empty: name a player, or leave it out to be yourself")
    name = default_player() if player is None else player
    ladder.bots.players.require_other_than_house(name)
    return Actor(name, Role.OPERATOR)


def game_option(purpose: str, *, from_folder: bool = True) -> Any:
    """Return the option --game. `purpose`: its help; `from_folder`: in a bot's folder it means that bot's game."""
    return option("--game -g", purpose, autocompletion=games, callback=game_or_here if from_folder else None)


def ladder_game_argument(purpose: str = "The game.", *, or_folder: bool = False) -> Any:
    """Return an argument that names a game whose referee is a program. `or_folder`: it can also be a folder."""

    def games_or_folders(context: typer.Context, incomplete: str) -> list[str]:
        return ladder_games(context, incomplete) if incomplete else []  # the shell offers folders then

    return argument(purpose, autocompletion=games_or_folders if or_folder else ladder_games)


def found_argument(purpose: str, find: Callable[[typer.Context, str | None], str | None], **settings: Any) -> Any:
    """Return an argument whose default a callback finds."""
    return argument(purpose, default_factory=type(None), show_default=False, callback=find, **settings)


def game_argument(what: str = "The game's name.") -> Any:
    return found_argument(f"{what} [default: the folder's, or LADDER_GAME]", required_game, autocompletion=games)


def starter_language_option(purpose: str) -> Any:
    def starters(context: typer.Context, incomplete: str) -> list[str]:
        return of_games(context, incomplete, engine.new_bot.starters_of)

    return option("--language -l", purpose, autocompletion=starters)


def bot_argument(purpose: str) -> Any:
    return found_argument(f"{purpose} [default: the folder's bot]", required_bot)


def version_argument(purpose: str) -> Any:
    return argument(f"{purpose} In a bot's folder v3 is enough.", callback=named_version)


def games(context: typer.Context, incomplete: str) -> list[str]:
    return beginning(incomplete, [*this(context).games.without_further().names, *leagues_of_games(context)])


def ladder_games(context: typer.Context, incomplete: str) -> list[str]:
    return beginning(incomplete, leagues_of_games(context))


def leagues(context: typer.Context, incomplete: str) -> list[str]:
    if (of_ladder := leagues_of_games(context).get(str(context.params.get("game")))) is not None:
        return beginning(incomplete, of_ladder)
    return of_games(context, incomplete, lambda game: [league.name for league in game.leagues])


def bosses(context: typer.Context, incomplete: str) -> list[str]:
    """Return the bosses that begin like this, of the game that is named or of all; else the shell offers files."""
    return of_games(context, incomplete, lambda game: game.bosses) if incomplete else []


def languages(incomplete: str) -> list[str]:
    return beginning(incomplete, toolchains.languages.languages())


def statement_languages(context: typer.Context, incomplete: str) -> list[str]:
    return of_games(context, incomplete, lambda game: game.statement_languages)


def of_games(context: typer.Context, incomplete: str, names: Callable[[Game], Iterable[str]]) -> list[str]:
    """Return the names that begin like this, of the game that is named or of all."""
    games, named = this(context).games.without_further(), context.params.get("game")
    meant = (game for game in games.all if named not in games or game.name == named)
    return beginning(incomplete, (name for game in meant for name in names(game)))


def sandboxes(incomplete: str) -> list[str]:
    return beginning(incomplete, (AUTO, *ALL_TIERS))


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


first_game_argument = partial(
    argument, "The game, for instance ocean-of-code. [default: the folder's, or LADDER_GAME]", autocompletion=games
)
"""Of a game that is followed by others; the command finds out whether it was left out."""
game_named_argument = partial(argument, "The game's name.", autocompletion=games)
player_argument = partial(argument, autocompletion=bosses)
bot_option = partial(option, "--bot -b", callback=bot_or_here)
league_option = partial(option, "--league", autocompletion=leagues)
ONLY_LEAGUE = "Only this league; --game says of which game, if several have one of that name."
OnlyLeagueOption = Annotated[str | None, league_option(ONLY_LEAGUE)]
SANDBOXES = (
    "auto (the strongest here), bubblewrap+cgroup, bubblewrap, nested, or none: for your own bots only. [default: "
    "LADDER_SANDBOX or auto]"
)
SandboxOption = Annotated[str | None, option("--sandbox", SANDBOXES, autocompletion=sandboxes)]
