"""`ladder match list`: which matches were played, and which of them somebody looks for.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli import texts
from cli.answer import Answer, Rows, listing
from cli.context import Context, this
from cli.options.here import is_typed
from cli.options.names import bot_option, game_option, league_option
from cli.options.numbers import LimitOption, id_option
from engine.errors import UsageFault
from engine.text import shortened
from ladder import views
from ladder.ids import GauntletId, RequestId

if TYPE_CHECKING:
    from ladder.views.matches import ListedMatch
    from ladder.views.turns.local import ListedLocal

RESULTS = ("won", "drawn", "lost")


def list_matches(
    typer_context: typer.Context,
    bot: Annotated[str | None, bot_option("Only matches of this bot, or of one version, as in kraken@v3.")] = None,
    won: Annotated[bool, typer.Option("--won", help="With --bot: those that it won.")] = False,
    drawn: Annotated[bool, typer.Option("--drawn", help="With --bot: those that it drew.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="With --bot: those that it lost.")] = False,
    against: Annotated[
        str | None, typer.Option("--against", help="Only against this bot or version; without --bot, of it.")
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault",
            help="Lost by timeout, crashed, illegal, memory, flooded or any; with --bot by that bot, else by either.",
        ),
    ] = None,
    league: Annotated[str | None, league_option("Only this league, by its name or title.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Over since then: 90m, 1h, 2d, or a day or time as in 2026-11-01.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Ended for this reason, as the list shows it.")] = None,
    longer_than: Annotated[
        str | None, typer.Option("--longer-than", metavar="TURNS", help="With more turns than this.")
    ] = None,
    rated: Annotated[
        bool | None, typer.Option("--rated/--unrated", help="Those that count for ratings; or those that do not.")
    ] = None,
    gauntlet: Annotated[
        GauntletId | None, id_option("--gauntlet", of="gauntlet", about="Only the matches of this gauntlet.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            "--where", help="A filter in words, beside the options; `ladder rating recompute --help` explains it."
        ),
    ] = None,
    game: Annotated[str | None, game_option("Only this game; with --bot the bot's, if several have that name.")] = None,
    request: Annotated[
        RequestId | None,
        id_option("--request", "-r", of="request", about="Only the matches of this `ladder match request`."),
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="The last matches of `ladder play`, which need no services.")
    ] = False,
    official: Annotated[
        bool, typer.Option("--official", help="Those that `ladder match import` brought in; they need no services.")
    ] = False,
    limit: LimitOption = 20,
) -> Rows:
    """List the latest matches that are over, or those that you look for.

    All options have to hold. Of a bot or a game they are those with the highest numbers; of a bot, a column says
    whether it won or lost. Matches of gauntlets, which can be thousands, are listed only with --unrated or --gauntlet.
    Those of `ladder match request` are unrated, and marked so. A match that could not be played, or was taken
    back, ends in "void"; `ladder match show` says why.

    Example: ladder match list --bot kraken --lost --against wahoo --since 1h

    Example: ladder match list --local

    Example: ladder match list --official --lost --against kim

    Example: ladder match list --where "bot = kraken and fault = timeout and not opponent = boss-bronze"
    """
    context = this(typer_context)
    results = [word for word, given in zip(RESULTS, (won, drawn, lost), strict=True) if given]
    if local or official:
        from cli.match.showing import list_kept

        check_only(typer_context, local=local, official=official)
        wanted_here = Wanted(game, league, against, least_turns(longer_than), the_result(results))
        return list_kept(context, limit, wanted_here.fits, official=official)
    options = [
        ("--against", "opponent", "=", against),
        ("--fault", "fault", "=", fault),
        ("--league", "league", "=", league),
        ("--since", "time", ">=", since),
        ("--reason", "reason", "=", reason),
        ("--longer-than", "turns", ">", longer_than),
        ("--rated", "rated", "=", None if rated is None else "yes" if rated else "no"),
        ("--gauntlet", "gauntlet", "=", None if gauntlet is None else str(gauntlet)),
        *((f"--{word}", "result", "=", word) for word in results),
    ]
    asked = [(name, field, sign, text) for name, field, sign, text in options if text is not None]
    if request is not None:
        check_alone(typer_context, others=bool(asked or where))
        return list_requested(context, request, limit)
    check_results(results, bot)
    wanted = views.matches.wanted_by(asked, where)
    found = context.read(views.matches.latest, limit, bot, game, wanted)
    nothing = nothing_text(bot or game, is_filtered=wanted is not None)
    return list_of(found.matches, nothing, of_one=found.of is not None)


def check_results(results: Sequence[str], bot: str | None) -> None:
    """Refuse two results at once, which no match has, and a result without a bot. Raises UsageFault."""
    require_one_result(results)
    if results and bot is None:
        raise UsageFault(f"--{results[0]} needs --bot: say for which bot")


def require_one_result(results: Sequence[str]) -> None:
    if len(results) == len(RESULTS):
        raise UsageFault("every match is won, drawn or lost: leave --won, --drawn and --lost out")
    if len(results) > 1:
        (other,) = set(RESULTS) - set(results)
        raise UsageFault(
            f"no match is both {results[0]} and {results[1]}: name one of them, or type --where 'result != {other}' "
            "for both"
        )


def check_alone(typer_context: typer.Context, *, others: bool) -> None:
    """Refuse what cannot be used together with --request. `others`: whether other options are given."""
    if is_typed(typer_context, "bot"):
        raise UsageFault("--bot and --request cannot be used together: a request names its versions anyway")
    if is_typed(typer_context, "game"):
        raise UsageFault("--game and --request cannot be used together: a request is for one game anyway")
    if others:
        raise UsageFault("--request lists all matches of one request, so it cannot be used together with other options")


def check_only(typer_context: typer.Context, *, local: bool, official: bool) -> None:
    allowed = {"local", "official", "limit", "as_json", "game", "league", "against", "longer_than", *RESULTS}
    if local and official:
        raise UsageFault("--local and --official cannot be used together: choose one")
    if any(is_typed(typer_context, name) for name in typer_context.params if name not in allowed):
        options = "--game, --league, --against, --won, --drawn, --lost, --longer-than, --limit and --json"
        raise UsageFault(f"with {'--local' if local else '--official'} go only {options}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for among matches that are kept here; None, and 0 turns, for whatever it is."""

    game: str | None
    league: str | None
    against: str | None
    least_turns: int
    result: str | None

    def fits(self, match: ListedLocal) -> bool:
        others = [name.lower() for seat, name in enumerate(match.players) if seat != match.own_seat]
        return (
            self.game in {None, match.row.game}
            and (self.league is None or match.row.league.lower().startswith(self.league.lower().replace("-", " ")))
            and (self.against is None or self.against.lower() in others)
            and match.row.turns >= self.least_turns
            and self.result in {None, match.own_result}
        )


