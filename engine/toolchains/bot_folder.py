"""A bot's own folder, and `ladder.toml` in it: which game and bot it is for, and how it is built and run.

All keys are texts, but `build` and `run`, which are lists of words; each may be left out:

    game = "ocean-of-code"
    bot = "kraken"
    language = "cpp"
    source = "kraken.cpp"
    build = ["make", "-s"]
    run = ["{folder}/kraken"]

How this works. A tree is built and run by the recipe of its language, as a single file is; its `ladder.toml` only puts
its own commands, and the name of its main file, into that recipe. What a recipe favours its runtime with (processes,
shared memory, an allowance of CPU time) is for bots that the recipe itself starts. A build gets its files read-only and
its own copy of them, in which it may write. What then is in that copy is the bot.
"""

import os
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import UsageFault, plain_words
from engine.immutable import immutable
from engine.text import shortened
from engine.toolchains.languages import Language, Toolchain, find_language, language_of, languages
from engine.toolchains.source import ELF, Member, Source, Tree, hash_of, in_one_sentence, require_file

FILE = "ladder.toml"
LONGEST_FILE_BYTES = 64 * 1024
TEXTS = ("game", "bot", "language", "source")
COMMANDS = ("build", "run")


@immutable
class BotFolder:
    """What `ladder.toml` says; None and () for keys that are not there. `source`: relative to the folder. `build`,
    `run`: as words, in which {source}, {folder} and {out} mean the same as in `languages.toml`.
    """

    folder: Path
    game: str | None = None
    bot: str | None = None
    language: str | None = None
    source: str | None = None
    build: tuple[str, ...] = ()
    run: tuple[str, ...] = ()

    def source_file(self) -> Path:
        """Raises UsageFault where `ladder.toml` names none."""
        if self.source is None:
            raise UsageFault(f"{self.folder / FILE}: source is missing; it names the bot's main file")
        return self.folder / self.source


def find_bot_folder(start: Path) -> Path | None:
    """Begin with `start` and go upwards; None without one."""
    begin = Path(os.path.realpath(start))  # or `kraken/..` would lie below kraken
    for folder in (begin, *begin.parents):
        with suppress(PermissionError):
            if (folder / FILE).is_file():
                return folder
    return None


def read_bot_folder(folder: Path) -> BotFolder:
    """Raises UsageFault, naming file and key."""
    file = folder / FILE
    with in_one_sentence(file):
        require_file(file)
        with file.open("rb") as opened:
            content = opened.read(LONGEST_FILE_BYTES + 1)
    return bot_folder_of(folder, content)


def bot_folder_of(folder: Path, content: bytes) -> BotFolder:
    file = folder / FILE
    if len(content) > LONGEST_FILE_BYTES:
        raise UsageFault(f"{file} has more than {LONGEST_FILE_BYTES:,} bytes; that is the limit")
    try:
        values = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # not UTF-8, no TOML, or nested deeper than Python's parser can go
        raise UsageFault(f"{file} is not TOML: {plain_words(error)}") from error
    for key, value in values.items():
        check_key(file, key, value)
    name = values.get("source")
    path = PurePosixPath(name or "main")
    if name and (path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name):
        raise UsageFault(f"{file}: source is {shortened(name)}; it must name a file inside the folder")
    keys: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return BotFolder(folder, **keys)


def check_key(file: Path, key: str, value: object) -> None:
    if key in TEXTS:
        kind = "a text"
        fits = isinstance(value, str) and value.strip() != ""
    elif key in COMMANDS:
        kind = 'a list of words, as in ["make", "-s"]'
        fits = isinstance(value, list) and value != [] and all(isinstance(word, str) for word in value)
    else:
        raise UsageFault(f"{file}: {shortened(key)} is not a known key; known: {', '.join((*TEXTS, *COMMANDS))}")
    if not fits:
        raise UsageFault(f"{file}: {key} is {shortened(str(value)) or 'empty'}; it must be {kind}")


PROGRAM = "program"
CLASSES = {".class", ".jar"}
LIKELY_STEMS = ("main", "bot", "player")


def source_hash(source: Source) -> str:
    return source.hash if isinstance(source, Tree) else hash_of(source.encode())


def files_of(source: Source, language: Language) -> tuple[Member, ...]:
    """As they are stored, but texts without a byte order mark. A single text that names its interpreter may be run."""
    if isinstance(source, Tree):
        return tuple(replace(file, content=without_mark(file.content or b"")) for file in source.files)
    text = without_mark(source.encode())
    return (Member(language.source, text, executable=text.startswith(b"#!")),)


