"""`ladder match request`, `requests` and `cancel`: asking for battles, what was asked for, and taking it back.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.here import bots_here
from cli.options.names import game_option
from cli.options.numbers import MOST_BATTLES, MOST_ROWS, id_argument, seed_number
from cli.options.people import owner_named
from ladder.ids import RequestId
from ladder.names import read_name


def request_matches(
    typer_context: typer.Context,
    first: Annotated[str, typer.Argument(help="A bot, or a version as in kraken@v3.", show_default=False)],
    second: Annotated[
        str | None,
        typer.Argument(help="Whom it is to play, likewise. [default: the folder's bot, as for the last of three]"),
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Argument(help="Of a game for more than two: who has the other seats.", show_default=False),
    ] = None,
    game: Annotated[str | None, game_option("Their game, if several have bots of all these names.")] = None,
    battles: Annotated[
        int,
        typer.Option(
            "--battles", "-n", min=1, max=MOST_BATTLES, help="How many; each is one seed with everybody in each seat."
        ),
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", callback=seed_number, help="The first battle's seed; each next has the next one."),
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", "-p", help="Who asks. [default: LADDER_PLAYER or your login name]")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Wait until they are played.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the request as JSON.")] = False,
) -> int:
    """Ask for battles between versions that stand on one board, as many as a match has players.

    They are played before anything else that the scheduler makes. They are unrated: no rating, record or promotion
    depends on them. Versions that are not on the same board are refused with exit status 3; if one leaves the board
    later, the battles that are not made by then will not be played, and with --watch the exit status is 1.

    Example: ladder match request kraken orca@v3 --battles 10 --watch

    Example: ladder match request ann bob cid --game olymbits
    """
    from cli.match.request.asking import ask

    context = this(typer_context)
    named = [name for name in (first, second, *(others or ())) if name is not None]
    sides = [read_name(name) for name in bots_here(context.games, named, game)]
    wanted = (owner_named(player), sides, battles, game, seed)
    return ask(context, wanted, watch=watch, as_json=as_json)


def list_requests(
    typer_context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also those that have ended, and why.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the battles that were asked for and are not all played yet.

    It shows who asked for what, and how many battles have been made into matches. The battles of a season's series are
    asked for in the same way. With --all also what has ended; where battles were not made, its state is the reason.

    Example: ladder match requests --all
    """
    from cli.match.request.asking import show_requests

    show_requests(this(typer_context), limit, ended=everything, as_json=as_json)


def cancel_request(
    typer_context: typer.Context,
    request: Annotated[RequestId, id_argument("request")],
    player: Annotated[
        str | None,
        typer.Option("--player", "-p", help="Who asked for it. [default: LADDER_PLAYER or your login name]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the request as JSON.")] = False,
) -> None:
    """Take back a `ladder match request`.

    Battles that are not made yet are not made any more; those that are made are played. A request that has ended, was
    taken back before or belongs to a season's series is refused with exit status 3, and so is somebody else's; an
    unknown one with 2.

    Example: ladder match cancel 5
    """
    from cli.match.request.asking import take_back

    take_back(this(typer_context), owner_named(player), request, as_json=as_json)
