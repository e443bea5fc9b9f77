"""Running one command of `ladder`: the only place where an error becomes a sentence and an exit status.

Commands import what they need when they run, so that `ladder --help` stays quick.
"""

import errno
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Sequence
from pathlib import Path

import typer

from cli.answer import ExitStatus
from cli.context import Context
from cli.program.assembly import COMPLETION_VARIABLE, colons_joined, program_for
from engine.errors import ArenaError, BuildRefused, NoSuchFile, UnknownName, UsageFault, WrongLines, plain_words
from engine.text import counted, harmless, one_line, shortened
from ladder.names import VERSION
from ladder.settings import read_files_named_in

MOST_LINES = 20
"""Of a file that are said to be wrong."""


def sentence(error: UsageFault, words: Sequence[str]) -> str:
    """Return an error's sentence, or a better one where a file was taken for a version. `words`: the command line."""
    is_gauntlet = tuple(words[:2]) == ("gauntlet", "run")
    if isinstance(error, UnknownName):
        name = one_line(error.name)
        if is_file(error.name) and is_gauntlet and "--local" not in words:
            return f"{name} is a file: add --local, or submit it"
        if is_file(error.name):
            return f"{name} is a file, and a bot or version is wanted here: submit it first, or name its bot"
        if error.kind == "bot" and (is_gauntlet or tuple(words[:1]) == ("play",)) and is_folder(error.name):
            return f"{name} is not a version; {folder_advice(error.name)}"
    if isinstance(error, NoSuchFile) and VERSION.fullmatch(error.name):
        source = f"`ladder bot source {error.name}` prints its source"
        return f"{error.name} is a version, and a file is wanted here: {source}"
    if isinstance(error, WrongLines):
        more = len(error.lines) - MOST_LINES
        lines = [*error.lines[:MOST_LINES], *([f"and {counted(more, 'more line')}"] if more > 0 else [])]
        return "\n  ".join(map(one_line, [str(error), *lines]))
    return one_line(str(error))


def folder_advice(name: str) -> str:
    return f"for the folder of that name write ./{one_line(name)}/"


