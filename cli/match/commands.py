"""`ladder match`: what was played and how it went, and asking for more.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.database_to_read import database_to_read
from cli.match.requests import cancel_request, list_requests, request_matches
from cli.options.files import file_option
from cli.options.here import is_typed
from cli.options.names import bot_option, game_option
from cli.options.numbers import MOST_ROWS, id_number, reason_in
from cli.options.people import ByOption, operator_named
from cli.options.sandbox import SandboxOption
from engine.bot.clock import Clock, Policy, TimeRule
from engine.errors import UsageFault
from engine.text import counted

if TYPE_CHECKING:
    from ladder.views.matches import ListedMatch

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Matches: list them, look at one, or ask for some.\n\nExample: ladder match list --bot kraken",
)


@app.command("list")
def list_matches(
    typer_context: typer.Context,
    bot: Annotated[str | None, bot_option("Only matches of this bot.")] = None,
    game: Annotated[str | None, game_option("Only this game; with --bot the bot's, if several have that name.")] = None,
    request: Annotated[
        int | None,
        typer.Option("--request", "-r", callback=id_number, help="Only the matches of this `ladder match request`."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the latest matches that are over.

    Of a bot or a game they are those with the highest numbers.
    Those of gauntlets and of `ladder match request` are unrated, and marked so. A match that was put aside because
    it could not be played, or was taken back, ends in "void"; `ladder match show` says why.

    Example: ladder match list --bot kraken --limit 5
    """
    from ladder.views import matches

    context = this(typer_context)
    if is_typed(typer_context, "bot") and request is not None:
        raise UsageFault("--bot and --request cannot be used together: a request is for two versions anyway")
    if is_typed(typer_context, "game") and request is not None:
        raise UsageFault("--game and --request cannot be used together: a request is for one game anyway")
    if request is not None:
        list_requested(context, request, limit, as_json=as_json)
        return
    with database_to_read(context) as connection:
        found = matches.latest(connection, limit, bot, game)
    of_whom = bot or game
    nothing = f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet"
    show_list(context, found, nothing, as_json=as_json)


def list_requested(context: Context, request_id: int, limit: int, *, as_json: bool) -> None:
    """List the matches of a request, and say why it was cut short if it was."""
    from cli.match.request_texts import lapsed_text
    from ladder.views import requests

    with database_to_read(context) as connection:
        found = requests.matches_of(connection, request_id, limit)
    show_list(context, found.matches, f"request {request_id} has no finished match yet", as_json=as_json)
    if found.request.lapsed:
        context.say(f"request {found.request.id}: {lapsed_text(found.request)}")


def show_list(context: Context, found: list[ListedMatch], nothing: str, *, as_json: bool) -> None:
    """Print a list of matches, or what is to be said where there is none."""
    from cli.render import matches_table

    if as_json:
        context.show_json(found)
    elif found:
        context.show(matches_table(found))
    else:
        context.say(nothing)


app.command("request")(request_matches)
app.command("requests")(list_requests)
app.command("cancel")(cancel_request)


@app.command("show")
def show_match(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", callback=id_number, show_default=False)],
    turns: Annotated[bool, typer.Option("--turns", help="Also every line that was said, and what it took.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, the turns too.")] = False,
) -> None:
    """Show one match in detail.

    Result, seed, sandbox, seats, verdicts, timing, whose fault each overrun was, and what each bot wrote to stderr.
    For matches of gauntlets and requests it also says that they are unrated.
    Where attempts at playing it failed, each with its time, place and reason.

    Times of a turn: wall; cpu, what the bot computed; wait, how long the host let it wait for a CPU, all its threads
    together; late, how long an answer waited for us; charged, what counts of it by the fair clock; runtime, what the
    allowance for compilers and collectors bore of a turn that would have been over its limit.

    Example: ladder match show 17 --turns
    """
    from cli.match.detail_text import detail_text
    from ladder.views.matches import read_match

    context = this(typer_context)
    with database_to_read(context) as connection:
        found = read_match(connection, context.games, match)
    context.show_json(found) if as_json else context.show(detail_text(found, turns=turns))


@app.command("rejudge")
def rejudge_match(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", callback=id_number, show_default=False)],
    policy: Annotated[
        Policy, typer.Option("--policy", help="What an overrun means. strict: a loss; codingame: grace, three strikes.")
    ] = Policy.STRICT,
    clock: Annotated[
        Clock, typer.Option("--clock", help="What counts. fair: not the waiting for a busy host; wall: all time.")
    ] = Clock.FAIR,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Say how a match would have ended under another rule for time.

    It would have ended the same; or a seat would have lost by time-out on a turn; or it would have gone on after the
    turn that was lost by time-out. Nothing is changed. Turns are counted as `ladder match show --turns` counts them.

    Example: ladder match rejudge 17 --policy codingame --clock wall
    """
    from ladder.views.matches import rejudged

    context = this(typer_context)
    with database_to_read(context) as connection:
        found = rejudged(connection, context.games, match, TimeRule(policy, clock))
    if as_json:
        context.show_json(found)
    else:
        context.show(f"match {match} under policy {policy}, {clock} clock: {found.sentence}")


@app.command("rematch")
def rematch(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", callback=id_number, show_default=False)],
    file: Annotated[
        Path | None,
        file_option("--with", "A source that takes the place of the version whose bot it is named like."),
    ] = None,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, max=1, help="Whose place it takes, where the name does not say.")
    ] = None,
    sandbox: SandboxOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print both matches as JSON.")] = False,
) -> None:
    """Play a finished match again here, with your file in place of a version.

    On the same seed and rules, in the same seats, with the same limits and rule for time; all other limits are those
    that the league has now. Nothing is stored. Without --with the same two versions play again. No services have to
    run.

    Example: ladder match rematch 17 --with ./kraken.py
    """
    from cli.match.rematch import play_again

    play_again(this(typer_context), match, file, seat, sandbox, as_json=as_json)


@app.command("void")
def void_match(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", callback=id_number, show_default=False)],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the match.", show_default=False)],
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take back a finished match.

    The match keeps its record and counts no more: its league is rated again without it, unless it was unrated.
    That cannot be undone. A match that is not finished, or was taken back before, is refused with exit status 3. It is
    an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder match void 17 --why "the referee let a dead submarine fire"
    """
    from ladder.actions import matches

    context = this(typer_context)
    reason = reason_in(why)
    done = context.act(matches.void, operator_named(player), match, reason)
    if as_json:
        context.show_json(done)
    elif (again := done.rewritten) is None:
        context.show(f"match {match} is void; it was unrated, so no rating has changed")
    else:
        context.show(
            f"match {match} is void; {counted(again.matches, 'other match', 'other matches')} of {done.league} rated "
            f"again, which changed {counted(again.changed_lines, 'ledger line')} and "
            f"{counted(again.changed_standings, 'standing')}"
        )
