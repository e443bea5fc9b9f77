"""What another league manager keeps in its folder: bots, matches in the order in which it rated them, and settings.

Names. A name is taken as it is where it can be one here. By a pattern, whose first group is the bot and whose second,
if it has one, is the number, many names become versions of one bot. What was imported before keeps the name it has here
by now, and a new name of the same bot joins it.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from engine.bot.output import LONGEST_METRIC_WORD, keep_metric
from engine.conversation import places_of
from engine.errors import ArenaError, UsageFault
from engine.immutable import immutable
from engine.text import listed, one_line
from engine.toolchains.bot_folder import PROGRAM
from engine.toolchains.languages import find_language, languages
from engine.toolchains.source import LIMIT_CHARS, check_source, goes_by_link, read_source
from ladder.names import free_name
from ladder.ratings.models import Rating, RatingSettings

NONE = "none"
"""In the place of a language: sources with that label stay out, and their bots on record."""
LARGEST_NUMBER = 10**9 - 1
MOST_OF_A_SEED = 2**63


@immutable
class FoundSource:
    """A bot's source, or None and `why` there is none. `language`: by the name it has here."""

    text: str | None = None
    language: str = ""
    why: str = ""


NO_SOURCE = FoundSource()


def read_labels(words: Sequence[str]) -> dict[str, str]:
    """Read `LABEL=NAME`: another program's word for a language, or a file's ending, and ours. Raises UsageFault."""
    labels: dict[str, str] = {}
    for word in words:
        label, equals, name = word.partition("=")
        if not (label and equals and name):
            raise UsageFault(f"--language {word}: write LABEL=NAME, for instance --language c++20=cpp")
        labels[label.lower()] = NONE if name.lower() == NONE else find_language(name).name
    return labels


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
        languages = {path: named_language(path.suffix.removeprefix("."), self._labels) for path in self._by_name[bot]}
        sources = {path: language for path, language in languages.items() if language not in {None, NONE}}
        if len(sources) > 1:
            return FoundSource(why=f"{listed([path.name for path in sources])} are both sources")
        for path, language in sources.items():
            if path.is_symlink():
                return FoundSource(why=f"{path.name} is a link; a source is a plain file")
            try:
                return FoundSource(read_source(path, LIMIT_CHARS), language or "")
            except ArenaError as error:
                return FoundSource(why=str(error))
        others = [path.name for path in languages]
        return FoundSource(why=f"only {listed(others)}" if others else f"no {bot}.* in {self._folder}")


def source_given(text: str, label: str, labels: Mapping[str, str]) -> FoundSource:
    """Return a source that comes with its language's label. Raises UsageFault for a label that nobody knows."""
    language = named_language(label, labels)
    if language is None:
        raise UsageFault(
            f"{label!r} is none of our languages: say which it is with --language '{label}=NAME', or "
            f"'{label}={NONE}' to keep its bots on record without their sources"
        )
    if language == NONE:
        return FoundSource(why=f"{label} stays out")
    try:
        return FoundSource(check_source(text.encode("utf-8", "surrogatepass")), language)
    except ArenaError as error:
        return FoundSource(why=str(error))


def metrics_from(*noted: Mapping[str, object]) -> dict[str, str]:
    """Return what was noted, the later in place of the earlier; values that are not numbers or words are left out."""
    metrics: dict[str, str] = {}
    for words in noted:
        for key, value in words.items():
            if isinstance(value, str | int | float):
                keep_metric(metrics, one_line(key)[:LONGEST_METRIC_WORD], one_line(str(value))[:LONGEST_METRIC_WORD])
    return metrics


def line_fault(path: Path, number: int, why: str) -> UsageFault:
    return UsageFault(f"{path}, line {number}: {one_line(why)}; nothing is imported")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give each line that is not blank with its number, from 1. Raises UsageFault where it cannot be read."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                    except UnicodeDecodeError as error:
                        raise line_fault(path, number, f"byte {error.start + 1} is not UTF-8") from error
                    yield number, text.rstrip("\r\n")
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageFault(f"{path} cannot be read: {one_line(str(error))}; nothing is imported") from error


def path_inside(folder: Path, name: str) -> Path:
    """Return the path of what has that name in a folder, if it is there or not.

    Raises UsageFault where it leads out of the folder or by a link: what is imported is shown to players.
    """
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise UsageFault(f"{path} is not in {folder}: copy it there, and name it as it is there; nothing is imported")
    if goes_by_link(folder, name):
        raise UsageFault(f"{path} is a link or is behind one: put what it leads to in its place; nothing is imported")
    return path


