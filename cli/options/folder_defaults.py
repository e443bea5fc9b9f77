"""Options and arguments that may be left out in a bot's folder: its game, its bot, its source.

How this works. The nearest `ladder.toml`, from the folder where the command is typed upwards, says what is meant; for a
game the variable LADDER_GAME does where no such file names one. What is typed always wins. Callbacks of Typer put this
in the place of what was left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli.context import Context, this
from engine import toolchains
from engine.conversation import FOR_TWO
from engine.errors import UsageFault
from engine.text import alternatives
from engine.toolchains.bot_folder import BotFolder, find_bot_folder, read_bot_folder
from ladder.names import NUMBER

if TYPE_CHECKING:
    from engine.game import Game, Games

GAME_VARIABLE = "LADDER_GAME"
MOST_SENT_CHARS = 3_000_000
"""Of a source that goes to a server, which says how many it accepts."""
ONLY_IN_A_FOLDER = "only in a bot's folder, one with a `ladder.toml`, it may be left out"


def folder_here(start: Path | None = None) -> BotFolder | None:
    """Return the nearest bot's folder, from `start` or here, or None. Raises UsageFault for a wrong ladder.toml."""
    try:
        folder = find_bot_folder(Path.cwd() if start is None else start)
    except OSError:  # where the command is typed is no more
        return None
    return None if folder is None else read_bot_folder(folder)


def game_here() -> str | None:
    return ((folder := folder_here()) and folder.game) or os.environ.get(GAME_VARIABLE) or None


def bot_here() -> str | None:
    return folder.bot if (folder := folder_here()) else None


def language_here() -> str | None:
    return folder.language if (folder := folder_here()) else None


def version_here(word: str) -> str:
    """Return a version's whole name: in a bot's folder `v3` is `kraken@v3`. Raises UsageFault for a wrong file."""
    if NUMBER.fullmatch(word) and not Path(word).exists() and (own := bot_here()) is not None:
        return f"{own}@{word}"
    return word


def source_here() -> Path | None:
    """Return the folder's bot's main file, or the folder where it is built; None elsewhere. Raises UsageFault."""
    if (folder := folder_here()) is None:
        return None
    is_whole = folder.build or folder.run or folder.source is None
    return Path(os.path.relpath(folder.folder if is_whole else folder.source_file()))


def required_source(source: str | None) -> str:
    if (path := source_here() if source is None else source) is None:
        raise UsageFault(f"name the bot's source; {ONLY_IN_A_FOLDER}")
    return str(path)


def contest_here(games: Games, words: Sequence[str | None], others: Sequence[str] = ()) -> tuple[Game, list[str]]:
    """Return game and players; a bot's folder fills in the game and the first. Raises UsageFault, UnknownName."""
    bots = [version_here(word) for word in (*words, *others) if word is not None]
    is_named = bool(bots) and bots[0] in games
    if not is_named and len(bots) >= len(words):
        usual = game_here()
        is_named = usual is None or usual not in games or len(bots) not in games.find(usual).players
    game = bots.pop(0) if is_named else game_here()
    if game is None:
        raise no_game(games)
    rules = games.find(game)
    if lacks_one(rules.players, len(bots)) and (own := source_here()) is not None:
        bots.insert(0, str(own))
    check_number(rules, bots)
    return rules, bots


def check_number(game: Game, bots: Sequence[str]) -> None:
    if len(bots) in game.players:
        return
    if game.players == FOR_TWO and len(bots) < 2:
        raise UsageFault("name two bots; in a bot's folder its opponent is enough")
    raise UsageFault(f"{game.name} is played by {alternatives(list(map(str, game.players)))} bots, not by {len(bots)}")


def folder_of(word: str | Path) -> BotFolder | None:
    """Return the bot's folder in which a file or program is; None elsewhere, and for a folder. Raises UsageFault."""
    around = toolchains.given_bot.folder_around(word)
    return None if around is None else folder_here(around)


