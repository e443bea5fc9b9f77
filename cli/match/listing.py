"""`ladder match list`: which matches were played, and the options by which commands pick some of them.

How this works. These options are declared once, as the parameters of `pick`. A command that has them too, or some of
them, takes what they pick as `picked`, and `picking` puts the options themselves in the place of that parameter.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from cli import match, texts
from cli.answer import Answer, Rows, listing, option
from cli.context import Context, this
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
BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD


@immutable
class Picked:
    """What these options pick; None, or nothing, for whatever it is.

    `wanted`: of matches of the ladder. `kept`: LOCAL or OFFICIAL for matches that are kept here, of which it is
    `here`. `typed`: the options that somebody typed.
    """

    bot: str | None
    game: str | None
    wanted: Filter | None
    request: RequestId | None
    kept: str | None
    here: KeptFilter
    typed: tuple[str, ...]


def pick(
    typer_context: typer.Context,
    names: Sequence[str],
    bot: Annotated[str | None, bot_option("Only matches of this bot, or of one version, as in kraken@v3.")] = None,
    won: Annotated[bool, option("--won", "With --bot: those that it won.")] = False,
    drawn: Annotated[bool, option("--drawn", "With --bot: those that it drew.")] = False,
    lost: Annotated[bool, option("--lost", "With --bot: those that it lost.")] = False,
    against: Annotated[
        str | None, option("--against", "Only against this bot or version; where no bot is named, of it.")
    ] = None,
    fault: Annotated[
        str | None,
        option(
            "--fault",
            "Lost by timeout, crashed, illegal, memory, flooded or any; with --bot by that bot, else by either.",
        ),
    ] = None,
    league: Annotated[str | None, league_option("Only this league, by its name or title.")] = None,
    since: Annotated[
        str | None, option("--since", "Over since then: 90m, 1h, 2d, or a day or time as in 2026-11-01.")
    ] = None,
    reason: Annotated[str | None, option("--reason", "Ended for this reason, as the list shows it.")] = None,
    longer_than: Annotated[str | None, option("--longer-than", "With more turns than this.", metavar="TURNS")] = None,
    rated: Annotated[
        bool | None, option("--rated/--unrated", "Those that count for ratings; or those that do not.")
    ] = None,
    gauntlet: Annotated[
        GauntletId | None, id_option("--gauntlet", of="gauntlet", about="Only the matches of this gauntlet.")
    ] = None,
    where: Annotated[
        str | None,
        option("--where", "A filter in words, beside the options; `ladder rating recompute --help` explains it."),
    ] = None,
    game: Annotated[
        str | None, game_option("Only this game; of a bot the one that it plays, if several have its name.")
    ] = None,
    request: Annotated[
        RequestId | None,
        id_option("--request", "-r", of="request", about="Only the matches of this `ladder match request`."),
    ] = None,
    local: Annotated[bool, option("--local", "The last matches of `ladder play`, which need no services.")] = False,
    official: Annotated[
        bool, option("--official", "Those that `ladder match import` brought in; they need no services.")
    ] = False,
) -> Picked:
    """Return what the options pick. `names`: of those that a command has. Raises FilterFault, UsageFault."""
    typed = {name: f"--{name.replace('_', '-')}" for name in names if is_typed(typer_context, name)}
    results = [word for word, is_meant in zip(RESULTS, (won, drawn, lost), strict=True) if is_meant]
    if local or official:
        check_only(names, typed, local=local, official=official)
        least = least_turns(longer_than)
        require_one_result(results)
        of_kept = KeptFilter(game, league, against, least, *results)
        return Picked(None, game, None, None, OFFICIAL if official else LOCAL, of_kept, tuple(typed.values()))
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
    if request is None:
        require_one_result(results)
        if results and bot is None:
            raise UsageFault(f"--{results[0]} needs --bot: say for which bot")
    filter_ = views.matches.wanted_by(options, where)
    if request is not None:
        check_alone(typed, others=filter_ is not None)
    return Picked(bot, game, filter_, request, None, KeptFilter(), tuple(typed.values()))


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


def check_only(names: Sequence[str], typed: Collection[str], *, local: bool, official: bool) -> None:
    if local and official:
        raise UsageFault("--local and --official cannot be used together: choose one")
    if set(typed) - {"local", "official", *OF_KEPT}:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in OF_KEPT if name in names)
        raise UsageFault(f"with {'--local' if local else '--official'} go only {options}, --limit and --json")


@immutable
class KeptFilter:
    """What is looked for among matches that are kept here; None, and 0 turns, for whatever it is."""

    game: str | None = None
    league: str | None = None
    against: str | None = None
    least_turns: int = 0
    result: str | None = None

    def fits(self, match: views.turns.local.ListedLocal) -> bool:
        others = [name.lower() for seat, name in enumerate(match.players) if seat != match.own_seat]
        return (
            self.game in {None, match.row.game}
            and (self.league is None or match.row.league.lower().startswith(self.league.lower().replace("-", " ")))
            and (self.against is None or self.against.lower() in others)
            and match.row.turns >= self.least_turns
            and self.result in {None, match.own_result}
        )


def least_turns(longer_than: str | None) -> int:
    if longer_than is None:
        return 0
    if not re.fullmatch("[0-9]{1,9}", longer_than):
        raise UsageFault(f"--longer-than is {shortened(longer_than)}; it must be a number of turns")
    return int(longer_than) + 1


OPTIONS = tuple(name for name in inspect.signature(pick).parameters if name not in {"typer_context", "names"})


def picking(*names: str, **fixed: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command these options, or all, in the place of its parameter `picked`. `fixed`: of others."""
    option_names = names or OPTIONS

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command)
        hints = {**get_type_hints(pick, include_extras=True), **get_type_hints(command, include_extras=True)}

        @wraps(command)
        def run(typer_context: typer.Context, **words: Any) -> Any:
            picked = pick(typer_context, option_names, **{name: words.pop(name) for name in option_names}, **fixed)
            return command(this(typer_context), picked=picked, **words)

        own_parameters, options = signature.parameters, inspect.signature(pick).parameters
        instead = {"picked": option_names, "context": ("typer_context",)}
        ordered = [parameter for name in own_parameters for parameter in instead.get(name, (name,))]
        parameters = [
            (own_parameters if name in own_parameters else options)[name].replace(annotation=hints[name], kind=BY_NAME)
            for name in ordered
        ]
        vars(run).update(__signature__=signature.replace(parameters=parameters))
        run.__annotations__ = {name: hints[name] for name in (*ordered, "return")}
        return run

    return with_options


@picking()
def list_matches(context: Context, picked: Picked, limit: LimitOption = 20) -> Rows:
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
    if picked.kept is not None:
        return match.show.list_kept(context, limit, picked.here.fits, picked.kept)
    if picked.request is not None:
        requested = context.read(views.requests.matches_of, picked.request, limit)
        nothing, request = f"request {picked.request} has no finished match yet", requested.request
        lapsed = [f"request {request.id}: {texts.matches.lapsed_text(request)}"] if request.lapsed else []
        return list_of(requested.matches, nothing, after=lapsed)
    latest = context.read(views.matches.latest, limit, picked.bot, picked.game, picked.wanted)
    of_whom = picked.bot or picked.game
    nothing = f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet"
    if picked.wanted is not None:
        nothing = "no match fits; those of gauntlets are listed only with --unrated or --gauntlet"
    return list_of(latest.matches, nothing, of_one=latest.of is not None)


def list_of(
    rows: Sequence[views.matches.ListedMatch], nothing: str, *, of_one: bool = False, after: Sequence[str] = ()
) -> Answer:
    table = texts.matches.matches_table
    return listing(rows, lambda: [table(rows, of_one=of_one), texts.matches.HOW_TO_LOOK], nothing, after)
