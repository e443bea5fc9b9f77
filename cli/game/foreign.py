"""`ladder game verify NAME FILE...`: whether a referee program does what files of other programs say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.exit_status import ExitStatus
from cli.options.numbers import checked_seed
from cli.terminal.words import quoted
from engine.errors import Refused, UsageFault, plain_words
from engine.games.loading import TABLE
from engine.records.repeat_match import log_difference, runner_difference
from engine.records.runner_file import read_runner_file, read_tester_log
from engine.referees.edition import load_any_folder
from engine.series import opened

if TYPE_CHECKING:
    from cli.context import Context
    from engine.game import Game
    from engine.games.golden import Difference
    from engine.sandbox.box import Sandbox

MOST_MB = 256
"""Of one file."""


def verify_foreign(
    context: Context, game: Game, files: Sequence[Path], seed: int | None, league: str | None, tier: str | None
) -> int:
    """Compare a game's referee with files, one match each; print the first difference of each that differs.

    `league`: whose rules count, None for the highest, as such files do not say it.
    Returns the exit status. Raises Refused for a game with rules in Python, UnknownName for a league, and what opening
    a sandbox raises.
    """
    if game.program is None:
        raise Refused(
            f"the rules of {game.name} are in Python: golden records are for those, and need no name before them"
        )
    game.require_lines("`ladder game verify`")
    chosen = game.leagues[-1] if league is None else game.league(league)
    sandbox, identical, unreadable = opened(tier), 0, 0
    for path in files:
        try:
            difference = difference_of(path, game, chosen.rules_level, seed, sandbox)
        except UsageFault as fault:
            context.say(quoted(f"ladder: {fault}" if str(path) in str(fault) else f"ladder: {path}: {fault}"))
            unreadable += 1
            continue
        identical += difference is None
        if difference is not None:
            context.show(quoted(f"{path}: {difference}"))
    read = len(files) - unreadable
    if read and len(game.rules_levels) > 1:
        context.say(f"by the rules of {chosen.title}{'' if league else '; --league chooses others'}")
    context.show(f"{read} {'match' if read == 1 else 'matches'}, {identical} identical")
    if unreadable:
        return ExitStatus.USAGE
    return ExitStatus.OK if identical == read else ExitStatus.FAILED


def game_named(context: Context, name: Path) -> Game:
    """Return the game of that name, or of that folder. Raises UnknownName, GameFault.

    A folder that is called as a game is, and holds none itself, is not meant.
    """
    is_folder = name.is_dir() and ((name / TABLE).is_file() or str(name) not in context.games)
    return load_any_folder(name) if is_folder else context.games.find(str(name))


def difference_of(path: Path, game: Game, rules_level: int, seed: int | None, sandbox: Sandbox) -> Difference | None:
    """Compare a game's referee with one file. Raises UsageFault where it cannot be read, or does not fit the game."""
    text = text_of(path)
    if text.lstrip().startswith("{"):
        if seed is not None:
            raise UsageFault("--seed is for logs; this file says its seed itself")
        return runner_difference(read_runner_file(path, text), game, rules_level, sandbox)
    log = read_tester_log(path, text)
    if seed is None and game.program is not None and game.program.seed_bits:
        raise UsageFault("a log does not say its seed: give it with --seed")
    return log_difference(log, checked_seed(seed), game, rules_level, sandbox)


def text_of(path: Path) -> str:
    """Read a file. Raises UsageFault."""
    try:
        if path.stat().st_size > MOST_MB * 2**20:
            raise UsageFault(f"it has more than {MOST_MB} MB, which no match has")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageFault(f"it cannot be read ({plain_words(error)})") from error
    except UnicodeDecodeError as error:
        raise UsageFault("it is not a text in UTF-8") from error
