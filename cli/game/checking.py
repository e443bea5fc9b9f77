"""Checking games whose referee is a program: for `ladder game check`, and before one is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from cli.terminal.words import quoted
from engine.conformance.programs import SEEDS, check
from engine.conformance.ways import ProgramCheck, is_doubtful, shows_sdk, why_silent
from engine.errors import UsageFault, plain_words
from engine.game import Game
from engine.games.catalogue import TABLE
from engine.referees.edition import Gathered, changed_edition, load_edition, load_folder, new_edition
from engine.referees.game_file import NewGame
from engine.referees.program import ProtocolKind, command_words, why_unfit
from engine.series import build_file, opened
from engine.toolchains.source import Tree
from ladder.views.games import CheckedGame

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True, slots=True)
class CheckedEdition:
    """A game that was checked. `tree`: its files, with what was found written into `game.toml`."""

    game: str
    check: ProgramCheck
    tree: Tree

    @property
    def view(self) -> CheckedGame:
        return CheckedGame(self.game, self.check.is_sound, self.check.findings, self.tree.hash)


SAID_FIRST = {ProtocolKind.SDK: "INIT", ProtocolKind.BRUTALTESTER: "###Start"}
"""What a referee is sent first, by each protocol in which it asks."""


def spoken_kind(context: Context, new: NewGame, gathered: Gathered, sandbox: str | None) -> ProtocolKind:
    """Find out by its jar or by starting it which protocol a new referee speaks, and say so. Raises UsageFault."""
    if why_unfit(command_words(new.command), new.players) is None:
        raise UsageFault("this command is given the bots, so it starts them itself: say --kind command")
    game = load_edition(new_edition(new, gathered))
    if game.program is None:
        raise UsageFault(f"the rules of {game.name} are in Python")
    if shows_sdk(game.program):
        return ProtocolKind.SDK
    whys = []
    for kind, first in SAID_FIRST.items():
        why = why_silent(game, replace(game.program, kind=kind), opened(sandbox))
        if not why:
            context.say(f"its referee speaks {kind}: it asks when it is sent {first}")
            return kind
        whys.append(f"sent {first}: {why}")
    raise UsageFault(f"say by --kind which protocol the referee speaks, for it asks nothing; {'; '.join(whys)}")


def require_spoken(game: Game, sandbox: str | None) -> None:
    """Raise UsageFault where a referee is to speak `sdk`, its jar does not show that it does, and it asks nothing."""
    if game.program is not None and is_doubtful(game.program):
        why = why_silent(game, game.program, opened(sandbox))
        if why:
            raise UsageFault(
                f"this jar does not speak the protocol of the SDK: {why}; one that speaks the older protocol is added "
                "with --kind brutaltester"
            )


def checked_edition(
    context: Context, game: Game, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
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


def checked_parts(found: CheckedEdition) -> list[Text]:
    return [quoted(f"{finding.proof.value:10}{finding.about}: {finding.words}") for finding in found.check.findings]
