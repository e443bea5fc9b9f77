"""`ladder gauntlet purge`: take back what one machine played."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from cli.context import default_player, this

WHY = "what this machine played differs from the others' results"


def purge(
    typer_context: typer.Context,
    gauntlet: Annotated[int, typer.Argument(help="The gauntlet's number.", show_default=False)],
    host: Annotated[
        str, typer.Option("--host", help="The machine, as `ladder gauntlet show` names it.", show_default=False)
    ],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the matches.")] = WHY,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take back what one machine played of a gauntlet, and count again without it.

    The matches keep their records. Their pairs are played again, by whichever machine is free, so a finished gauntlet
    goes on until its question is answered anew. That cannot be undone. A machine that has played none of it is refused
    with exit status 3.

    Example: ladder gauntlet purge 12 --host lab-3 --why "its CPU was throttled"
    """
    from engine.errors import UsageFault
    from ladder import gauntlets
    from ladder.database import transaction
    from ladder.errors import QueueDown
    from ladder.storage.gauntlets import find

    context = this(typer_context)
    reason = " ".join(why.split())
    if not reason:
        raise UsageFault("--why is empty: say why the results do not count")
    with context.pool() as pool, transaction(pool) as connection:
        pairs = gauntlets.purge(connection, gauntlet, host, default_player(), reason)
        state = find(connection, gauntlet).state
    with suppress(QueueDown):  # the scheduler looks every second anyway
        context.bell.ring_schedule()
    if as_json:
        context.show_json({"gauntlet": gauntlet, "host": host, "pairs": pairs, "state": state})
    else:
        goes_on = "it goes on" if state == "running" else f"`ladder gauntlet resume {gauntlet}` lets it go on"
        context.show(f"{pairs} pairs that {host} played of gauntlet {gauntlet} count no more; {goes_on}")
