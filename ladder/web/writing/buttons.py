"""The forms on pages of versions and gauntlets: put a version on the board, begin a gauntlet, stop one, resume it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from engine.errors import UsageFault
from engine.text import shortened
from ladder import actions
from ladder.gauntlets.order import GauntletRequest
from ladder.gauntlets.plan import BOUNDS
from ladder.ids import LARGEST_ID, GauntletId
from ladder.statistics.sprt_settings import SprtSettings
from ladder.web import addresses
from ladder.web.accounts.forms import OwnForm, Player, going_to
from ladder.web.site import SiteHere
from ladder.web.writing.contract_routes import LARGEST_VERSION

router = APIRouter()
VERSION = "/games/{game}/bots/{bot}/v/{number}"
MOST_PAIRS = 100_000
BETTER = SprtSettings(*BOUNDS)
"""The question whether a version is better, as it is usually asked."""
VersionNumber = Annotated[int, Path(ge=1, le=LARGEST_VERSION)]
GauntletNumber = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.post(f"{VERSION}/activate")
def activate(site: SiteHere, player: Player, form: OwnForm, game: str, bot: str, number: VersionNumber) -> Response:
    del form
    actions.bots.activate(player, site.pool, bot, number, site.games.find(game).name)
    return going_to(addresses.version(game, bot, number))


@router.post(f"{VERSION}/gauntlet")
def begin(site: SiteHere, player: Player, form: OwnForm, game: str, bot: str, number: VersionNumber) -> Response:
    against = tuple(form.get("against", "").replace(",", " ").split())
    test = BETTER if form.get("sprt") == "1" else None
    wanted = GauntletRequest(
        f"{bot}@v{number}",
        player.player,
        against,
        pairs=pairs_in(form.get("pairs", "")),
        test=test,
        game=site.games.find(game).name,
    )
    begun = actions.gauntlets.begin(player, site.pool, site.queue(), wanted)
    return going_to(addresses.gauntlet(begun.gauntlet))


def pairs_in(words: str) -> int | None:
    """Read a number of pairs; None where nothing was typed. Raises UsageFault."""
    if not words.strip():
        return None
    if not words.isascii() or not words.isdecimal() or len(words) > 7 or not 1 <= int(words) <= MOST_PAIRS:
        raise UsageFault(f"pairs are {shortened(words)}; they must be 1 to {MOST_PAIRS:,}")
    return int(words)


@router.post("/gauntlets/{number}/stop")
def stop(site: SiteHere, player: Player, form: OwnForm, number: GauntletNumber) -> Response:
    del form
    actions.gauntlets.stop(player, site.pool, GauntletId(number))
    return going_to(addresses.gauntlet(number))


@router.post("/gauntlets/{number}/resume")
def resume(site: SiteHere, player: Player, form: OwnForm, number: GauntletNumber) -> Response:
    del form
    actions.gauntlets.resume(player, site.pool, GauntletId(number))
    return going_to(addresses.gauntlet(number))
