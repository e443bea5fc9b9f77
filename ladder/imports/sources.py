"""The sources of bots: which of a bot's files is one, and in which of our languages it is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ArenaError, UsageFault
from engine.text import listed
from engine.toolchains.bot_folder import PROGRAM
from engine.toolchains.languages import find_language, languages
from engine.toolchains.source import LIMIT_CHARS, check_source, read_source

NONE = "none"
"""In the place of a language: sources with that label stay out, and their bots on record."""


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A bot's source, or None and why there is none. `language`: by the name it has here."""

    text: str | None
    language: str = ""
    why: str = ""


def read_labels(words: Sequence[str]) -> dict[str, str]:
    """Read `LABEL=NAME`: another program's word for a language, or a file's ending, and ours. Raises UsageFault."""
    found: dict[str, str] = {}
    for word in words:
        label, equals, name = word.partition("=")
        if not (label and equals and name):
            raise UsageFault(f"--language {word}: write LABEL=NAME, for instance --language c++20=cpp")
        found[label.lower()] = NONE if name.lower() == NONE else find_language(name).name
    return found


def named_language(label: str, labels: Mapping[str, str]) -> str | None:
    """Return our name of the language that another program calls so, NONE, or None where there is none."""
    if label.lower() in labels:
        return labels[label.lower()]
    for language in languages().values():
        names = {language.name, language.title, *(ending.removeprefix(".") for ending in language.extensions)}
        if label.lower() in {name.lower() for name in names} and language.name != PROGRAM:
            return language.name
    return None


class SourceFolder:
    """The files of a folder, by the names of the bots whose they are: `NAME.cpp`, where NAME may have dots too."""

    def __init__(self, folder: Path, labels: Mapping[str, str]) -> None:
        self._folder = folder
        self._labels = labels
        self._by_name: dict[str, list[Path]] = defaultdict(list)
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix and (path.is_symlink() or path.is_file()):
                self._by_name[path.stem].append(path)

    def source_of(self, bot: str) -> FoundSource:
        """Return a bot's source."""
        known = {path: named_language(path.suffix.removeprefix("."), self._labels) for path in self._by_name[bot]}
        sources = {path: language for path, language in known.items() if language not in {None, NONE}}
        if len(sources) > 1:
            return FoundSource(None, why=f"{listed([path.name for path in sources])} are both sources")
        for path, language in sources.items():
            if path.is_symlink():
                return FoundSource(None, why=f"{path.name} is a link; a source is a plain file")
            try:
                return FoundSource(read_source(path, LIMIT_CHARS), language or "")
            except ArenaError as error:
                return FoundSource(None, why=str(error))
        others = [path.name for path in known]
        return FoundSource(None, why=f"only {listed(others)}" if others else f"no {bot}.* in {self._folder}")


def source_given(text: str, label: str, labels: Mapping[str, str]) -> FoundSource:
    """Return a source that comes with its language's label. Raises UsageFault for a label that nobody knows."""
    language = named_language(label, labels)
    if language is None:
        raise UsageFault(
            f"{label!r} is none of our languages: say which it is with --language '{label}=NAME', or "
            f"'{label}={NONE}' to keep its bots on record without their sources"
        )
    if language == NONE:
        return FoundSource(None, why=f"{label} stays out")
    try:
        return FoundSource(check_source(text.encode("utf-8", "surrogatepass")), language)
    except ArenaError as error:
        return FoundSource(None, why=str(error))
