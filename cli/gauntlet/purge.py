"""`ladder gauntlet purge`: take back what one machine played."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import this
from cli.deeds import ByOption, doer_named
from cli.options.numbers import id_number, reason_in

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.gauntlets.gauntlets import Gauntlet

WHY = "what this machine played differs from the others' results"


def purge(
    typer_context: typer.Context,
    gauntlet: Annotated[int, typer.Argument(help="The gauntlet's number.", callback=id_number, show_default=False)],
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
    from ladder import deeds
    from ladder.database.connection import transaction
    from ladder.errors import QueueDown
    from ladder.gauntlets import running
    from ladder.gauntlets.gauntlets import find

    context = this(typer_context)
    reason, by = reason_in(why), doer_named(player)
    with context.pool() as pool, transaction(pool) as connection:
        pairs = running.purge(connection, gauntlet, host, by, reason)
        deeds.write(connection, by, "gauntlet purge", f"gauntlet {gauntlet}: what {host} played ({reason})")
        found = find(connection, gauntlet)
        stays = found.candidate if plays_behind_gate(connection, found) else None
    with suppress(QueueDown):  # the scheduler looks every second anyway
        context.bell.ring_schedule()
    if as_json:
        done = {"gauntlet": gauntlet, "host": host, "pairs": pairs, "state": found.state, "stays_on_board": stays}
        context.show_json(done)
        return
    goes_on = "it goes on" if found.state == "running" else f"`ladder gauntlet resume {gauntlet}` lets it go on"
    context.show(f"{pairs} pairs that {host} played of gauntlet {gauntlet} count no more; {goes_on}")
    if stays is not None:
        context.show(
            f"{stays} stays on the board, whatever the new verdict; `ladder bot activate` puts another version there"
        )


def plays_behind_gate(connection: Connection, gauntlet: Gauntlet) -> bool:
    """Say whether a gauntlet was to hold its candidate back, and the candidate is its bot's version on the board."""
    from ladder.bots import bots
    from ladder.ratings import standings

    bot = bots.bot_of_version(connection, gauntlet.candidate_id)
    present = standings.present_version(connection, bot.id)
    return gauntlet.gates and present is not None and present[0] == gauntlet.candidate_id
