"""The table of languages: `languages.toml`, and a file of the same form that users may add.

The file itself says what its keys mean. Everything here only reads; what is installed is `toolchain`'s business.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from functools import cache
from pathlib import Path
from typing import Any

from engine.boxes import BOT_FOLDER, OUT_FOLDER
from engine.errors import UnknownName, UsageFault
from engine.immutable import immutable
from engine.machine import home_folder

SHIPPED_FILE = Path(__file__).with_name("languages.toml")
FILE_VARIABLE = "LADDER_LANGUAGES"
SHARED_TEXTS = "files"
MAIN = "{main}"

_LANGUAGE_KEYS = {"title": "text", "extensions": "list of texts", "source": "text", "toolchains": "table of tables"}
_LACKING = "lacking"
_KINDS = {
    "tuple[str, ...]": "list of texts",
    "Mapping[str, str]": "table of texts",
    "int": "whole number",
    "bool": "true or false",
}
_FITS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str) and value != "",
    "list of texts": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "table of texts": lambda value: isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
    "table of tables": lambda value: isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()),
    "true or false": lambda value: isinstance(value, bool),
    "whole number": lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
}


@immutable
class Toolchain:
    """One way to build and run the bots of a language; `languages.toml` explains the keys. `files`: name to text."""

    name: str
    run: tuple[str, ...]
    tools: tuple[str, ...] = ()
    compile: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    build_tools: tuple[str, ...] = ()
    probe: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    build_environment: Mapping[str, str] = field(default_factory=dict[str, str])
    extra_paths: tuple[str, ...] = ()
    build_memory_mb: int = 2048
    build_seconds: int = 30
    forks: bool = False
    shared_memory: bool = False
    runtime_threads: tuple[str, ...] = ()
    runtime_cpu_ms: int = 0
    runtime_late_cpu_ms: int = 0


_TOOLCHAIN_KEYS = {key.name: _KINDS[str(key.type)] for key in fields(Toolchain) if key.name != "name"}
_TOOLCHAIN_KEYS["files"] = "list of texts"  # in the table they are named, and their texts stand apart


@immutable
class Language:
    """A language and its toolchains, the preferred one first. `lacking`: why there is none."""

    name: str
    title: str
    extensions: tuple[str, ...]
    source: str
    toolchains: tuple[Toolchain, ...]
    lacking: str = ""

    def command(self, template: Iterable[str], source_folder: str = BOT_FOLDER, main: str = "") -> tuple[str, ...]:
        """`source_folder`: where the source is in the box; `main`: the class that a Java machine is to start."""
        places = {"{source}": f"{source_folder}/{self.source}", "{folder}": BOT_FOLDER, "{out}": OUT_FOLDER, MAIN: main}
        words = tuple(template)
        for place, value in places.items():
            words = tuple(word.replace(place, value) for word in words)
        return words


def languages() -> dict[str, Language]:
    """Raises UsageFault, naming file and key, for a user's file that is broken."""
    return dict(_load(_user_file()))


def find_language(name: str) -> Language:
    """By name or title, in any case. Raises UnknownName."""
    all_languages = languages()
    for language in all_languages.values():
        if name.strip().lower() in {language.name.lower(), language.title.lower()}:
            return language
    raise UnknownName.of("language", name, all_languages)


def language_of(path: Path) -> Language:
    all_languages = languages()
    for language in all_languages.values():
        if path.suffix.lower() in language.extensions:
            return language
    endings = [ending for language in all_languages.values() for ending in language.extensions]
    if not path.suffix:
        raise UnknownName(f"{path.name!r} has no ending that names its language; known: {', '.join(endings)}")
    raise UnknownName.of("file ending", path.suffix, endings)


