"""`ladder gauntlet purge`: take back what one machine played."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.names import ByOption, operator_named
from cli.options.numbers import id_argument, reason_in
from ladder import actions
from ladder.ids import GauntletId

WHY = "what this machine played differs from the others' results"


def purge(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    host: Annotated[
        str, typer.Option("--host", help="The machine, as `ladder gauntlet show` names it.", show_default=False)
    ],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the matches.")] = WHY,
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take back what one machine played of a gauntlet, and count again without it.

    The matches keep their records. Their pairs are played again, by whichever machine is free, so a finished gauntlet
    goes on until its question is answered anew. That cannot be undone. A machine that has played none of it is refused
    with exit status 3.

    A version that its gauntlet has let onto the board stays there meanwhile, and after any new verdict too: others have
    been rated by its matches. `ladder bot activate` puts another version in its place.

    Example: ladder gauntlet purge 12 --host lab-3 --why "its CPU was throttled"
    """
    context = this(typer_context)
    reason = reason_in(why)
    done = context.act(actions.gauntlets.purge, operator_named(player), context.queue, gauntlet, host, reason)
    if as_json:
        context.show_json(done)
        return
    goes_on = "it goes on" if done.state == "running" else f"`ladder gauntlet resume {gauntlet}` lets it go on"
    context.show(f"{done.pairs} pairs that {host} played of gauntlet {gauntlet} no longer count; {goes_on}")
    if done.stays_on_board is not None:
        context.show(
            f"{done.stays_on_board} stays on the board, whatever the new verdict; `ladder bot activate` puts another "
            "version there"
        )
