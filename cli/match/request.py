"""`ladder match request`, `requests` and `cancel`: asking for battles, what was asked for, and taking it back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from cli import texts
from cli.answer import Answer, ExitStatus, Rows, argument, listing, option
from cli.context import Context
from cli.options.folder_defaults import bots_here
from cli.options.names import game_option, owner_named, player_option
from cli.options.numbers import LimitOption, id_argument, seed_number
from ladder import actions, matchmaking, views
from ladder.ids import RequestId
from ladder.names import read_name
from ladder.row_limits import MOST_BATTLES

if TYPE_CHECKING:
    from ladder.matchmaking.requests import BattleRequest

WATCH_EVERY_S = 0.5


def request_matches(
    context: Context,
    first: Annotated[str, argument("A bot, or a version as in kraken@v3.")],
    second: Annotated[
        str | None, argument("Whom it is to play, likewise. [default: the folder's bot, as for the last of three]")
    ] = None,
    others: Annotated[list[str] | None, argument("Of a game for more than two: who has the other seats.")] = None,
    game: Annotated[str | None, game_option("Their game, if several have bots of all these names.")] = None,
    battles: Annotated[
        int, option("--battles -n", "How many; each is one seed with everybody in each seat.", min=1, max=MOST_BATTLES)
    ] = 1,
    seed: Annotated[
        int | None, option("--seed", "The first battle's seed; each next has the next one.", callback=seed_number)
    ] = None,
    player: Annotated[str | None, player_option("Who asks.")] = None,
    watch: Annotated[bool, option("--watch -w", "Wait until they are played.")] = False,
    as_json: Annotated[bool, option("--json", "Print the request as JSON.")] = False,
) -> Annotated[Answer, "Print the request as JSON."]:
    """Ask for battles between versions that stand on one board, as many as a match has players.

    They are played before anything else that the scheduler makes. They are unrated: no rating, record or promotion
    depends on them. Versions that are not on the same board are refused with exit status 3; if one leaves the board
    later, the battles that are not made by then will not be played, and with --watch the exit status is 1.

    Example: ladder match request kraken orca@v3 --battles 10 --watch
    Example: ladder match request ann bob cid --game olymbits
    """
    named = [name for name in (first, second, *(others or ())) if name is not None]
    sides = list(map(read_name, bots_here(context.games, named, game)))
    request = context.act(actions.matches.request, owner_named(player), sides, battles, game, seed)
    if not watch:
        return Answer(request, texts.matches.asked_text(request))
    if not as_json:
        context.say(texts.matches.asked_text(request))
    request = follow(context, request.id)
    status = ExitStatus.FAILED if request.lapsed else ExitStatus.OK
    return Answer(request, texts.matches.played_text(request), status=status)


def follow(context: Context, request_id: RequestId) -> BattleRequest:
    try:
        with context.err.status("waiting for the scheduler") as status:
            while True:
                request = context.follow(matchmaking.requests.find, request_id)
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


def list_requests(
    context: Context,
    everything: Annotated[bool, option("--all", "Also those that have ended, and why.")] = False,
    limit: LimitOption = 50,
) -> Rows:
    """List the battles that were asked for and are not all played yet.

    It shows who asked for what, and how many battles have been made into matches. The battles of a season's series are
    asked for in the same way. With --all also what has ended; where battles were not made, its state is the reason.

    Example: ladder match requests --all
    """
    latest = context.read(views.requests.latest, limit, ended=everything)
    nothing = "no battle has been requested yet" if everything else "no request is open: --all shows the others"
    more = [] if latest.are_all else [f"there are more than {limit}: --limit shows as many as you like"]
    return listing(latest.requests, lambda: texts.matches.requests_table(latest.requests), nothing, more)


def cancel_request(
    context: Context,
    request: Annotated[RequestId, id_argument("request")],
    player: Annotated[str | None, player_option("Who asked for it.")] = None,
) -> Annotated[Answer, "Print the request as JSON."]:
    """Take back a `ladder match request`.

    Battles that are not made yet are not made any more; those that are made are played. A request that has ended, was
    taken back before or belongs to a season's series is refused with exit status 3, and so is somebody else's; an
    unknown one with 2.

    Example: ladder match cancel 5
    """
    cancelled = context.act(actions.matches.cancel, owner_named(player), request)
    rest = "; what is made is played" if cancelled.made else ""
    return Answer(cancelled, f"request {request} is taken back: {texts.matches.lacking_text(cancelled)}{rest}")
