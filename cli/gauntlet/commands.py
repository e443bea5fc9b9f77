"""`ladder gauntlet list | stop | resume | purge`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from cli.answer import Answer, Done, Rows, listing
from cli.context import this
from cli.options.here import is_typed
from cli.options.names import ByOption, bot_option, game_option, operator_if, operator_named
from cli.options.numbers import LimitOption, id_argument, reason_in
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import moment_text
from engine.errors import UsageFault
from ladder import actions, views
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.rendering.table import against_text, question, state_of
from ladder.ids import GauntletId

VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}
WHY = "what this machine played differs from the others' results"

GAUNTLETS: Columns[Gauntlet] = (
    Column("id", lambda one: one.id),
    Column("candidate", lambda one: one.candidate, NAME),
    Column("against", against_text, NAME),
    Column("question", question, NAME, leaves=2),
    Column("state", state_of, WORDS, leaves=3),
    Column("verdict", lambda one: Text(one.verdict or "", style=VERDICT_STYLES.get(one.verdict or "", "")), WORDS),
    Column("begun", lambda one: moment_text(one.created_at), WORDS, leaves=1),
)

PlayerOption = Annotated[
    str | None, typer.Option("--player", "-p", help="Who began it. [default: LADDER_PLAYER or your login name]")
]
OperatorOption = Annotated[
    bool, typer.Option("--operator", help="Act as an operator, also on what others began; the record names you.")
]


def list_gauntlets(
    typer_context: typer.Context,
    bot: Annotated[str | None, bot_option("Only gauntlets of this bot's versions.")] = None,
    game: Annotated[str | None, game_option("The bot's game, if several have that name.")] = None,
    limit: LimitOption = 20,
) -> Rows:
    """List the latest gauntlets.

    Example: ladder gauntlet list --bot kraken
    """
    context = this(typer_context)
    if is_typed(typer_context, "game") and bot is None:
        raise UsageFault("--game says which game the bot of --bot plays: say --bot too")
    found = context.read(views.gauntlets.latest, limit, bot, game)
    nothing = "there is no gauntlet yet: begin one with `ladder gauntlet run`"
    return listing(found, lambda: table_of(GAUNTLETS, found), nothing)


def stop_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    player: PlayerOption = None,
    operator: OperatorOption = False,
) -> Done:
    """Stop a gauntlet that runs. What it has played stays, and it can be resumed.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet stop 12
    """
    done = this(typer_context).act(actions.gauntlets.stop, operator_if(operator, player), gauntlet)
    return Answer(done, f"gauntlet {gauntlet} is stopped; `ladder gauntlet resume {gauntlet}` lets it go on")


def resume_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    player: PlayerOption = None,
    operator: OperatorOption = False,
) -> Done:
    """Let a stopped gauntlet go on from where it was.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet resume 12
    """
    done = this(typer_context).act(actions.gauntlets.resume, operator_if(operator, player), gauntlet)
    return Answer(done, f"gauntlet {gauntlet} goes on; `ladder gauntlet show {gauntlet} --watch` follows it")


def purge(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    host: Annotated[
        str, typer.Option("--host", help="The machine, as `ladder gauntlet show` names it.", show_default=False)
    ],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the matches.")] = WHY,
    player: ByOption = None,
) -> Done:
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
    goes_on = "it goes on" if done.state == "running" else f"`ladder gauntlet resume {gauntlet}` lets it go on"
    lines = [f"{done.pairs} pairs that {host} played of gauntlet {gauntlet} no longer count; {goes_on}"]
    if done.stays_on_board is not None:
        lines.append(
            f"{done.stays_on_board} stays on the board, whatever the new verdict; `ladder bot activate` puts another "
            "version there"
        )
    return Answer(done, lines)
