"""`ladder game`: the games, their rules, maps and starters, and locking them; `ladder new`.

Imports inside functions: the library of Markdown takes longer to import than most commands run.
"""

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from cli.answer import Answer, Found, Rows, Whole, argument, option
from cli.context import Context
from cli.ladders.direct import can_be_read
from cli.options.files import file_argument
from cli.options.folder_defaults import bot_here, game_here, language_here, needed_game
from cli.options.names import (
    ByOption,
    first_game_argument,
    game_argument,
    game_option,
    league_option,
    operator_named,
    starter_language_option,
    statement_languages,
)
from cli.options.numbers import reason_in, seed_option
from cli.terminal.words import quoted
from engine.conversation import FOR_TWO, UNFAIR
from engine.errors import Refused, Unavailable, UnknownName, UsageFault
from engine.game import ENGLISH, Game
from engine.immutable import immutable
from engine.new_bot import starter, starter_language, write_bot_folder
from engine.referees.program import ProtocolKind, RefereeProgram, RepeatedBy
from ladder import actions, views
from ladder.names import BOT, read_name
from ladder.views.games import GameMap, listed, listed_game


def list_games(context: Context) -> Rows:
    """List the games and their leagues.

    Example: ladder game list --json
    """
    for fault in context.games.faults.values():
        context.say(quoted(f"ladder: {fault}"))
    return Answer(listed(context.games.all), [quoted(listed_line(game)) for game in context.games.all])


def listed_line(game: Game) -> str:
    line = f"{game.name}: {game.title}; {', '.join(league.title for league in game.leagues)}"
    if game.players != FOR_TWO:
        line += f"; {players_words(game)}"
    return line if game.program is None else f"{line}; its referee is a program ({game.program.kind})"


def show_map(
    context: Context,
    game: Annotated[str, game_argument()],
    seed: Annotated[int, seed_option("A signed 64-bit number.")],
    league: Annotated[str | None, league_option("Whose rules. [default: the highest league's]")] = None,
) -> Annotated[Answer, "Print it as golden records hold it."]:
    """Show the map that a seed gives.

    The same map as on CodinGame for the same seed.

    Example: ladder game map ocean-of-code --seed 1337
    """
    rules = context.games.find(game)
    level = (rules.leagues[-1] if league is None else rules.league(league)).rules_level
    maps = rules.maps_or_refuse()
    facts = GameMap(rules.name, seed, maps.facts(seed, level))
    return Answer(facts, lambda: Whole("\n".join(maps.draw(seed, level))))


def print_starter(
    context: Context,
    game: Annotated[str, game_argument()],
    language: Annotated[str | None, starter_language_option("Which language. [default: the folder's]")] = None,
) -> None:
    """Print a starter: a small bot that plays by the rules.

    Nothing but its source is printed. `ladder new` makes a whole folder of it.

    Example: ladder game starter ocean-of-code --language cpp > kraken.cpp
    """
    rules = context.games.find(game)
    typer.echo(starter(rules, starter_language(rules, language_here() if language is None else language)), nl=False)


def lock_game(
    context: Context,
    game: Annotated[str, game_argument()],
    why: Annotated[str, option("--why", "The reason, which players see.")],
    player: ByOption = None,
) -> Found:
    """Let a game take no new versions, and no other ones on its boards, until it is unlocked; play goes on.

    Versions that were submitted before are built and come onto the boards. `ladder season plan --submit-until` does the
    same from a time on. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder game lock ocean-of-code --why "final until Sunday"
    """
    lock = context.act(actions.games.lock, operator_named(player), context.game_named(game), reason_in(why))
    words = f"{lock.game} is locked: no version is submitted or activated until `ladder game unlock {lock.game}`"
    return Answer(lock, words)


def unlock_game(context: Context, game: Annotated[str, game_argument()], player: ByOption = None) -> None:
    """Let a game take versions again. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder game unlock ocean-of-code
    """
    lock = context.act(actions.games.unlock, operator_named(player), context.game_named(game))
    context.show(f"{lock.game} takes versions again")


LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Of POSIX; the first that is set says in which language a program speaks."""


@immutable
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


@immutable
class RulesOfLeague:
    """The league whose rules are shown. `bot`: whose league it is; `begins`: whether a new bot begins there."""

    game: Game
    title: str
    rules_level: int
    bot: str | None = None
    begins: bool = False


def show_game(
    context: Context,
    game: Annotated[str | None, first_game_argument()] = None,
    league: Annotated[
        str | None, league_option("Whose rules. [default: that of the folder's bot, else that where a new bot begins]")
    ] = None,
    bot: Annotated[str | None, option("--bot -b", "The rules of the league where this bot is.")] = None,
    lang: Annotated[
        str | None,
        option(
            "--lang",
            "In which language: en or fr. [default: by LC_ALL, LC_MESSAGES or LANG]",
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
    rules = rules_meant(context, game, league, bot)
    return Answer(listed_game(rules.game), lambda: list(rules_parts(context, rules, lang)))


def rules_parts(context: Context, rules: RulesOfLeague, lang: str | None) -> Iterator[RenderableType]:
    yield from map(quoted, referee_lines(rules.game))
    if rules.game.program is not None and not rules.game.statement_file:
        return
    from rich.markdown import Markdown

    language = statement_language(context, rules.game, lang)
    statement = "\n".join(head(rules, HEADS.get(language, HEADS[ENGLISH]))) + "\n\n"
    statement += rules.game.statement(rules.rules_level, language).rstrip("\n")
    yield Markdown(statement) if context.out.is_terminal else statement


def rules_meant(context: Context, game_name: str | None, league_name: str | None, bot: str | None) -> RulesOfLeague:
    if league_name is not None and bot is not None:
        raise UsageFault("--league and --bot cannot be used together: choose one")
    if bot is not None:
        return league_of(context, bot, game_here() if game_name is None else game_name)
    game = context.games.find(needed_game(context, game_name, "first"))
    if league_name is None and (folders_bot := bot_here()):
        with suppress(UnknownName, Unavailable, Refused):  # of a ladder that does not know that bot
            if can_be_read(context):
                return league_of(context, folders_bot, game.name)
    league = game.leagues[0] if league_name is None else game.league(league_name)
    return RulesOfLeague(game, league.title, league.rules_level, begins=league_name is None)


def league_of(context: Context, bot: str, game: str | None) -> RulesOfLeague:
    """Return the league where a bot is, with the rules that an operator may have given it."""
    name = read_name(bot).bot
    league = context.read(views.bots.league_of_bot, name, game)
    return RulesOfLeague(context.games.find(league.game), league.title, league.rules_level, bot=name)


def statement_language(context: Context, game: Game, typed: str | None) -> str:
    languages = game.statement_languages
    if typed is None:
        usual = next((os.environ[name] for name in LOCALE_VARIABLES if os.environ.get(name)), "")[:2].lower()
        return usual if usual in languages else ENGLISH
    language = typed.strip().lower()
    if len(language) != 2 or not language.isalpha():
        raise UsageFault(f"--lang {typed} is not a language: it is named by two letters, as in fr")
    if language in languages:
        return language
    known = ", ".join(languages)
    context.say(f"{game.name} has no rules in {language!r}, so they are in English; it has them in: {known}")
    return ENGLISH


def head(rules: RulesOfLeague, words: HeadWords) -> Iterator[str]:
    """Give the lines above the rules, in Markdown: whose they are, and which commands print the others."""
    first = words.rules_of.format(league=rules.title) + (words.where_bots_begin if rules.begins else "")
    if rules.bot is not None:
        first += words.where_a_bot_is.format(bot=rules.bot)
    others = [level for level in rules.game.rules_levels if level != rules.rules_level]
    yield f"> {first}. {words.elsewhere}\n>" if others else f"> {first}."
    for level in others:
        leagues = [league for league in rules.game.leagues if league.rules_level == level]
        low, high = leagues[0], leagues[-1]
        titles = low.title if low is high else words.from_to.format(first=low.title, last=high.title)
        yield f"> - {titles}{words.colon}`ladder game show {rules.game.name} --league {low.name}`"


REPEATED = {
    RepeatedBy.SEED: "the same seed is the same match",
    RepeatedBy.PARAMETERS: "a match is repeated by the parameters that the referee gives back, which are stored",
    RepeatedBy.NOTHING: "no match can be repeated: no pairs on one seed, no gauntlet against a baseline, no replay",
}


def players_words(game: Game) -> str:
    first, last = game.players[0], game.players[-1]
    if len(game.players) > 2 and len(game.players) == last - first + 1:
        return f"{first} to {last} players"
    return f"{' or '.join(map(str, game.players))} players"


def referee_lines(game: Game) -> Iterator[str]:
    program = game.program
    if program is None:
        return
    yield f"{game.title}: {players_words(game)}; its referee is a program of its own"
    yield f"  command     {shlex.join(program.command)}"
    yield f"  protocol    {program.kind.value}{f': {UNFAIR}' if program.kind is ProtocolKind.COMMAND else ''}"
    yield f"  files       {game.edition} ({', '.join(program.files) or 'none but game.toml'})"
    if program.needs:
        yield f"  needs       {', '.join(program.needs)}"
    yield f"  rules       {', '.join(f'{league.title} by level {league.rules_level}' for league in game.leagues)}"
    yield f"  limits      {limits_words(program)}"
    if program.parameters:
        yield f"  parameters  {', '.join(f'{key}={value}' for key, value in program.parameters)}"
    if program.fault_line is not None:
        yield f"  fault line  {program.fault_line}"
    seeds = f"{program.seed_bits} bits" if program.seed_bits else "it knows none"
    yield f"  seeds       {seeds}; {REPEATED[program.repeated_by]}"
    if not program.proven:
        yield f"  unproven    `ladder game check {game.name} --bots A B` finds out whether this is so"


def limits_words(program: RefereeProgram) -> str:
    if program.starts_bots:
        return f"{program.bounds.match_s} s for the whole match"
    if program.limits is not None:
        return f"{program.limits.first_ms} ms for a first answer, {program.limits.turn_ms} ms for each later one"
    if program.kind is ProtocolKind.SDK:
        return "the referee's own" + (", from a bank of time" if program.has_time_bank else "")
    return "1000 ms for a first answer, 100 ms for each later one"


def new_bot(
    context: Context,
    bot: Annotated[str, argument("What the bot is called.")],
    folder: Annotated[Path | None, file_argument("A folder that is empty or new. [default: the bot's name]")] = None,
    game: Annotated[str | None, game_option("Which game it plays. [default: LADDER_GAME]")] = None,
    language: Annotated[str | None, starter_language_option("What it is written in.")] = None,
) -> None:
    """Make a folder for a new bot.

    It holds a starter that plays by the rules, a README of the daily commands, and a `ladder.toml` that names game, bot
    and source, so that commands typed in the folder need not. A folder that holds something is refused with exit status
    3, and stays as it is.

    Example: ladder new kraken --game ocean-of-code --language cpp
    """
    if not BOT.fullmatch(bot):
        raise UsageFault(
            f"{bot!r} cannot be a bot's name: it has to begin with a letter or digit, then letters, digits, '_', '.' "
            "and '-' may follow, 39 characters at most"
        )
    rules = context.games.find(needed_game(context, game))
    where = Path(bot) if folder is None else folder
    for path in write_bot_folder(bot, rules, starter_language(rules, language), where):
        context.show(quoted(str(path)))
    goes_there = f"cd {shlex.quote(str(where))}"
    context.say(quoted(f"next: {goes_there}, then `ladder game show`; README.md there has the daily commands"))
