"""`ladder match list`: which matches were played, and the options by which commands pick some of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cli import match, texts
from cli.answer import Answer, Options, Rows, listing, option
from cli.context import this
from cli.options.folder_defaults import is_typed
from cli.options.names import bot_option, game_option, league_option
from cli.options.numbers import LimitOption, id_option
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.text import shortened
from ladder import views
from ladder.ids import GauntletId, RequestId

if TYPE_CHECKING:
    from ladder.matches.filters import Filter

RESULTS = ("won", "drawn", "lost")
LOCAL, OFFICIAL = "local", "official"
"""Matches that are kept here, as their lasting names begin."""
OF_KEPT = ("game", "league", "against", *RESULTS, "longer_than")
"""Options that pick among those, too."""


@immutable
class MatchOptions(Options):
    """Options by which commands pick matches."""

    bot: Annotated[str | None, bot_option("Only matches of this bot, or of one version, as in kraken@v3.")] = None
    won: Annotated[bool, option("--won", "With --bot: those that it won.")] = False
    drawn: Annotated[bool, option("--drawn", "With --bot: those that it drew.")] = False
    lost: Annotated[bool, option("--lost", "With --bot: those that it lost.")] = False
    against: Annotated[
        str | None, option("--against", "Only against this bot or version; where no bot is named, of it.")
    ] = None
    fault: Annotated[
        str | None,
        option(
            "--fault",
            "Lost by timeout, crashed, illegal, memory, flooded or any; with --bot by that bot, else by either.",
        ),
    ] = None
    league: Annotated[str | None, league_option("Only this league, by its name or title.")] = None
    since: Annotated[
        str | None, option("--since", "Over since then: 90m, 1h, 2d, or a day or time as in 2026-11-01.")
    ] = None
    reason: Annotated[str | None, option("--reason", "Ended for this reason, as the list shows it.")] = None
    longer_than: Annotated[str | None, option("--longer-than", "With more turns than this.", metavar="TURNS")] = None
    rated: Annotated[
        bool | None, option("--rated/--unrated", "Those that count for ratings; or those that do not.")
    ] = None
    gauntlet: Annotated[
        GauntletId | None, id_option("--gauntlet", of="gauntlet", about="Only the matches of this gauntlet.")
    ] = None
    where: Annotated[
        str | None,
        option("--where", "A filter in words, beside the options; `ladder rating recompute --help` explains it."),
    ] = None
    game: Annotated[
        str | None, game_option("Only this game; of a bot the one that it plays, if several have its name.")
    ] = None
    request: Annotated[
        RequestId | None,
        id_option("--request", "-r", of="request", about="Only the matches of this `ladder match request`."),
    ] = None
    local: Annotated[bool, option("--local", "The last matches of `ladder play`, which need no services.")] = False
    official: Annotated[
        bool, option("--official", "Those that `ladder match import` brought in; they need no services.")
    ] = False

    @property
    def kept(self) -> str | None:
        """LOCAL or OFFICIAL for matches that are kept here; None for those of the ladder."""
        return OFFICIAL if self.official else LOCAL if self.local else None

    @property
    def results(self) -> list[str]:
        return [word for word in RESULTS if getattr(self, word)]

    def fits(self, match: views.turns.local.ListedLocal) -> bool:
        """Say whether they pick a match that is kept here."""
        others = [name.lower() for seat, name in enumerate(match.players) if seat != match.own_seat]
        return (
            self.game in {None, match.row.game}
            and (self.league is None or match.row.league.lower().startswith(self.league.lower().replace("-", " ")))
            and (self.against is None or self.against.lower() in others)
            and match.row.turns >= least_turns(self.longer_than)
            and (not self.results or match.own_result in self.results)
        )

    def pick(self, typer_context: typer.Context, left_out: Collection[str] = ()) -> Picked:
        """Return what they pick. `typer_context`: of who lacks `left_out`. Raises FilterFault, UsageFault."""
        names = [name for name in self.values if name not in left_out and is_typed(typer_context, name)]
        typed = tuple(f"--{name.replace('_', '-')}" for name in names)
        if self.kept is not None:
            check_only(typer_context.params, names, local=self.local, official=self.official)
            least_turns(self.longer_than)
            require_one_result(self.results)
            return Picked(self, None, typed)
        if self.request is None:
            require_one_result(self.results)
            if self.results and self.bot is None:
                raise UsageFault(f"--{self.results[0]} needs --bot: say for which bot")
        wanted = views.matches.wanted_by(
            [
                ("--against", "opponent", "=", self.against),
                ("--fault", "fault", "=", self.fault),
                ("--league", "league", "=", self.league),
                ("--since", "time", ">=", self.since),
                ("--reason", "reason", "=", self.reason),
                ("--longer-than", "turns", ">", self.longer_than),
                ("--rated", "rated", "=", None if self.rated is None else "yes" if self.rated else "no"),
                ("--gauntlet", "gauntlet", "=", None if self.gauntlet is None else str(self.gauntlet)),
                *((f"--{word}", "result", "=", word) for word in self.results),
            ],
            self.where,
        )
        if self.request is not None:
            check_alone(names, others=wanted is not None)
        return Picked(self, wanted, typed)


@immutable
class Picked:
    """What options pick. `wanted`: of matches of the ladder, None for all; `typed`: the options that were typed."""

    options: MatchOptions
    wanted: Filter | None
    typed: tuple[str, ...]


def require_one_result(results: Sequence[str]) -> None:
    if len(results) == len(RESULTS):
        raise UsageFault("every match is won, drawn or lost: leave --won, --drawn and --lost out")
    if len(results) > 1:
        (other,) = set(RESULTS) - set(results)
        raise UsageFault(
            f"no match is both {results[0]} and {results[1]}: name one of them, or type --where 'result != {other}' "
            "for both"
        )


def check_alone(typed: Collection[str], *, others: bool) -> None:
    if "bot" in typed:
        raise UsageFault("--bot and --request cannot be used together: a request names its versions anyway")
    if "game" in typed:
        raise UsageFault("--game and --request cannot be used together: a request is for one game anyway")
    if others:
        raise UsageFault("--request lists all matches of one request, so it cannot be used together with other options")


def check_only(names: Collection[str], typed: Collection[str], *, local: bool, official: bool) -> None:
    if local and official:
        raise UsageFault("--local and --official cannot be used together: choose one")
    if set(typed) - {"local", "official", *OF_KEPT}:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in OF_KEPT if name in names)
        raise UsageFault(f"with {'--local' if local else '--official'} go only {options}, --limit and --json")


def least_turns(longer_than: str | None) -> int:
    if longer_than is None:
        return 0
    if not re.fullmatch("[0-9]{1,9}", longer_than):
        raise UsageFault(f"--longer-than is {shortened(longer_than)}; it must be a number of turns")
    return int(longer_than) + 1


def list_matches(typer_context: typer.Context, options: MatchOptions, limit: LimitOption = 20) -> Rows:
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
    wanted = options.pick(typer_context).wanted
    if options.kept is not None:
        return match.show.list_kept(context, limit, options.fits, options.kept)
    if options.request is not None:
        requested = context.read(views.requests.matches_of, options.request, limit)
        request = requested.request
        nothing = f"request {request.id} has no finished match yet"
        lapsed = [f"request {request.id}: {texts.matches.lapsed_text(request)}"] if request.lapsed else []
        return list_of(requested.matches, nothing, after=lapsed)
    latest = context.read(views.matches.latest, limit, options.bot, options.game, wanted)
    of_whom = options.bot or options.game
    nothing = f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet"
    if wanted is not None:
        nothing = "no match fits; those of gauntlets are listed only with --unrated or --gauntlet"
    return list_of(latest.matches, nothing, of_one=latest.of is not None)


def list_of(
    rows: Sequence[views.matches.ListedMatch], nothing: str, *, of_one: bool = False, after: Sequence[str] = ()
) -> Answer:
    table = texts.matches.matches_table
    return listing(rows, lambda: [table(rows, of_one=of_one), texts.matches.HOW_TO_LOOK], nothing, after)
