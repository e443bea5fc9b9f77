"""From a source to a program: checking it, compiling it in the sandbox, and keeping what comes out.

How this works. A build sees only the source, read-only in /bot, and the toolchain. It can write to folders in memory
alone, so that no source fills a disk: what compiles works in a copy there. What it leaves in /out comes as an archive
on standard output, of which plain files and folders go into an entry of the workspace, named by a hash of the source,
the recipe and the platform: built once per machine. Other machines get it with `pack` and `unpack`.

A source that does not compile, or not within the limits, is its author's fault: BuildRefused with the compiler's words.
"""

import io
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from engine.boxes import BOT_FOLDER, OUT_FOLDER, Limits
from engine.cores import OnWaiting, core_for_a_match
from engine.errors import BuildRefused, MissingTool, SandboxFault, UsageFault
from engine.immutable import immutable
from engine.machine import patience_s
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.budget import Budget
from engine.sandbox.run_to_end import MOST_FILES as MOST_FILES_MADE
from engine.sandbox.run_to_end import Finished, run_to_end
from engine.text import harmless
from engine.toolchains.bot_folder import files_of, own_recipe, source_hash, with_own_recipe
from engine.toolchains.languages import Language, Toolchain, languages
from engine.toolchains.program import (
    BOT,
    MOST_BYTES,
    MOST_FILES,
    MOST_MB,
    Program,
    find_program,
    missing_tools,
    present_folders,
    program_key,
    publish_program,
    search_path,
    shown_folders,
    take_out,
)
from engine.toolchains.source import Member, Source, Tree, Unfit, lay_out
from engine.workspace import disk_fault, open_workspace


@immutable
class Installed:
    """The names of the languages whose bots can be built here, and of those whose bots can be played here."""

    builds: tuple[str, ...]
    plays: tuple[str, ...]


def installed(works: Callable[[Language, Toolchain], bool]) -> Installed:
    """`works` says of a toolchain whose programs are there whether they do. Raises UsageFault."""

    def able(missing: Callable[[Toolchain], list[str]]) -> tuple[str, ...]:
        return tuple(
            language.name
            for language in languages().values()
            if any(not missing(way) and works(language, way) for way in language.toolchains)
        )

    return Installed(able(missing_to_build), able(missing_to_play))


def missing_to_build(toolchain: Toolchain) -> list[str]:
    return missing_tools((*toolchain.build_tools, *toolchain.tools), present_folders(toolchain.extra_paths))


def missing_to_play(toolchain: Toolchain) -> list[str]:
    return missing_tools(toolchain.tools, present_folders(toolchain.extra_paths))


OUTPUT_KB = 16
BUILD_THREADS = 64
"""Of all processes of a build together. On the one core that they have, Kotlin's compiler has 19 and javac 14."""
BUILD_OPEN_FILES = 512
"""Of each process. Kotlin's compiler has 21, the most of those that were watched."""
BUILD_FILE_MB = 256
WIDE, LONGEST_S = 10, 900
"""A step of a build may last WIDE times as long as it may compute, and on a busy host longer, up to LONGEST_S if that
is more: beyond that the host is too busy for it. A worker's lease of a build holds for twice that."""

PACKING = 'out=$1; shift; "$@" >&2 || exit; tar --create --hard-dereference --directory="$out" . || exit 97'
HANDING_OUT = ("/bin/sh", "-c", PACKING, "sh")
"""Does what follows it, the folder first, with all that is said going to stderr; then puts the folder on stdout."""
IN_A_COPY = ("/bin/sh", "-c", 'mkdir -p "$0" && cp -R . "$0" && cd "$0" && chmod -R u+w . && exec "$@"')
"""Does what follows it in a copy of the folder that it is in, the name of the copy first."""
COPY_FOLDER = "/tmp/source"  # noqa: S108 - of a box, where nobody else is
"""Where a single file is compiled; a tree is in /out, as all that is left of it is the bot."""
CANNOT_BE_READ = 97

