"""`ladder board --frozen-from` and `--thaw`: boards that everybody but operators sees as they were at a moment."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from cli.options.moments import by_this_clock
from cli.options.people import operator_named
from cli.terminal.words import moment_text
from engine.errors import UsageFault
from ladder import actions

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.ratings.frozen.freezes import BoardFreeze


def freeze_or_thaw(
    context: Context, game: str | None, frozen_from: datetime | None, player: str | None, *, as_json: bool
) -> None:
    """Freeze the boards of a game from a moment on, or thaw them where there is none; then say so."""
    if game is None:
        raise UsageFault("say with --game which game's boards are meant")
    name, actor = context.game_named(game), operator_named(player)
    if frozen_from is None:
        thawed = context.act(actions.games.thaw_boards, actor, name)
        words = f"everybody sees the boards of {thawed.thawed} as they are"
        context.show_json(thawed) if as_json else context.show(words)
        return
    done = context.act(actions.games.freeze_boards, actor, name, by_this_clock(frozen_from))
    context.show_json(done) if as_json else context.show(freeze_text(done))


def freeze_text(found: BoardFreeze) -> str:
    """Say from when on boards are frozen, and until when."""
    begins = "since" if found.has_begun else "from"
    return (
        f"the boards of {found.game} are frozen {begins} {moment_text(found.frozen_from)}: all but operators see them "
        f"as of then until `ladder board --game {found.game} --thaw`"
    )