def is_folder(name: str) -> bool:
    """Say whether there is such a folder; an empty name is none."""
    try:
        return name != "" and Path(name).is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def is_file(name: str) -> bool:
    """Say whether there is such a file; a word is meant as a folder only where it looks like one."""
    try:
        return Path(name).is_file() or ("/" in name and Path(name).is_dir())
    except (OSError, ValueError):  # a name that no file can have
        return False


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""How the system says that what is written finds no room, or no disk that works."""
NO_SUCH_USE = frozenset(
    {errno.ENAMETOOLONG, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}
    | {errno.EACCES, errno.EPERM}
)
"""How the system says that a path is not one for what a command does with it."""
USUAL_COLUMNS, LEAST_COLUMNS = 80, 20
"""Of a terminal that does not say how wide it is; one that says that it is narrower is taken for one of this width."""


def run(arguments: Sequence[str], context: Context | None = None) -> int:
    """Run one command and return its exit status. Every error that people can meet ends here, as one sentence."""
    status = attempt(arguments, context)
    if (fault := fault_of_output()) is None:  # of what waits in memory, while that can still fail in one sentence
        return status
    if isinstance(fault, BrokenPipeError):
        return ExitStatus.BROKEN_PIPE
    return fail(fault, f"cannot write: {fault.strerror}", ExitStatus.FAILED)


def attempt(arguments: Sequence[str], context: Context | None) -> int:
    try:
        words = list(arguments)
        read_files_named_in(os.environ)
        with colons_joined(COMPLETION_VARIABLE):
            result = program_for(words)(words, prog_name="ladder", obj=context or Context(), standalone_mode=False)
        if result == ExitStatus.INTERRUPTED:  # Typer turns Ctrl-C into this status without a word
            sys.stderr.write("ladder: interrupted\n")
        return result if isinstance(result, int) else ExitStatus.OK
    except BuildRefused as error:
        return fail(error, f"{error}\n{error.output}".rstrip(), error.exit_status)
    except UsageFault as error:  # it may repeat a name that was given, with any character in it
        return fail(error, sentence(error, arguments), error.exit_status)
    except ArenaError as error:
        return fail(error, str(error), error.exit_status)
    except typer.TyperException as error:
        return say_misuse(error)
    except (KeyboardInterrupt, typer.Abort) as error:  # before or after Typer's part
        return fail(error, "interrupted", ExitStatus.INTERRUPTED)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # so Typer and Rich end when the output is closed
            return ExitStatus.BROKEN_PIPE
        raise
    except Exception as error:  # noqa: BLE001 - a bug of ours is still one sentence
        return say_unforeseen(error, arguments)


def say_unforeseen(error: Exception, words: Sequence[str]) -> int:
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        fault_of_output()  # or the text that waits in memory would raise the same error again
        return fail(error, f"cannot write: {error.strerror}", ExitStatus.FAILED)
    if isinstance(error, UnicodeEncodeError):  # a word that was given: nothing else can hold such characters
        return fail(error, f"{error.object!r} is not text in UTF-8", ExitStatus.USAGE)
    if isinstance(error, OSError) and error.errno in NO_SUCH_USE and is_of(words, str(error.filename)):
        return fail(error, f"{shortened(str(error.filename))} cannot be used: {error.strerror}", ExitStatus.USAGE)
    fault = f"{type(error).__name__}: {plain_words(error)}"
    return fail(error, f"unexpected error: {fault} (run again with `ladder --debug`)", ExitStatus.FAILED)


def is_of(words: Sequence[str], name: str) -> bool:
    """Say whether a path is one that a command line names, or below it."""
    typed = {part for word in words for part in (word, word.partition("=")[2]) if part}
    return any(Path(name).is_relative_to(part) for part in typed)


def fault_of_output() -> OSError | None:
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at exit
        return error
    return None


def say_misuse(error: typer.TyperException) -> int:
    words = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # Typer does not show where to import it from
        sys.stderr.write(f"{words}\n")
        return error.exit_code
    for pattern, replacement in PLAIN_WORDS:
        words = re.sub(pattern, replacement, words)
    typed = getattr(error, "ctx", None)
    example = None
    if typed is not None and error.format_message().startswith(("Missing", "Got unexpected extra")):
        example = re.search("^Example: (.+)$", typed.command.help or "", re.MULTILINE)
    such = f"; for example: `{example[1]}`" if example else ""
    wrong = one_line(words).removesuffix(".")
    return fail(error, f"{wrong}{such} (`--help` after the command says more)", error.exit_code)


PLAIN_WORDS = (
    ("Value error, ", ""),
    ("Input should be a valid integer, unable to parse string as an integer", "it should be a whole number"),
    ("Input should be a valid number, unable to parse string as a number", "it should be a number"),
    ("Input should be a valid string, unable to parse raw data as a unicode string", "it should be text in UTF-8"),
    ("Input should be greater than or equal to", "it should be at least"),
    ("Input should be less than or equal to", "it should be at most"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", r"this is more than the command takes: \1"),
)
"""What Typer, and pydantic by which it checks values, say to programmers, and what we say in its place."""


def fail(error: BaseException, sentence: str, status: int) -> int:
    """Say what went wrong on stderr, obeyed by no terminal, and return the exit status; with --debug show where.

    On a terminal the first line is wrapped at blanks; others, which a compiler may have laid out, stay as they are.
    """
    if os.environ.get("LADDER_DEBUG"):
        sys.stderr.write(harmless("".join(traceback.format_exception(error))))
    words, *rest = f"ladder: {harmless(sentence)}".split("\n")
    sys.stderr.write("\n".join([wrapped(words), *rest, ""]))
    return status


def wrapped(words: str) -> str:
    """Wrap a line of stderr at blanks where that is a terminal; a word wider than it, as a path may be, stays whole."""
    if not sys.stderr.isatty():
        return words
    named = os.environ.get("COLUMNS", "")
    columns = int(named) if named.isdecimal() else os.get_terminal_size(sys.stderr.fileno()).columns
    width = max(columns or USUAL_COLUMNS, LEAST_COLUMNS)
    return textwrap.fill(words, width, break_long_words=False, break_on_hyphens=False)