_OUT_OF_MEMORY = re.compile(
    r"MemoryError|out of memory|OutOfMemory|memory exhausted|cannot allocate memory|bad_alloc", re.IGNORECASE
)
_PLACE = re.compile(rf"(?<![\w./-])(?:{BOT_FOLDER}|{OUT_FOLDER}|{COPY_FOLDER})/(?=[\w.])")
_FILE_TOO_LARGE = re.compile(r"file size limit exceeded|file too large", re.IGNORECASE)


def build(source: Source, language: Language, sandbox: Sandbox, *, on_waiting: OnWaiting = None) -> Program:
    """Raises BuildRefused with the compiler's words, MissingTool, SandboxFault, HostBusy, UsageFault."""
    workspace = open_workspace()
    key = program_key(source_hash(source), language)
    if (program := find_program(key)) is not None:
        return program
    try:
        recipe = own_recipe(source, language)
    except UsageFault as fault:
        raise BuildRefused(str(fault)) from fault
    language = with_own_recipe(language, recipe)
    toolchain = choose_toolchain(language, sandbox)
    workspace.require_free(BUILD_FILE_MB)
    with workspace.scratch() as scratch:
        try:
            with core_for_a_match(on_waiting):  # or a compiler's many processes would disturb the matches
                warnings = _build_in(scratch, source, language, toolchain, sandbox)
            publish_program(workspace, scratch / "entry", key, toolchain, warnings, recipe)
        except OSError as error:
            raise disk_fault(f"cannot build below {scratch.parent}", error) from error
    if (program := find_program(key)) is None:
        raise SandboxFault(f"the build {key[:12]} has gone from {workspace.root}")
    return program


def choose_toolchain(language: Language, sandbox: Sandbox) -> Toolchain:
    """The first whose tools are here and whose probe succeeds. Raises MissingTool."""
    reasons: list[str] = []
    for toolchain in language.toolchains:
        if missing := missing_to_build(toolchain):
            reasons.append(f"{' and '.join(missing)} missing")
        elif not _probe_succeeds(language, toolchain, sandbox):
            reasons.append(f"{' and '.join((*toolchain.build_tools, *toolchain.tools))} too old or incomplete")
        else:
            return toolchain
    if not reasons:
        raise MissingTool(
            f"there is no recipe for {language.title}: {language.lacking}; docs/writing-a-bot.md, Languages of your "
            "own, says how to write one"
        )
    ways = ", or ".join(f"{way.name} ({reason})" for way, reason in zip(language.toolchains, reasons, strict=True))
    raise MissingTool(
        f"no toolchain for {language.title} is installed where bots can use it: {ways}; `ladder doctor` says which "
        "package brings it"
    )


def languages_here(sandbox: Sandbox) -> Installed:

    def works(language: Language, toolchain: Toolchain) -> bool:
        if (key := (language.name, toolchain.name)) not in _probed:
            _probed[key] = _probe_succeeds(language, toolchain, sandbox)
        return _probed[key]

    return installed(works)


_probed: dict[tuple[str, str], bool] = {}


def _probe_succeeds(language: Language, toolchain: Toolchain, sandbox: Sandbox) -> bool:
    if not toolchain.probe:
        return True
    return _run(sandbox, toolchain, language.command(toolchain.probe), Path("/usr")).exit_code == 0


def _build_in(scratch: Path, source: Source, language: Language, toolchain: Toolchain, sandbox: Sandbox) -> str:
    entry = scratch / "entry"
    sources = lay_out(scratch / "source", (*files_of(source, language), *_files_beside(source, toolchain)))
    entry.mkdir()
    entry.chmod(0o755)
    if toolchain.compile:
        copy = OUT_FOLDER if isinstance(source, Tree) else COPY_FOLDER
        command = (*HANDING_OUT, OUT_FOLDER, *IN_A_COPY, copy, *language.command(toolchain.compile, copy))
        finished = _run(sandbox, toolchain, command, sources, writable=True)
        messages = replace(finished, stdout=b"")
        refusal = f"the {language.title} source does not compile"
        _require_success(messages, f"compiling the {language.title} source", refusal, toolchain)
        _keep(finished.stdout, entry / BOT)
        for name in toolchain.files:
            shutil.copy(sources / name, entry / BOT / name)
        return _words(messages)
    if toolchain.check:
        finished = _run(sandbox, toolchain, language.command(toolchain.check), sources)
        refusal = f"the {language.title} source is not well formed"
        _require_success(finished, f"checking the {language.title} source", refusal, toolchain)
    sources.rename(entry / BOT)
    return ""