def require_file(folder: Path, program: str, path: Path) -> None:
    if not path.is_file():
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        raise UsageFault(f"{folder} is not a folder of {program}: it has no {name}")


def written_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@immutable
class ForeignBot:
    """A bot by its name there; what is not known or kept is None or ""."""

    name: str
    note: str = ""
    created_at: datetime | None = None
    source: FoundSource = NO_SOURCE
    rating: Rating | None = None
    is_active: bool = True


@immutable
class ForeignMatch:
    """A match, by its seats. `ranks`: 0 is best, equal is level; `key`: the same whenever it is read; see `keys_of`."""

    key: str
    players: tuple[str, ...]
    ranks: tuple[float, ...]
    faults: tuple[bool, ...]
    metrics: tuple[Mapping[str, str], ...]
    seed: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        return places_of([-rank for rank in self.ranks])


@immutable
class ForeignLeague:
    """All that a folder holds. `origin`: the program, by name. `file`: where it keeps its ratings.

    `rating`: by which settings it rated; None where it says none. `commands`, `settings`: of its configuration, by
    their names there. `players`: how many play a match; `seats`: how many may, () where it does not say. `written_at`:
    after all matches ended; None without any. `left_out`: what is not read, in sentences.
    """

    origin: str
    file: str
    bots: tuple[ForeignBot, ...] = ()
    matches: tuple[ForeignMatch, ...] = ()
    players: tuple[int, ...] = ()
    written_at: datetime | None = None
    rating: RatingSettings | None = None
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: tuple[int, ...] = ()
    left_out: tuple[str, ...] = ()


def keys_of(contents: Sequence[str]) -> Iterator[str]:
    """Give a key for each match by all that is known of it; equal ones are counted."""
    times: Counter[str] = Counter()
    for content in contents:
        times[content] += 1
        yield sha256(f"{times[content]} {content}".encode()).hexdigest()


def seed_of(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        seed = int(value)
    except ValueError:
        return None
    return seed if -MOST_OF_A_SEED <= seed < MOST_OF_A_SEED else None


def read_pattern(text: str | None) -> re.Pattern[str] | None:
    """Return the pattern that makes versions out of names. Raises UsageFault for one that cannot."""
    if text is None:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise UsageFault(f"--group {text!r} cannot be read: {error}") from error
    if not pattern.groups:
        raise UsageFault(f"--group {text!r} has no group in brackets that is the bot's name, as '(.+)_v(\\d+)' has")
    return pattern


def base_of(name: str, pattern: re.Pattern[str] | None) -> tuple[str, int | None]:
    """Return the bot and the number that a name means; the whole name where the pattern does not fit."""
    parts = pattern.fullmatch(name) if pattern is not None else None
    if parts is None or not parts[1]:
        return name, None
    digits = parts[2] if parts.re.groups > 1 and parts[2] is not None else ""
    is_number = digits.isascii() and digits.isdigit() and 1 <= int(digits) <= LARGEST_NUMBER
    return parts[1], int(digits) if is_number else None


def names_of(
    names: Iterable[str],
    pattern: re.Pattern[str] | None,
    imported: Iterable[tuple[str, str]],
    used: Mapping[str, Collection[int]],
) -> list[tuple[str, int]]:
    """Return the bot and the number that each name means here.

    `imported`: names of earlier imports, with the bots they became; `used`: the numbers that bots have, by name.
    """
    bots = {base_of(name, pattern)[0]: bot for name, bot in imported}
    in_use = {name.lower() for name in used}
    named: list[tuple[str, int | None]] = []
    for name in names:
        base, number = base_of(name, pattern)
        if base not in bots:
            bots[base] = free_name(base, in_use)
            in_use.add(bots[base].lower())
        named.append((bots[base], number))
    return numbered(named, used)


def numbered(named: Sequence[tuple[str, int | None]], used: Mapping[str, Collection[int]]) -> list[tuple[str, int]]:
    """Give versions the numbers that their names have, where all of a bot's have one and none twice.

    Otherwise the versions of a bot are numbered in their order, after those that it has.
    """
    in_names: dict[str, list[int | None]] = defaultdict(list)
    for bot, number in named:
        in_names[bot].append(number)
    numbers: dict[str, Iterator[int]] = {}
    for bot, of_bot in in_names.items():
        from_names = [number for number in of_bot if number is not None]
        is_free = len(set(from_names)) == len(of_bot) and set(from_names).isdisjoint(used.get(bot, ()))
        numbers[bot] = iter(from_names) if is_free else count(max(used.get(bot, ()), default=0) + 1)
    return [(bot, next(numbers[bot])) for bot, _ in named]