def bot_of(word: str) -> str | None:
    return folder.bot if (folder := folder_of(word)) else None


def submitted_here(
    context: Context, source: Path | None, game: str | None, bot: str | None, language: str | None
) -> tuple[toolchains.given_bot.GivenBot, str, str | None]:
    """Read what is handed in; `ladder.toml` of source or folder fills in the rest: game and bot.

    The bot is None where the file's name says it. Raises UsageFault, as `read_bot`.
    """
    if (path := source_here() if source is None else source) is None:
        raise UsageFault(f"name the source: {ONLY_IN_A_FOLDER}")
    if (folder := folder_of(path)) is not None:
        is_main = folder.source is not None and os.path.realpath(path) == os.path.realpath(folder.source_file())
        language = language or (folder.language if is_main else None)
    most_chars = context.settings.source_chars if context.server is None else MOST_SENT_CHARS
    given = toolchains.given_bot.read_bot(path, most_chars, language)
    if (folder := given.settings or folder) is not None:
        game = folder.game if game is None else game
        bot = folder.bot if bot is None else bot
    return given, needed_game(context, game), bot


def candidate_here(*, local: bool) -> str:
    """Return this folder's bot, or for matches played here its source. Raises UsageFault in other folders."""
    if (candidate := source_here() if local else bot_here()) is None:
        raise UsageFault(f"name {'the source' if local else 'the version'} in question: {ONLY_IN_A_FOLDER}")
    return str(candidate)


def or_here(typed: str | None, find: Callable[[], str | None], context: typer.Context) -> str | None:
    """Return what was typed, else what is found. While a shell completes, a wrong `ladder.toml` is not reported."""
    if typed is not None:
        return typed
    try:
        return find()
    except UsageFault:
        if context.resilient_parsing:
            return None
        raise


def game_or_here(context: typer.Context, game: str | None) -> str | None:
    return or_here(game, game_here, context)


def bot_or_here(context: typer.Context, bot: str | None) -> str | None:
    return or_here(bot, bot_here, context)


def required_game(context: typer.Context, game: str | None) -> str | None:
    return or_here(game, lambda: needed_game(this(context), None, "first"), context)


def required_bot(context: typer.Context, bot: str | None) -> str | None:
    return or_here(named_version(context, bot), needed_bot, context)


def needed_bot() -> str:
    if (bot := bot_here()) is None:
        raise UsageFault(f"name the bot: {ONLY_IN_A_FOLDER}")
    return bot


def named_version(context: typer.Context, word: str | None) -> str | None:
    return word if word is None or context.resilient_parsing else version_here(word)


def bots_here(games: Games, named: Sequence[str], game: str | None) -> list[str]:
    """Return who is to play, the folder's bot first where one is missing. `game`: named. Raises UsageFault."""
    folders_bot = needed_bot() if len(named) == 1 else bot_here()
    name = game or game_here()
    players = games.find(name).players if name is not None and name in games else FOR_TWO
    return list(named) if folders_bot is None or not lacks_one(players, len(named)) else [folders_bot, *named]


def lacks_one(players: Sequence[int], bots: int) -> bool:
    """Say whether a match takes one bot more than there are. One alone always lacks another."""
    return bots == 1 or (bots not in players and bots + 1 in players)


def needed_game(context: Context, game: str | None, how: str = "with --game") -> str:
    """Return the game that is named, or this folder's. `how`: it can be named. Raises UsageFault where it has none."""
    if (name := game_here() if game is None else game) is None:
        raise no_game(context.games, how)
    return name


def no_game(games: Games, how: str = "first") -> UsageFault:
    """Return the refusal of a command that does not know which game is meant. `how`: it can be named."""
    names = ", ".join(games.names)
    return UsageFault(f"name the game {how}, or set {GAME_VARIABLE}, or work in a bot's folder; known games: {names}")


def is_typed(context: typer.Context, name: str) -> bool:
    return (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