def _user_file() -> Path | None:
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named).absolute()
    base = os.environ.get("XDG_CONFIG_HOME", "")
    home = home_folder()
    folder = Path(base) if base.startswith("/") else home and home / ".config"
    if folder is None:
        return None
    file = folder / "ladder" / "languages.toml"
    try:
        return file if file.is_file() else None
    except PermissionError:  # a home that we may not enter has no table for us
        return None


@cache
def _load(user_file: Path | None) -> Mapping[str, Language]:
    table = _checked_table(SHIPPED_FILE)
    if user_file is not None:
        table = _merged(_checked_table(user_file), table)
    texts = table.pop(SHARED_TEXTS, {})
    return {name: _language(name, entry, texts, user_file or SHIPPED_FILE) for name, entry in table.items()}


def _checked_table(file: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        named = f"; is {FILE_VARIABLE} right?" if os.environ.get(FILE_VARIABLE) else ""
        raise UsageFault(f"cannot read {file}: {error.strerror}{named}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageFault(f"{file}: {error}") from error
    for name, entry in table.items():
        if name == SHARED_TEXTS:
            _check_value(file, name, entry, "table of texts")
            continue
        _check_keys(file, name, entry, _LANGUAGE_KEYS | {_LACKING: "text"})
        for toolchain, recipe in entry.get("toolchains", {}).items():
            _check_keys(file, f"{name}.toolchains.{toolchain}", recipe, _TOOLCHAIN_KEYS)
    return table


def _check_keys(file: Path, where: str, entry: object, kinds: Mapping[str, str]) -> None:
    if not isinstance(entry, dict):
        raise UsageFault(f"{file}: {where} must be a table")
    for key, value in entry.items():
        if key not in kinds:
            raise UsageFault(f"{file}: {where}.{key} is not a known key; known: {', '.join(kinds)}")
        _check_value(file, f"{where}.{key}", value, kinds[key])


def _check_value(file: Path, where: str, value: object, kind: str) -> None:
    if not _FITS[kind](value):
        raise UsageFault(f"{file}: {where} must be a {kind}, not {value!r}")


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(first)
    for key, value in second.items():
        if key not in result:
            result[key] = value
        elif isinstance(value, dict):
            result[key] = _merged(result[key], value)
    return result


def _language(name: str, entry: Mapping[str, Any], texts: Mapping[str, str], file: Path) -> Language:
    for key in _LANGUAGE_KEYS:
        may_be_empty = (key == "extensions" and key in entry) or (key == "toolchains" and _LACKING in entry)
        if not entry.get(key) and not may_be_empty:
            raise UsageFault(f"{file}: {name}.{key} is missing")
    _check_file_name(file, f"{name}.source", entry["source"])
    endings = tuple(ending.lower() for ending in entry["extensions"])
    ways = tuple(
        _toolchain(way, recipe, texts, f"{name}.toolchains.{way}", file)
        for way, recipe in entry.get("toolchains", {}).items()
    )
    return Language(name, entry["title"], endings, entry["source"], ways, entry.get(_LACKING, ""))


def _toolchain(name: str, recipe: Mapping[str, Any], texts: Mapping[str, str], where: str, file: Path) -> Toolchain:
    if not recipe.get("run"):
        raise UsageFault(f"{file}: {where}.run is missing")
    if recipe.get("compile") and recipe.get("check"):
        raise UsageFault(f"{file}: {where} has compile and check; a source is either compiled or only checked")
    for file_name in recipe.get("files", []):
        _check_file_name(file, f"{where}.files", file_name)
        if file_name not in texts:
            raise UsageFault(f"{file}: {where}.files names {file_name!r}, which is not in the table [{SHARED_TEXTS}]")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in recipe.items()}
    values["files"] = {file_name: texts[file_name] for file_name in recipe.get("files", [])}
    return Toolchain(name=name, **values)


def _check_file_name(file: Path, where: str, name: str) -> None:
    if name != Path(name).name or name in {"", ".", ".."}:
        raise UsageFault(f"{file}: {where} must be a file name without a folder, not {name!r}")
