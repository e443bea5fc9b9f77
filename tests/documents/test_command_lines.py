"""Command lines that documents show are ones that the program takes."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import typer

from cli.program.assembly import program
from tests.documents.commands import Node, walk
from tests.documents.test_links import CHECKOUT, DOCUMENTS

LINE = re.compile(
    r"^(?:- run:|\$|\s)*((?:\w+=\S+ )*(?:bin/)?ladder \S[^\n]*)$|`((?:bin/)?ladder [^`\n]*)`", re.MULTILINE
)
ENDS = {"&&", "|", ">", ">>", ";"}


@cache
def nodes() -> dict[str, Node]:
    return {node.path: node for node in walk(typer.main.get_command(program()), "ladder", None)}


def command_lines(document: Path) -> Iterator[str]:
    for in_block, in_sentence in LINE.findall(document.read_text("utf-8")):
        yield in_block or in_sentence


def fault_of(line: str) -> str | None:
    """Return what the program does not know of a command line, or None if it knows all of it."""
    words = shlex.split(line, comments=True)
    words = [word for word in words[: next((at for at, word in enumerate(words) if word in ENDS), None)] if word]
    path, *words = words[next(at for at, word in enumerate(words) if word in {"ladder", "bin/ladder"}) :]
    path = path.removeprefix("bin/")
    while words and f"{path} {words[0]}" in nodes():
        path = f"{path} {words.pop(0)}"
    has_commands = any(known.startswith(f"{path} ") for known in nodes())
    if has_commands and words and re.match("[a-z]", words[0]):
        return f"{path} {words[0]}"
    command, context = nodes()[path].command, nodes()[path].context
    known = {option for parameter in command.get_params(context) for option in parameter.opts}
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return next((f"{path} {option}" for option in options if option not in known), None)


def test_every_command_line_in_a_document_is_one_that_the_program_takes() -> None:
    lines = [(str(document), line) for document in DOCUMENTS for line in command_lines(document)]
    assert not [(document, fault) for document, line in lines if (fault := fault_of(line))]


def test_command_lines_are_found_and_read() -> None:
    assert "bin/ladder up" in " ".join(command_lines(CHECKOUT / "README.md"))
    assert fault_of("bin/ladder bot show kraken") is None
    assert fault_of("bin/ladder bot sow kraken") == "ladder bot sow"
    assert fault_of("ladder bot show kraken --json | head") is None
    assert fault_of("LADDER_DEBUG=1 ladder gauntlet run kraken@v8 --sprt=-5,0 --local  # here") is None
    assert fault_of("ladder bot sow kraken") == "ladder bot sow"
    assert fault_of("ladder board --lague bronze") == "ladder board --lague"