def _files_beside(source: Source, toolchain: Toolchain) -> Iterator[Member]:
    taken = source.contents if isinstance(source, Tree) else {}
    for name, text in toolchain.files.items():
        if any(other == name or other.startswith(f"{name}/") for other in taken):
            raise BuildRefused(f"Ladder puts a file called {name} beside the source: give yours another name")
        yield Member(name, text.encode())


def _run(
    sandbox: Sandbox, toolchain: Toolchain, command: tuple[str, ...], folder: Path, *, writable: bool = False
) -> Finished:
    folders = present_folders(toolchain.extra_paths)
    limits = Limits(toolchain.build_memory_mb, BUILD_THREADS, BUILD_OPEN_FILES, BUILD_FILE_MB)
    environment = {"PATH": search_path(folders), **toolchain.environment, **toolchain.build_environment}
    shown = shown_folders(folders)
    box = Box(command, folder, limits, writable=writable, extra_paths=shown, environment=environment, compiles=True)
    stdout_kb = MOST_BYTES // 1024 if writable else OUTPUT_KB
    budget = Budget(toolchain.build_seconds, toolchain.build_memory_mb)
    wide_s = WIDE * toolchain.build_seconds
    wall_limit_s = max(wide_s, min(patience_s(wide_s), LONGEST_S))
    return run_to_end(sandbox, box, wall_limit_s=wall_limit_s, output_kb=OUTPUT_KB, stdout_kb=stdout_kb, budget=budget)


def _require_success(finished: Finished, doing: str, refusal: str, toolchain: Toolchain) -> None:
    """`doing`: what was done; `refusal`: what is wrong with a source for which that fails."""
    words = _words(finished)
    if finished.timed_out:
        too_long = f"{doing} took more than the {toolchain.build_seconds} s that it may"
        raise BuildRefused(too_long, words, out_of_time=True)
    if finished.too_many_files:
        raise BuildRefused(f"{doing} made more than the {MOST_FILES_MADE:,} files that it may", words)
    if finished.exit_code == 0:
        return
    if finished.exit_code == CANNOT_BE_READ:
        raise BuildRefused("compiling left something that cannot be read", words)
    if finished.too_much_memory or _OUT_OF_MEMORY.search(words):
        raise BuildRefused(f"{doing} took more than the {toolchain.build_memory_mb} MB of memory that it may", words)
    if _FILE_TOO_LARGE.search(words):
        raise BuildRefused(f"{doing} made a file of more than the {BUILD_FILE_MB} MB that it may", words)
    raise BuildRefused(refusal, words)


def _words(finished: Finished) -> str:
    """Return plain text, as a source could make a tool say terminal commands; files have their names in its folder."""
    text = b"\n".join(part.strip(b"\r\n").rstrip() for part in (finished.stdout, finished.stderr) if part.strip())
    words = _PLACE.sub("", harmless(text.decode("utf-8", errors="replace")))
    return words + "\n[...]" if finished.truncated else words


def _keep(archive: bytes, bot: Path) -> None:
    if len(archive) >= MOST_BYTES:
        raise BuildRefused(f"the built bot is too large: the limit is {MOST_MB} MB")
    try:
        take_out(io.BytesIO(archive), bot)
    except Unfit as unfit:
        raise BuildRefused(f"compiling left what cannot be kept: {unfit}") from unfit
    if not (files := [path for path in bot.rglob("*") if path.is_file()]):
        raise BuildRefused("compiling left nothing that could be run")
    size_mb = sum(path.stat().st_size for path in files) / 2**20
    if size_mb > MOST_MB or len(files) > MOST_FILES // 2:
        raise BuildRefused(f"the built bot has {size_mb:.0f} MB in {len(files)} files, the limit is {MOST_MB} MB")
