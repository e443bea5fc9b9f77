"""Writes `docs/commands.md` from the program itself: `python -m tests.documents.commands`.

How this works. Typer's command tree is walked in the order in which help lists it. A command's usage, help text and
options are those that `--help` prints; only their form is another one, as Markdown has links and tables.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer

from cli.answer import ExitStatus
from cli.program.assembly import program

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
RENEW = ".venv/bin/python -m tests.documents.commands"
"""The command that writes the page again."""

ESCAPED_BAR = r"\|"
"""How a table's cell writes `|`."""

HEAD = f"""\
# Commands

This page is generated: `{RENEW}` writes it from the program, and
a test compares the two. So change the help texts, not this page.

`ladder --install-completion` sets up completion for your shell. `ladder --debug COMMAND` shows the traceback of an
error. The program also reads [variables of the environment](settings.md).
"""
MEANINGS = {
    ExitStatus.OK: "The command did what you asked for. A gauntlet: passed.",
    ExitStatus.FAILED: "It could not, or what it checked is wrong. A gauntlet: failed.",
    ExitStatus.USAGE: "The command line, a file or a variable is wrong. The message says what, and what is allowed.",
    ExitStatus.REFUSED: "The command is well formed, but a rule or a missing guarantee forbids it.",
    ExitStatus.UNAVAILABLE: "The database, the broker or another service does not answer.",
    ExitStatus.MISSING_TOOL: "This machine lacks a program or a package. The message says how to install it.",
    ExitStatus.UNDECIDED: "A gauntlet has not answered its question.",
    ExitStatus.BUSY: "This machine is too busy to try its sandbox. Try again later.",
    ExitStatus.INTERRUPTED: "You pressed Ctrl-C.",
    ExitStatus.BROKEN_PIPE: "The reader of the output has closed it, as `head` does.",
}


class Node(NamedTuple):
    """One command or group: as it is typed, Typer's object for it, and its context."""

    path: str
    command: Any
    context: Any


def page() -> str:
    """Return the whole reference."""
    nodes = list(walk(typer.main.get_command(program()), "ladder", None))
    contents = "\n".join(f"| [`{path}`](#{anchor(path)}) | {summary(command)} |" for path, command, _ in nodes[1:])
    statuses = "\n".join(f"| {status} | {MEANINGS[status]} |" for status in ExitStatus)
    return (
        f"{HEAD}\n| command | what it does |\n|---|---|\n{contents}\n\n"
        f"## Exit statuses\n\n| status | meaning |\n|--:|---|\n{statuses}\n\n" + "\n\n".join(map(section, nodes)) + "\n"
    )


def walk(command: Any, path: str, parent: Any) -> Iterator[Node]:
    context = command.make_context(path, [], parent=parent, resilient_parsing=True)
    yield Node(path, command, context)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from walk(command.get_command(context, name), f"{path} {name}", context)


def anchor(path: str) -> str:
    return path.replace(" ", "-")


def summary(command: Any) -> str:
    return in_markdown(str(command.help).split("\n\n")[0])


def section(node: Node) -> str:
    """Return what the reference says of one command."""
    paragraphs = [" ".join(part.split()) for part in str(node.command.help).split("\n\n")]
    examples = [part.removeprefix("Example: ") for part in paragraphs if part.startswith("Example: ")]
    usage = " ".join([node.path, *node.command.collect_usage_pieces(node.context)])
    words = [in_markdown(part) for part in paragraphs if not part.startswith("Example: ")]
    shown = ["    " + usage, "For example:", "\n".join("    " + example for example in examples), parameters(node)]
    return "\n\n".join(filter(None, [f"## {node.path}", *words, *shown]))


def parameters(node: Node) -> str:
    records = [parameter.get_help_record(node.context) for parameter in node.command.get_params(node.context)]
    rows = [row(*record) for record in records if record and record[0].strip() != "--help"]
    return "\n".join(["| argument or option | meaning | |", "|---|---|---|", *rows]) if rows else ""


def row(words: str, text: str) -> str:
    """Return the line of one argument or option; what its help has in brackets (default, bounds) has its own column."""
    notes = re.findall(r"\[([^\]]*)\]", text)
    meaning = re.sub(r"\[[^\]]*\]", "", text)
    bounds = re.sub(r"([\d.-]+)<=x<=([\d.]+)", r"\1 to \2", "; ".join(notes))
    return f"| `{words.strip().replace('|', ESCAPED_BAR)}` | {in_markdown(meaning)} | {in_markdown(bounds)} |"


def in_markdown(text: str) -> str:
    return re.sub(r"<(?=[A-Za-z/!])", r"\\<", " ".join(text.split()).replace("|", ESCAPED_BAR))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