def without_mark(content: bytes) -> bytes:
    """Return a text without the mark that some editors put first, which few compilers read; anything else as it is."""
    if not content.startswith(BOM_UTF8) or b"\0" in content:
        return content
    try:
        return content.decode("utf-8").removeprefix("\ufeff").encode()
    except UnicodeDecodeError:
        return content


def contents_of(source: Source) -> dict[str, bytes]:
    return source.contents if isinstance(source, Tree) else {"": source.encode()}


def is_program(source: Source, language_name: str) -> bool:
    return language_name == PROGRAM or (
        isinstance(source, Tree) and any(content.startswith(ELF) for content in source.contents.values())
    )


def own_recipe(source: Source, language: Language, path: Path = Path()) -> dict[str, Any]:
    """`path`: where the source came from. Raises UsageFault for a `ladder.toml` that does not go with the files."""
    if isinstance(source, str):
        return {"language": language.name}
    settings = settings_of(source, path)
    recipe = {"language": language.name, "source": main_file(source, settings, language)}
    return recipe | {name: words for name in COMMANDS if (words := getattr(settings, name))}


def with_own_recipe(language: Language, recipe: Mapping[str, Any]) -> Language:
    """Return a language whose main file, and commands to build and to run, are a source's own where it has some."""
    compile_, run = tuple(recipe.get("build", ())), tuple(recipe.get("run", ()))
    ways = language.toolchains
    if run:
        ways = tuple(replace(without_favours(way), run=run) for way in ways)
    if compile_:
        ways = tuple(replace(way, compile=compile_, check=()) for way in ways)
    return replace(language, source=recipe.get("source", language.source), toolchains=ways)


def without_favours(way: Toolchain) -> Toolchain:
    """Return a recipe that lets its bots do no more than any program may: favours are for what it alone starts."""
    return replace(way, forks=False, shared_memory=False, runtime_threads=(), runtime_cpu_ms=0, runtime_late_cpu_ms=0)


def earns_favours(files: Iterable[Path], recipe: Mapping[str, Any]) -> bool:
    """Say whether a built bot is what the favours of its recipe are for. `recipe`: what of it is the bot's own. Machine
    code needs none; own commands have them only where they leave classes, which the recipe's command starts. Raises
    OSError.
    """
    leaves_classes = False
    for file in files:
        leaves_classes = leaves_classes or file.suffix in CLASSES
        with file.open("rb") as opened:
            if opened.read(len(ELF)) == ELF:
                return False
    return leaves_classes or not recipe.get("build")


def settings_of(tree: Tree, folder: Path) -> BotFolder:
    if (content := tree.contents.get(FILE)) is None:
        raise UsageFault(f"{folder}: there is no {FILE} in it{what_to_write(tree, folder.stem)}")
    return bot_folder_of(folder, content)


def language_of_tree(tree: Tree, settings: BotFolder) -> Language:
    if settings.language is not None:
        return find_language(settings.language)
    if settings.source is not None:
        return language_of(Path(settings.source))
    raise UsageFault(f"{settings.folder / FILE}: language is missing{what_to_write(tree, settings.folder.stem)}")


def main_file(tree: Tree, settings: BotFolder, language: Language) -> str:
    if settings.source is not None:
        if (name := str(PurePosixPath(settings.source))) not in tree.contents:
            raise UsageFault(f"{settings.folder / FILE}: source is {shortened(name)}, and there is no such file")
        return name
    candidates = [name for name in tree.contents if Path(name).suffix.lower() in language.extensions]
    if language.source in tree.contents or (settings.run and (settings.build or not candidates)):
        return language.source
    if len(candidates) != 1:
        raise UsageFault(f"{settings.folder / FILE}: source is missing; it names the bot's main file")
    return candidates[0]


def what_to_write(tree: Tree, stem: str) -> str:
    by_ending = {ending: language.name for language in languages().values() for ending in language.extensions}
    sources = [name for name in tree.contents if Path(name).suffix.lower() in by_ending]
    likely = [name for name in sources if Path(name).stem.lower() in {*LIKELY_STEMS, stem.lower()}]
    for names in (sources, likely):
        if len(names) == 1:
            language = by_ending[Path(names[0]).suffix.lower()]
            return f'; write into it: language = "{language}" and, in the next line, source = "{shortened(names[0])}"'
    return '; it says what the bot is made of: language = "cpp" and, in the next line, source = "main.cpp", for example'
