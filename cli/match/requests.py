"""`ladder match request`, `requests` and `cancel`: asking for battles, what was asked for, and taking it back.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.database_to_read import database_to_read
from cli.exit_status import ExitStatus
from cli.options.here import pair_here
from cli.options.names import game_option
from cli.options.numbers import MOST_ROWS, id_argument, seed_number
from cli.options.people import owner_named
from ladder.ids import RequestId
from ladder.names import read_name

if TYPE_CHECKING:
    from ladder.matchmaking.requests import Request

WATCH_EVERY_S = 0.5
MOST_BATTLES = 1000


def request_matches(
    typer_context: typer.Context,
    first: Annotated[str, typer.Argument(help="A bot, or a version as in kraken@v3.", show_default=False)],
    second: Annotated[
        str | None, typer.Argument(help="Whom it is to play, likewise. [default: the folder's bot]")
    ] = None,
    game: Annotated[str | None, game_option("Their game, if several have bots of both names.")] = None,
    battles: Annotated[
        int,
        typer.Option("--battles", "-n", min=1, max=MOST_BATTLES, help="How many; each is two matches on one seed."),
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
    """Ask for battles between two versions that stand on one board.

    They are played before anything else that the scheduler makes. They are unrated: no rating, record or promotion
    depends on them. Versions that are not on the same board are refused with exit status 3; if one leaves the board
    later, the battles that are not made by then will not be played, and with --watch the exit status is 1.

    Example: ladder match request kraken orca@v3 --battles 10 --watch
    """
    from cli.match.request_texts import asked_text, played_text
    from ladder.actions import battles as actions

    context = this(typer_context)
    one, other = pair_here(first, second)
    sides = (read_name(one), read_name(other))
    request = context.act(actions.request, owner_named(player), sides, battles, game, seed)
    if watch:
        if not as_json:
            context.say(asked_text(request))
        request = follow(context, request.id)
    if as_json:
        context.show_json(request)
    else:
        context.show(played_text(request) if watch else asked_text(request))
    return ExitStatus.FAILED if watch and request.lapsed else ExitStatus.OK


def follow(context: Context, request_id: RequestId) -> Request:
    """Wait until a request's matches are played, saying how far they are, and return it as it is then."""
    from ladder.views.requests import read_request

    try:
        with context.err.status("waiting for the scheduler") as status:
            while True:
                with context.database() as connection:
                    request = read_request(connection, request_id)
                if request.is_over:
                    return request
                status.update(f"{request.finished} of {2 * request.battles} matches played")
                time.sleep(WATCH_EVERY_S)
    except KeyboardInterrupt:
        context.say(
            f"request {request_id} goes on without you: `ladder match requests` shows it, "
            f"`ladder match cancel {request_id}` takes it back"
        )
        raise


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
    from cli.match.request_texts import requests_table
    from ladder.views import requests

    context = this(typer_context)
    with database_to_read(context) as connection:
        found = requests.latest(connection, limit, ended=everything)
    if as_json:
        context.show_json(found.requests)
    elif found.requests:
        context.show(requests_table(found.requests))
    else:
        context.say("no battle has been requested yet" if everything else "no request is open: --all shows the others")
    if not found.are_all:
        context.say(f"there are more than {limit}: --limit shows as many as you like")


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
    from cli.match.request_texts import cancelled_text
    from ladder.actions import battles

    context = this(typer_context)
    done = context.act(battles.cancel, owner_named(player), request)
    if as_json:
        context.show_json(done)
    else:
        context.show(cancelled_text(done))