def least_turns(longer_than: str | None) -> int:
    """Raises UsageFault for what is not a number."""
    if longer_than is None:
        return 0
    if not re.fullmatch("[0-9]{1,9}", longer_than):
        raise UsageFault(f"--longer-than is {shortened(longer_than)}; it must be a number of turns")
    return int(longer_than) + 1


def the_result(results: Sequence[str]) -> str | None:
    require_one_result(results)
    return results[0] if results else None


def nothing_text(of_whom: str | None, *, is_filtered: bool) -> str:
    if is_filtered:
        return "no match fits; those of gauntlets are listed only with --unrated or --gauntlet"
    return f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet"


def list_requested(context: Context, request_id: RequestId, limit: int) -> Answer:
    found = context.read(views.requests.matches_of, request_id, limit)
    lapsed = [f"request {request_id}: {texts.requests.lapsed_text(found.request)}"] if found.request.lapsed else []
    return list_of(found.matches, f"request {request_id} has no finished match yet", after=lapsed)


def list_of(found: Sequence[ListedMatch], nothing: str, *, of_one: bool = False, after: Sequence[str] = ()) -> Answer:
    """List matches, or say what is to be said where there is none. `of_one`: whether they are of one bot."""
    table = texts.matches.matches_table
    return listing(found, lambda: [table(found, of_one=of_one), texts.matches.HOW_TO_LOOK], nothing, after)
