"""`ladder game show`: the rules of a league, in the reader's language where the game has them in it.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Answer
from cli.context import Context, this
from cli.database_to_read import can_be_read
from cli.game.referee_text import referee_lines
from cli.options.here import bot_here, game_here, no_game
from cli.options.names import first_game_argument, league_option, statement_languages
from cli.terminal.words import quoted
from engine.errors import Refused, Unavailable, UnknownName, UsageFault
from engine.game import ENGLISH
from ladder import views
from ladder.names import read_name
from ladder.views.games import listed_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from engine.game import Game, GameLeague
    from ladder.leagues.leagues import League

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Of POSIX; the first that is set says in which language a program speaks."""


@dataclass(frozen=True, slots=True)
class HeadWords:
    """What stands above the rules in one language. Templates for `str.format`."""

    rules_of: str
    where_bots_begin: str
    where_a_bot_is: str
    elsewhere: str
    from_to: str
    colon: str


HEADS = {
    ENGLISH: HeadWords(
        "These are the rules of **{league}**",
        ", where a new bot begins",
        ", where {bot} is",
        "Those of other leagues:",
        "{first} to {last}",
        ": ",
    ),
    "fr": HeadWords(
        "Voici les règles de **{league}**",
        ", où commence un nouveau bot",
        ", où se trouve {bot}",
        "Celles des autres ligues\u00a0:",
        "de {first} à {last}",
        "\u00a0: ",
    ),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """The league whose rules are shown. `bot`: whose league it is; `begins`: whether a new bot begins there."""

    game: Game
    title: str
    rules_level: int
    bot: str | None = None
    begins: bool = False


def show_game(
    typer_context: typer.Context,
    game: Annotated[str | None, first_game_argument()] = None,
    league: Annotated[
        str | None, league_option("Whose rules. [default: that of the folder's bot, else that where a new bot begins]")
    ] = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="The rules of the league where this bot is.")] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            help="In which language: en or fr. [default: by LC_ALL, LC_MESSAGES or LANG]",
            autocompletion=statement_languages,
        ),
    ] = None,
) -> Annotated[Answer, "Print what is known of the game, without rules."]:
    """Show a game's rules, as the players of a league need them.

    Those of the lowest league, unless another league or a bot is named; above them stands which command prints those of
    the other leagues. A game that is not described in the language asked for is shown in English. Of a game whose
    referee is a program there is shown what is known of that.

    Example: ladder game show ocean-of-code --league wood-1

    Example: ladder game show ocean-of-code --lang fr
    """
    context = this(typer_context)
    shown = shown_league(context, game, league, bot)
    return Answer(listed_game(shown.game), lambda: list(rules_parts(context, shown, lang)))


def rules_parts(context: Context, shown: Shown, lang: str | None) -> Iterator[RenderableType]:
    from rich.markdown import Markdown

    yield from map(quoted, referee_lines(shown.game))
    if shown.game.program is not None and not shown.game.statement_file:
        return
    language = statement_language(context, shown.game, lang)
    statement = "\n".join(head(shown, HEADS.get(language, HEADS[ENGLISH]))) + "\n\n"
    statement += shown.game.statement(shown.rules_level, language).rstrip("\n")
    yield Markdown(statement) if context.out.is_terminal else statement


def shown_league(context: Context, game: str | None, league: str | None, bot: str | None) -> Shown:
    """Find whose rules are asked for. Raises UsageFault, UnknownName; Unavailable where a bot's cannot be looked up."""
    if league is not None and bot is not None:
        raise UsageFault("--league and --bot cannot be used together: choose one")
    named = game_here() if game is None else game
    if bot is not None:
        return league_of(context, bot, named)
    if named is None:
        raise no_game(context.games)
    found = context.games.find(named)
    if league is not None:
        return of_game(found, found.league(league))
    own = bot_here()
    return (league_if_known(context, own, named) if own else None) or of_game(found, found.leagues[0], begins=True)


def of_game(game: Game, league: GameLeague, *, begins: bool = False) -> Shown:
    return Shown(game, league.title, league.rules_level, begins=begins)


def league_of(context: Context, bot: str, game: str | None) -> Shown:
    """Return the league where a bot is, with the rules that an operator may have given it."""
    name = read_name(bot).bot
    found: League = context.read(views.bots.league_of_bot, name, game)
    return Shown(context.games.find(found.game), found.title, found.rules_level, bot=name)


def league_if_known(context: Context, bot: str, game: str) -> Shown | None:
    """Return the league of the bot whose folder this is; None where there is no ladder, or it does not know the bot."""
    try:
        return league_of(context, bot, game) if can_be_read(context) else None
    except (UnknownName, Unavailable, Refused):
        return None


def statement_language(context: Context, game: Game, wanted: str | None) -> str:
    """Return in which language a game's rules are shown; where the one that is asked for is not there, say so."""
    known = game.statement_languages
    if wanted is None:
        wanted = locale_language(os.environ)
        return wanted if wanted in known else ENGLISH
    language = wanted.strip().lower()
    if len(language) != 2 or not language.isalpha():
        raise UsageFault(f"--lang {wanted} is not a language: it is named by two letters, as in fr")
    if language in known:
        return language
    context.say(f"{game.name} has no rules in {language!r}, so they are in English; it has them in: {', '.join(known)}")
    return ENGLISH


def locale_language(environment: Mapping[str, str]) -> str:
    """Return the first two letters of the locale: those of a language, or others where it names none, as in C."""
    return next((environment[name] for name in LOCALE_VARIABLES if environment.get(name)), "")[:2].lower()


def head(shown: Shown, words: HeadWords) -> Iterator[str]:
    """Give the lines above the rules, in Markdown: whose they are, and which commands print the others."""
    first = words.rules_of.format(league=shown.title)
    if shown.bot is not None:
        first += words.where_a_bot_is.format(bot=shown.bot)
    elif shown.begins:
        first += words.where_bots_begin
    others = [level for level in shown.game.rules_levels if level != shown.rules_level]
    yield f"> {first}. {words.elsewhere}" if others else f"> {first}."
    if others:
        yield ">"
    for level in others:
        leagues = [league for league in shown.game.leagues if league.rules_level == level]
        titles = leagues[0].title
        if len(leagues) > 1:
            titles = words.from_to.format(first=titles, last=leagues[-1].title)
        yield f"> - {titles}{words.colon}`ladder game show {shown.game.name} --league {leagues[0].name}`"
