"""The starters that a game brings: small bots that play by the rules and leave everything else to their authors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import GameFault, UnknownName, UsageFault
from engine.game import Game
from engine.toolchains.languages import Language, find_language, language_of, languages


def starters_of(game: Game) -> dict[str, Path]:
    """Return a game's starters by the names of their languages, in the order in which languages are listed."""
    found: dict[str, Path] = {}
    for path in sorted(path for path in game.folder.glob("starters/*") if path.is_file()):
        try:
            found.setdefault(language_of(path).name, path)
        except UnknownName:
            continue
    return {name: found[name] for name in languages() if name in found}


def starter(game: Game, language: Language) -> str:
    """Return a game's starter in a language.

    Raises UsageFault where the game has none in it, GameFault where the file cannot be read.
    """
    found = starters_of(game)
    if language.name not in found:
        raise no_starter(game, language)
    try:
        return found[language.name].read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GameFault(f"{found[language.name]}, a starter of {game.name}, cannot be read: {error}") from error


def starter_language(game: Game, name: str | None) -> Language:
    """Return the language of that name, in which a game's starter is asked for.

    Raises UsageFault where none is named or the game has no starter in it, UnknownName.
    """
    if name is None:
        raise UsageFault(f"name the language with --language: {in_a_row(starters_of(game))}")
    language = find_language(name)
    if language.name not in starters_of(game):
        raise no_starter(game, language)
    return language


def no_starter(game: Game, language: Language) -> UsageFault:
    """Return the refusal where a game has no starter in a language."""
    return UsageFault(f"{game.name} has no starter in {language.title}; it has some in: {in_a_row(starters_of(game))}")


def in_a_row(names: Iterable[str]) -> str:
    """Write names of languages as they can be typed: `python, cpp`."""
    return ", ".join(names) or "(none)"
