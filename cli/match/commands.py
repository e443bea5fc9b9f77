"""`ladder match`: what was played and how it went, and asking for more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.match.requests import cancel_request, list_requests, request_matches
from cli.options.files import file_option
from cli.options.names import game_option
from cli.options.numbers import MOST_ROWS, id_number, reason_in
from cli.options.people import ByOption, doer_named
from cli.options.sandbox import SandboxOption
from cli.terminal.quoting import quoted
from engine.bot.clock import Clock, Policy, TimeRule

if TYPE_CHECKING:
    from rich.text import Text

    from engine.game import Games
    from engine.match import MatchResult, Turn
    from ladder.matches.failures import FailedAttempt
    from ladder.matches.match_rows import MatchRow, SeatRow
    from ladder.matchmaking.requests import Request

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Matches: list them, look at one, or ask for some.\n\nExample: ladder match list --bot kraken",
)


@app.command("list")
def list_matches(
    typer_context: typer.Context,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="Only matches of this bot.")] = None,
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
    Those of gauntlets and of `ladder match request` rate nobody and are marked so. A match that was put aside because
    it could not be played, or was taken back, ends in "void"; `ladder match show` says why.

    Example: ladder match list --bot kraken --limit 5
    """
    from cli.match.request_texts import lapsed_text
    from cli.render import matches_table
    from engine.errors import UsageFault
    from ladder.bots import bots
    from ladder.matches import match_rows
    from ladder.matchmaking import requests

    context = this(typer_context)
    if bot is not None and request is not None:
        raise UsageFault("--bot and --request cannot be used together: a request is for two versions anyway")
    if game is not None and request is not None:
        raise UsageFault("--game and --request cannot be used together: a request is for one game anyway")
    asked = None
    with context.database() as connection:
        if request is not None:
            asked = requests.find(connection, request)
            found = requests.matches_over(connection, request, limit)
        else:
            bot_id = None if bot is None else bots.find_bot(connection, bot, game).id
            in_game = None if game is None else context.games.find(game).name
            found = match_rows.latest_matches(connection, limit, bot_id, in_game)
        seats = match_rows.seats_of(connection, [match.id for match in found])
    if as_json:
        context.show_json(
            [asdict(row) | {"seats": [asdict(seat) for seat in seats if seat.match_id == row.id]} for row in found]
        )
    elif found:
        context.show(matches_table(found, seats))
    else:
        of_whom = bot or (request and f"request {request}") or game
        context.say(f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet")
    if asked is not None and asked.lapsed:
        context.say(f"request {asked.id}: {lapsed_text(asked)}")


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
    Of a match that a gauntlet or somebody asked for also that it rates nobody.
    Where attempts at playing it failed, each with its time, place and reason.

    Times of a turn: wall; cpu, what the bot computed; wait, how long the host let it wait for a CPU, all its threads
    together; late, how long an answer waited for us; charged, what counts of it by the fair clock; runtime, what the
    allowance for compilers and collectors bore of a turn that would have been over its limit.

    Example: ladder match show 17 --turns
    """
    from cli.match.allowances import allowances_text, allowances_us
    from cli.match.failure_texts import failures_text
    from cli.match.request_texts import as_row, origin_text
    from cli.render import match_text, overruns_text, turn_rows, turns_text

    context = this(typer_context)
    found = read_match(context, match)
    limits_ms = found.limits_ms()
    if as_json:
        drawn_us = allowances_us(found.said)
        seats = [asdict(seat) | {"runtime_us": drawn_us[seat.seat]} for seat in found.seats]
        failures = [asdict(failure) for failure in found.failures]
        said = turn_rows(found.said, limits_ms, found.rule)
        request = {"request": found.request and as_row(found.request)}
        rest = {"seats": seats, "said": said, "failed_attempts": failures}
        context.show_json(asdict(found.row) | request | rest)
        return
    parts = [quoted(match_text(found.row, found.seats, origin_text(found.row, found.request)))]
    if found.failures:
        parts.append(quoted(failures_text(found.failures)))
    if overruns := overruns_text(found.said, limits_ms, found.rule):
        parts.append(overruns)
    if allowances := allowances_text(found.said):
        parts.append(allowances)
    if turns:
        parts.append(quoted(turns_text(found.said)))
    context.show(parts_text(parts))


def parts_text(parts: Sequence[Text]) -> Text:
    """Put parts of a text below each other, one empty line between two, however many each ends with."""
    from rich.text import Text

    whole = [part[: len(part.plain.rstrip("\n"))] for part in parts]
    return Text("\n\n").join(whole)


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
    from cli.render import rejudged_text
    from engine.errors import Refused
    from engine.rejudge import limits_of, rejudge

    context = this(typer_context)
    found = read_match(context, match)
    if found.row.state != "finished":
        raise Refused(f"match {match} is {found.row.state}; only a finished match can be judged again")
    result, rule = found.result(), TimeRule(policy, clock)
    rejudged = rejudge(result, limits_of(result), rule)
    sentence = rejudged_text(rejudged, rule)
    if found.has_wall_times_only and clock is Clock.FAIR:
        sentence += " (as far as can be told: its record has wall times only)"
    if as_json:
        decisive = asdict(rejudged.decisive) if rejudged.decisive else None
        judged_by = {"policy": found.row.time_policy, "clock": found.row.clock}
        context.show_json(
            {
                "match": match,
                "policy": policy,
                "clock": clock,
                "judged_by": judged_by,
                "end": rejudged.end,
                "decisive": decisive,
                "sentence": sentence,
            }
        )
    else:
        context.show(f"match {match} under policy {policy}, {clock} clock: {sentence}")


@app.command("replay")
def replay_match(
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

    Example: ladder match replay 17 --with ./kraken.py
    """
    from cli.match.replay import replay

    replay(this(typer_context), match, file, seat, sandbox, as_json=as_json)


@app.command("void")
def void_match(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", callback=id_number, show_default=False)],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the match.", show_default=False)],
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take back a finished match.

    The match keeps its record and counts no more: its league is rated again without it, unless it had rated nobody.
    That cannot be undone. A match that is not finished, or was taken back before, is refused with exit status 3. It is
    an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder match void 17 --why "the referee let a dead submarine fire"
    """
    from cli.render import counted
    from ladder import deeds
    from ladder.database.connection import transaction
    from ladder.ratings import rewrite

    context = this(typer_context)
    reason, by = reason_in(why), doer_named(player)
    with context.pool() as pool, transaction(pool) as connection:
        done = rewrite.void_match(connection, match, by, reason)
        deeds.write(connection, by, "match void", f"match {match} of {done.league}: {reason}")
    if as_json:
        context.show_json(asdict(done))
    elif (again := done.rewritten) is None:
        context.show(f"match {match} is void; it had rated nobody, so no rating has changed")
    else:
        context.show(
            f"match {match} is void; {counted(again.matches, 'other match', 'other matches')} of {done.league} rated "
            f"again, which changed {counted(again.changed_lines, 'ledger line')} and "
            f"{counted(again.changed_standings, 'standing')}"
        )


@dataclass(frozen=True, slots=True)
class Found:
    """All that is stored of a match. `said` is empty until it is finished; `failures`: of attempts at playing it.

    `request`: by which it was asked for, or None.
    """

    games: Games
    row: MatchRow
    seats: list[SeatRow]
    said: tuple[Turn, ...]
    failures: list[FailedAttempt]
    request: Request | None

    def result(self) -> MatchResult:
        """Return it as the engine knows it; it must be finished.

        Raises ArenaError where rows are missing, UnknownName where its game is not known here.
        """
        from ladder.matches.record import result_of

        return result_of(self.games.find(self.row.game), self.row, self.seats, self.said)

    @property
    def rule(self) -> TimeRule | None:
        """Return the rule for time by which it was judged; None where only wall times are known, or it was not yet."""
        if self.has_wall_times_only or self.row.time_policy is None or self.row.clock is None:
            return None
        return TimeRule(Policy(self.row.time_policy), Clock(self.row.clock))

    @property
    def has_wall_times_only(self) -> bool:
        """Say whether it was played before the fair clock, so that waiting times are not known."""
        return self.row.state == "finished" and not self.row.sandbox

    def limits_ms(self) -> tuple[int | None, ...]:
        """Return every turn's limit; None for all where it cannot be told: rules have changed, or rows are missing."""
        from engine.errors import ArenaError
        from engine.rejudge import limits_of

        try:
            return limits_of(self.result()) if self.said else ()
        except ArenaError:
            return (None,) * len(self.said)


def read_match(context: Context, match_id: int) -> Found:
    """Read a match. Raises UnknownName."""
    from engine.errors import UnknownName
    from ladder.matches import match_rows
    from ladder.matches.failures import failures_of
    from ladder.matches.record import decode_turns
    from ladder.matchmaking import requests

    with context.database() as connection:
        row = match_rows.find_match(connection, match_id)
        if row is None:
            raise UnknownName(f"there is no match {match_id}; `ladder match list` shows the latest")
        seats = match_rows.seats_of(connection, [match_id])
        record = match_rows.match_record(connection, match_id)
        failures = failures_of(connection, [match_id])
        request = None if row.request_id is None else requests.find(connection, row.request_id)
    return Found(context.games, row, seats, decode_turns(record) if record else (), failures, request)
