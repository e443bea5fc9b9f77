"""`ladder game lock` and `ladder game unlock`: games that take no new versions for a while."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.answer import Answer, Found
from cli.context import this
from cli.options.names import ByOption, game_argument, operator_named
from cli.options.numbers import reason_in
from ladder import actions


def lock_game(
    typer_context: typer.Context,
    game: Annotated[str, game_argument()],
    why: Annotated[str, typer.Option("--why", help="The reason, which players see.")],
    player: ByOption = None,
) -> Found:
    """Let a game take no new versions, and no other ones on its boards, until it is unlocked; play goes on.

    Versions that were submitted before are built and come onto the boards. `ladder season plan --submit-until` does the
    same from a time on. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder game lock ocean-of-code --why "final until Sunday"
    """
    context = this(typer_context)
    found = context.game_named(game)
    done = context.act(actions.games.lock, operator_named(player), found, reason_in(why))
    words = f"{done.game} is locked: no version is submitted or activated until `ladder game unlock {done.game}`"
    return Answer(done, words)


def unlock_game(
    typer_context: typer.Context,
    game: Annotated[str, game_argument()],
    player: ByOption = None,
) -> None:
    """Let a game take versions again. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder game unlock ocean-of-code
    """
    context = this(typer_context)
    done = context.act(actions.games.unlock, operator_named(player), context.game_named(game))
    context.show(f"{done} takes versions again")
