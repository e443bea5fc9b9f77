"""`ladder game new | check`: games of one's own.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import this
from cli.exit_status import ExitStatus
from cli.options.files import file_argument
from cli.options.sandbox import SandboxOption
from cli.terminal.quoting import quoted
from engine.games.loading import load_game
from engine.series import opened

if TYPE_CHECKING:
    from engine.conformance.finding import Finding


def new_game(
    typer_context: typer.Context,
    name: Annotated[str, typer.Argument(help="What the game is called, as in tic-tac-toe.", show_default=False)],
    folder: Annotated[Path, file_argument("Where it is written: a folder that is empty, or is not there yet.")],
) -> None:
    """Write the skeleton of a game of your own.

    It is a small game that can be played at once and passes `ladder game check`; change it file by file. Ladder finds
    it where LADDER_GAMES names its folder or the one above it, on every machine that plays its matches.

    Example: ladder game new tic-tac-toe ~/games/tic-tac-toe
    """
    from engine.new_game.skeleton import write_skeleton

    context = this(typer_context)
    for path in write_skeleton(name, folder):
        context.show(quoted(str(path)))
    context.say(quoted(f"try it: ladder game check {folder}, then LADDER_GAMES={folder} ladder game show {name}"))


def check_game(
    typer_context: typer.Context,
    folder: Annotated[Path, file_argument("A game's folder, with its game.toml.")],
    sandbox: SandboxOption = None,
) -> int:
    """Check a game's folder with the conformance kit.

    Files and keys, statements, that its referee ends every match and gives the same one again, that its bosses and
    starters pass their trial matches, and, where it has them, golden records and secrets. Exit status 1 where
    something is wrong, 2 where the folder cannot be loaded.

    Example: ladder game check ~/games/tic-tac-toe
    """
    from engine.conformance.kit import check

    context = this(typer_context)
    game = load_game(folder.absolute())
    is_sound = True
    for finding in check(game, opened(sandbox)):
        context.show(quoted(finding_text(finding)))
        is_sound = is_sound and not finding.complaints
    return ExitStatus.OK if is_sound else ExitStatus.FAILED


def finding_text(finding: Finding) -> str:
    """Say what a check found: a line, and one more for each thing that is wrong."""
    result = "lacks" if finding.lacks else "failed" if finding.complaints else "ok"
    return "\n".join([f"{result:7}{finding.check}", *(f"{'':7}{one}" for one in finding.complaints)])
