"""`ladder game new | check`: games of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cli.answer import Answer, ExitStatus, Found
from cli.context import Context
from cli.game.checking import CheckedEdition, check_folder, checked_edition, checked_parts
from cli.game.referee import game_of_ladder
from cli.options.files import file_argument
from cli.options.names import ByOption, SandboxOption, ladder_game_argument, operator_named
from cli.program.parameters import argument, option
from cli.terminal.words import quoted
from engine.conformance.kit import CheckFinding, check
from engine.errors import UsageFault
from engine.games.loading import TABLE, GameTable, load_game
from engine.new_game.skeleton import write_skeleton
from engine.referees.edition import load_edition
from engine.series import opened
from ladder import actions


def new_game(
    context: Context,
    name: Annotated[str, argument("What the game is called, as in tic-tac-toe.")],
    folder: Annotated[Path, file_argument("Where it is written: a folder that is empty, or is not there yet.")],
) -> None:
    """Write the skeleton of a game of your own.

    It is a small game that can be played at once and passes `ladder game check`; change it file by file. Ladder finds
    it where LADDER_GAMES names its folder or the one above it, on every machine that plays its matches.

    Example: ladder game new tic-tac-toe ~/games/tic-tac-toe
    """
    for path in write_skeleton(name, folder):
        context.show(quoted(str(path)))
    context.say(quoted(f"try it: ladder game check {folder}, then LADDER_GAMES={folder} ladder game show {name}"))


def check_game(
    context: Context,
    what: Annotated[str, ladder_game_argument("A game's folder, or a game of the ladder.", or_folder=True)],
    bots: Annotated[list[str] | None, argument("With --bots: bots that play it.", metavar="[BOT]...")] = None,
    with_bots: Annotated[
        bool, option("--bots", "The words after the game are bots that play it; files, as in a.py b.cpp.")
    ] = False,
    seeds: Annotated[int | None, option("--seeds", "Play that many seeds. [default: 3]", min=2, max=1000)] = None,
    sandbox: SandboxOption = None,
    player: ByOption = None,
    as_json: Annotated[bool, option("--json", "Print what was found as JSON.")] = False,
) -> Found:
    """Check a game.

    A folder of rules in Python, with the conformance kit: files and keys, statements, that its referee ends every match
    and gives the same one again, that its bosses and starters pass their trial matches, and, where it has them, golden
    records and secrets.

    A game whose referee is a program, by letting it lead matches between bots and then giving a fresh one the same
    answers: what repeats a match, which numbers of players work, how it counts time, what its fault line does. What is
    found is written into its game.toml. Without bots only its first questions are compared, and what that leaves open
    is said to be unproven.

    Exit status 1 where something is wrong, 2 where the game cannot be loaded.

    Example: ladder game check ~/games/tic-tac-toe

    Example: ladder game check olymbits --bots a.py b.cpp --seeds 5
    """
    if bots and not with_bots:
        raise UsageFault(f"{bots[0]}: say --bots before bots that are to play it")
    if is_rules_in_python(Path(what)):
        if bots or seeds or as_json:
            raise UsageFault("--bots, --seeds and --json are for games whose referee is a program")
        return check_rules(context, Path(what), sandbox)
    if with_bots and not bots:
        raise UsageFault("--bots: name at least one bot after the game")
    if Path(what).is_dir():
        found = check_folder(context, Path(what), bots or [], seeds, sandbox)
    else:
        found = check_on_ladder(context, what, bots or [], seeds, sandbox, player)
    status = ExitStatus.OK if found.check.is_sound else ExitStatus.FAILED
    return Answer(found.view, lambda: checked_parts(found), status=status)


def is_rules_in_python(folder: Path) -> bool:
    return folder.is_dir() and not GameTable(folder / TABLE).is_table("referee")


def check_on_ladder(
    context: Context, name: str, bots: Sequence[str], seeds: int | None, sandbox: str | None, player: str | None
) -> CheckedEdition:
    game = game_of_ladder(context, name)
    found = checked_edition(context, game, bots, seeds, sandbox)
    if found.tree.hash != game.edition:
        context.act(actions.games.update, operator_named(player), game, load_edition(found.tree), found.tree)
    return found


def check_rules(context: Context, folder: Path, sandbox: str | None) -> Answer:
    game = load_game(folder.absolute())
    is_sound = True
    for finding in check(game, opened(sandbox)):  # each is shown as soon as it is there
        context.show(quoted(finding_text(finding)))
        is_sound = is_sound and not finding.complaints
    return Answer(None, (), status=ExitStatus.OK if is_sound else ExitStatus.FAILED)


def finding_text(finding: CheckFinding) -> str:
    result = "lacks" if finding.lacks else "failed" if finding.complaints else "ok"
    return "\n".join([f"{result:7}{finding.check}", *(f"{'':7}{one}" for one in finding.complaints)])
