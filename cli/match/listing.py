"""`ladder match list`: which matches were played, and which of them somebody looks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cli import match, texts
from cli.answer import Answer, Rows, listing
from cli.context import Context
from cli.match.picking import OFFICIAL, Picked, picking
from cli.options.numbers import LimitOption
from ladder import views
from ladder.ids import RequestId

if TYPE_CHECKING:
    from ladder.views.matches import ListedMatch


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
        return match.showing.list_kept(context, limit, picked.here.fits, official=picked.kept == OFFICIAL)
    if picked.request is not None:
        return list_requested(context, picked.request, limit)
    found = context.read(views.matches.latest, limit, picked.bot, picked.game, picked.wanted)
    nothing = nothing_text(picked.bot or picked.game, is_filtered=picked.wanted is not None)
    return list_of(found.matches, nothing, of_one=found.of is not None)


def nothing_text(of_whom: str | None, *, is_filtered: bool) -> str:
    if is_filtered:
        return "no match fits; those of gauntlets are listed only with --unrated or --gauntlet"
    return f"{of_whom} has no finished match yet" if of_whom else "no match has finished yet"


def list_requested(context: Context, request_id: RequestId, limit: int) -> Answer:
    found = context.read(views.requests.matches_of, request_id, limit)
    lapsed = [f"request {request_id}: {texts.matches.lapsed_text(found.request)}"] if found.request.lapsed else []
    return list_of(found.matches, f"request {request_id} has no finished match yet", after=lapsed)


def list_of(found: Sequence[ListedMatch], nothing: str, *, of_one: bool = False, after: Sequence[str] = ()) -> Answer:
    table = texts.matches.matches_table
    return listing(found, lambda: [table(found, of_one=of_one), texts.matches.HOW_TO_LOOK], nothing, after)
