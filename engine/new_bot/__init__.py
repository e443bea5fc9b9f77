"""A new bot's folder: the game's starter as its source, `ladder.toml`, and a README of the daily commands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from string import Template

from engine.errors import GameFault, Refused, UnknownName, UsageFault, plain_words
from engine.game import Game
from engine.toolchains.bot_folder import FILE
from engine.toolchains.languages import Language, find_language, language_of, languages


def starters_of(game: Game) -> dict[str, Path]:
    """By the names of their languages, in the order in which languages are listed."""
    paths: dict[str, Path] = {}
    for path in sorted(path for path in game.folder.glob("starters/*") if path.is_file()):
        with suppress(UnknownName):
            paths.setdefault(language_of(path).name, path)
    return {name: paths[name] for name in languages() if name in paths}


def starter(game: Game, language: Language) -> str:
    """`language`: see `starter_language`. Raises GameFault where the file cannot be read."""
    path = starters_of(game)[language.name]
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GameFault(f"{path}, a starter of {game.name}, cannot be read: {error}") from error


def starter_language(game: Game, name: str | None) -> Language:
    """Raises UsageFault where the game has no starter in it, UnknownName."""
    starters = starters_of(game)
    as_typed = ", ".join(starters) or "(none)"
    if name is None:
        raise UsageFault(f"name the language with --language: {as_typed}")
    language = find_language(name)
    if language.name not in starters:
        raise UsageFault(f"{game.name} has no starter in {language.title}; it has some in: {as_typed}")
    return language


TEMPLATE = Path(__file__).with_name("template")


def write_bot_folder(bot: str, game: Game, language: Language, folder: Path) -> list[Path]:
    """`bot`: its name. Raises Refused where the folder holds something already, UsageFault. Nothing is changed then."""
    texts = texts_of(bot, game, language)
    written: list[Path] = []
    try:
        is_new = not folder.exists()
        if not is_new and (not folder.is_dir() or any(folder.iterdir())):
            raise Refused(f"{folder} is not empty, and nothing in it is written over: name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            for name, text in texts.items():
                written.append(folder / name)
                written[-1].write_text(text, "utf-8")
        except BaseException:
            for path in written:
                path.unlink(missing_ok=True)
            if is_new:
                folder.rmdir()
            raise
    except OSError as error:
        raise UsageFault(f"cannot write {folder}: {plain_words(error)}") from error
    return written


def texts_of(bot: str, game: Game, language: Language) -> dict[str, str]:
    usual = Path(language.source)
    source = (
        f"{bot}{usual.suffix}" if usual.stem == "bot" else usual.name
    )  # some ask for a name, as Java for Player.java
    words = {
        "bot": bot,
        "game": game.name,
        "game_title": game.title,
        "language": language.name,
        "language_title": language.title,
        "source": source,
        "boss": next(iter(game.bosses), source),
    }
    filled = {name: Template((TEMPLATE / name).read_text("utf-8")).substitute(words) for name in (FILE, "README.md")}
    return {source: starter(game, language), **filled}
