"""`ladder match request`, `requests` and `cancel`: asking for battles, what was asked for, and taking it back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.options.here import bots_here
from cli.options.names import game_option
from cli.options.numbers import MOST_ROWS, id_argument, seed_number
from cli.options.people import owner_named
from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from engine.text import counted, listed, ordinal
from ladder.access import Actor
from ladder.actions import battles as actions
from ladder.ids import RequestId
from ladder.matches.match_rows import MatchRow
from ladder.matchmaking.requests import Request, RequestSide
from ladder.names import Named, read_name
from ladder.views import requests
from ladder.views.requests import read_request


def asked_text(request: Request) -> str:
    """Say what was asked for."""
    return (
        f"request {request.id}: {counted(request.battles, 'battle')} of {players_text(request)} in {request.league}; "
        f"unrated; `ladder match list --request {request.id}` shows what was played, "
        f"`ladder match cancel {request.id}` takes it back"
    )


def players_text(request: Request) -> str:
    """Name those that play."""
    return f"{request.first} against {listed(request.versions[1:])}"


def played_text(request: Request) -> str:
    """Say how a request's matches ended, and why battles of it were not made."""
    text = f"request {request.id}: {players_text(request)} in {request.finished} matches: {results_text(request)}"
    if request.void:
        text += f"; {request.void} void"
    if request.lapsed:
        text += f"; {lapsed_text(request)}"
    return text


def results_text(request: Request) -> str:
    """Say how the finished matches went: for the first of two, or by places for each of more."""
    if request.is_of_two:
        return f"{request.wins} won, {request.draws} drawn, {request.losses} lost"
    return "; ".join(side_text(side) for side in request.sides)


def side_text(side: RequestSide) -> str:
    """Say how one of more than two versions did."""
    if side.points is None:
        return f"{side.version} without a match"
    places = ", ".join(f"{ordinal(place)} {times}" for place, times in enumerate(side.places, 1) if times)
    return f"{side.version} {side.points:.1%} of the points, {places}".replace("%", " %")


def lapsed_text(request: Request) -> str:
    """Say how much of a request that was cut short was not made, and why."""
    return f"{lacking_text(request)}: {request.lapsed}"


def lacking_text(request: Request) -> str:
    """Say how many battles of a request that was cut short were not made."""
    if request.battles == 1:
        return "its battle was not made"
    lacking = request.battles - request.made
    return f"{lacking} of its {request.battles} battles {'was' if lacking == 1 else 'were'} not made"


def cancelled_text(request: Request) -> str:
    """Say what taking a request back means."""
    rest = "; what is made is played" if request.made else ""
    return f"request {request.id} is taken back: {lacking_text(request)}{rest}"


def requests_table(requests: Sequence[Request]) -> FittingTable:
    """Draw a list of requests. Of more than two versions those after the first stand in one column."""
    second = "second" if all(request.is_of_two for request in requests) else "others"
    return FittingTable(
        ("request", "game", "league", "first", second, "made", "by", "asked", "state"),
        [request_cells(request) for request in requests],
        names=("league", "first", second, "by", "state"),
        leaving=("asked", "league", "game"),
        words=("game", "asked"),
    )


def request_cells(request: Request) -> tuple[str | Text, ...]:
    """Return the cells of a line of the list of requests."""
    return (
        str(request.id),
        request.game,
        request.league,
        request.first,
        ", ".join(request.versions[1:]),
        f"{request.made}/{request.battles}",
        by_text(request),
        moment_text(request.created_at),
        state_text(request),
    )


def by_text(request: Request) -> str:
    """Say who has asked, or of which season's series it is."""
    return request.asked_by if request.season is None else f"series of season {request.season}"


def state_text(request: Request) -> str:
    """Say how a request stands; of one that was cut short why."""
    if request.lapsed:
        return request.lapsed
    if request.left:
        return "open"
    return "played" if request.is_over else "being played"


def origin_text(match: MatchRow, request: Request | None) -> str:
    """Say for whom a match was made if not for the ladder itself, and whether it rates; '' for any other match."""
    rates = "it is rated" if match.rates else "it is unrated"
    if match.gauntlet_id is not None:
        return f"made for gauntlet {match.gauntlet_id}: {rates}"
    if request is None:
        return "" if match.rates else "it no longer counts, as a bot that played it is disqualified"
    cut = f"; {lapsed_text(request)}" if request.lapsed else ""
    return f"made for request {request.id} ({by_text(request)}): {rates}{cut}"


WATCH_EVERY_S = 0.5


def ask(
    context: Context,
    wanted: tuple[Actor, Sequence[Named], int, str | None, int | None],
    *,
    watch: bool,
    as_json: bool,
) -> ExitStatus:
    """Ask for battles and say so; with `watch` wait until they are played. `wanted`: see `ladder.actions.battles`."""
    actor, sides, battles, game, seed = wanted
    request = context.act(actions.request, actor, sides, battles, game, seed)
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
    try:
        with context.err.status("waiting for the scheduler") as status:
            while True:
                request = context.watch(read_request, request_id)
                if request.is_over:
                    return request
                status.update(f"{request.finished} of {request.battles * request.battle_matches} matches played")
                time.sleep(WATCH_EVERY_S)
    except KeyboardInterrupt:
        context.say(
            f"request {request_id} goes on without you: `ladder match requests` shows it, "
            f"`ladder match cancel {request_id}` takes it back"
        )
        raise


def show_requests(context: Context, limit: int, *, ended: bool, as_json: bool) -> None:
    """List the battles that were asked for. `ended`: also those that are over."""
    found = context.read(requests.latest, limit, ended=ended)
    if as_json:
        context.show_json(found.requests)
    elif found.requests:
        context.show(requests_table(found.requests))
    else:
        context.say("no battle has been requested yet" if ended else "no request is open: --all shows the others")
    if not found.are_all:
        context.say(f"there are more than {limit}: --limit shows as many as you like")


def take_back(context: Context, actor: Actor, request_id: RequestId, *, as_json: bool) -> None:
    """Take a request back, and say what that means."""
    done = context.act(actions.cancel, actor, request_id)
    if as_json:
        context.show_json(done)
    else:
        context.show(cancelled_text(done))


MOST_BATTLES = 1000


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

    take_back(this(typer_context), owner_named(player), request, as_json=as_json)
