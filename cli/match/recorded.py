"""`ladder match rematch --recorded`: what was said in a match, put to a fresh referee program."""

from __future__ import annotations

from pathlib import Path

from cli.context import Context
from cli.exit_status import ExitStatus
from cli.match.rematch import play_again
from cli.terminal.words import quoted
from engine.errors import Refused, UsageFault
from engine.records.repeat_match import put_again
from engine.series import opened
from engine.text import counted
from ladder.ids import MatchId
from ladder.views.turns.match import read_stored


def played_again(
    context: Context,
    match_id: MatchId,
    file: Path | None,
    seat: int | None,
    tier: str | None,
    *,
    is_recorded: bool,
    as_json: bool,
) -> int:
    """Play a stored match again, with bots, or with what was said then; return the exit status."""
    if is_recorded:
        return play_recorded(context, match_id, file, seat, tier, as_json=as_json)
    play_again(context, match_id, file, seat, tier, as_json=as_json)
    return ExitStatus.OK


def play_recorded(
    context: Context, match_id: MatchId, file: Path | None, seat: int | None, tier: str | None, *, as_json: bool
) -> int:
    """Put a stored match to a fresh referee and print whether it asks the same; return the exit status.

    Raises UnknownName, UsageFault, Refused, MissingTool, SandboxFault, Unavailable; RefereeFault where it breaks.
    """
    if file is not None or seat is not None:
        raise UsageFault("--recorded plays what was said then: leave --with and --seat out")
    stored = context.read(read_stored, context.games, match_id)
    game = stored.result.spec.game
    if game.program is None:
        raise Refused(
            f"{game.name} has rules in Python, which lead its recorded matches whenever one is shown: "
            "--recorded is for games whose referee is a program"
        )
    game.require_lines("--recorded")
    game.require_repeatable("--recorded")
    again = put_again(stored.result, opened(tier), stored.conditions)
    if as_json:
        context.show_json(again)
    elif again.difference is None:
        asked = counted(again.questions, "question")
        context.show(f"match {match_id} goes the same way again: the same {asked}, and the same scores")
    else:
        context.show(quoted(f"match {match_id} goes another way now: {again.difference}"))
    return ExitStatus.OK if again.difference is None else ExitStatus.FAILED
