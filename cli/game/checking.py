"""Checking games whose referee is a program: for `ladder game check`, and before one is added.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.terminal.quoting import quoted
from engine.errors import UsageFault, plain_words
from engine.games.loading import TABLE
from engine.referees.edition import load_edition, load_folder
from engine.referees.gathering import changed_edition
from engine.series import build_file, opened
from ladder.views.games import CheckedGame

if TYPE_CHECKING:
    from cli.context import Context
    from engine.conformance.programs.finding import ProgramCheck
    from engine.game import Game
    from engine.toolchains.tree import Tree


@dataclass(frozen=True, slots=True)
class CheckedEdition:
    """A game that was checked. `tree`: its files, with what was found written into `game.toml`."""

    game: str
    check: ProgramCheck
    tree: Tree

    @property
    def view(self) -> CheckedGame:
        """What is shown of it."""
        return CheckedGame(self.game, self.check.is_sound, self.check.findings, self.tree.hash)


def checked_edition(
    context: Context, game: Game, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    """Check a game whose referee is a program. Raises UsageFault, BuildRefused, MissingTool, HostBusy, SandboxFault."""
    from engine.conformance.programs.check import SEEDS, check

    programs = [build_file(word, context.settings.source_chars, sandbox) for word in bots]
    found = check(game, programs, opened(sandbox), SEEDS if seeds is None else seeds)
    return CheckedEdition(game.name, found, changed_edition(game.folder, found.values, {}))


def check_tree(
    context: Context, tree: Tree, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    """Check a game that is to be added. Raises UsageFault where it is not as its file says, and as above."""
    found = checked_edition(context, load_edition(tree), bots, seeds, sandbox)
    wrong = [finding for finding in found.check.findings if finding.proof == "wrong"]
    if wrong:
        raise UsageFault(f"{found.game} was not added: {wrong[0].words}")
    return found


def check_folder(
    context: Context, folder: Path, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    """Check the game in a folder, and write what was found into its `game.toml`. Raises as above."""
    found = checked_edition(context, load_folder(folder), bots, seeds, sandbox)
    try:
        (folder / TABLE).write_bytes(found.tree.contents[TABLE])
    except OSError as error:
        raise UsageFault(f"cannot write {folder / TABLE}: {plain_words(error)}") from error
    return found


def show_checked(context: Context, found: CheckedEdition) -> None:
    """Print what a check found: a line for each thing."""
    for finding in found.check.findings:
        context.show(quoted(f"{finding.proof.value:10}{finding.about}: {finding.words}"))
