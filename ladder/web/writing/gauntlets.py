"""Asking for battles and gauntlets, and having gauntlets played by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.toolchains.params import Params, check_params
from ladder import actions
from ladder.actions.gauntlets import Begun, NoLongerAutomatic
from ladder.gauntlets.automatic_gauntlets import Terms
from ladder.gauntlets.lineup import GauntletRequest, asked_or_usual, words_or_usual
from ladder.gauntlets.order import MOST_PAIRS, number_of_pairs
from ladder.gauntlets.plan import LEAST_MINUTES, MOST_MINUTES
from ladder.matchmaking.requesting import MOST_BATTLES
from ladder.matchmaking.requests import Request
from ladder.names import read_name
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.gauntlets import Automatic
from ladder.web.api.answers import BotName, GameName
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Name, Nothing, Seed, doing, taking
from ladder.web.writing.gate import WriteHere, once, shown

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is to meet, as in kraken@v3, how often, and from which seed on; null: by chance."""

    __pydantic_config__ = STRICT

    versions: Annotated[tuple[Name, ...], Field(min_length=2, max_length=8)]
    battles: Annotated[int, Field(ge=1, le=MOST_BATTLES)] = 1
    seed: Seed | None = None


@router.post("/games/{game}/requests", **doing(Request, status=201), **taking(Wanted))
def ask(write: WriteHere, game: GameName) -> Response:
    """Ask for battles, as `ladder match request` does. The scope `play`."""
    said = read_body(Wanted, write.body)
    sides = [read_name(version) for version in said.versions]
    name = write.site.games.find(game).name
    return once(
        write,
        lambda actor, pool, _: shown(actions.matches.request(actor, pool, sides, said.battles, name, said.seed), 201),
    )


Pairs = Annotated[int, Field(ge=1, le=MOST_PAIRS)]
Words = Annotated[tuple[Name, ...], Field(max_length=100)]


@dataclass(frozen=True, slots=True)
class WantedGauntlet:
    """A gauntlet, as the options of `ladder gauntlet run` say it. `elo0` and `elo1`: of its sequential test.

    `minutes`, in their place: how long it may take where both are equally good. Without these, it is the usual test, or
    of a fixed length where `pairs` or `seeds` are given.
    """

    __pydantic_config__ = STRICT

    candidate: Name
    against: Words = ()
    baseline: Name | None = None
    pairs: Pairs | None = None
    elo0: float | None = None
    elo1: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    elo_model: Name = ELO_MODEL
    seed: Seed | None = None
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=20_000)] | None = None
    league: Name | None = None
    context: Words | None = None
    variants: Annotated[tuple[dict[str, str], ...], Field(max_length=20)] = ()
    players: Annotated[int, Field(ge=2, le=8)] | None = None
    minutes: Annotated[float, Field(ge=LEAST_MINUTES, le=MOST_MINUTES)] | None = None


@router.post("/games/{game}/gauntlets", **doing(Begun, status=201), **taking(WantedGauntlet))
def begin(write: WriteHere, game: GameName) -> Response:
    """Begin a gauntlet, as `ladder gauntlet run --detach` does. The scope `play`."""
    said = read_body(WantedGauntlet, write.body)
    if said.minutes is not None and (said.elo0 is not None or said.elo1 is not None or said.variants):
        raise UsageFault("minutes choose the bounds of the test: leave elo0, elo1 and variants out")
    wanted = GauntletRequest(
        said.candidate,
        write.actor.player,
        said.against,
        said.baseline,
        said.pairs,
        test_of(said.elo0, said.elo1, said.alpha, said.beta, said.elo_model),
        said.seed,
        said.seeds,
        said.league,
        write.site.games.find(game).name,
        context=said.context,
        variants=checked(said.variants),
        players=said.players,
        minutes=said.minutes,
    )
    return once(write, lambda actor, pool, queue: shown(actions.gauntlets.begin(actor, pool, queue, wanted), 201))


def checked(variants: tuple[Params, ...]) -> tuple[Params, ...]:
    for params in variants:
        check_params(params)
    return variants


def test_of(elo0: float | None, elo1: float | None, alpha: float, beta: float, model: str) -> SprtSettings | None:
    if elo0 is None and elo1 is None:
        return None
    if elo0 is None or elo1 is None:
        raise UsageFault("elo0 and elo1 go together: give both, or neither")
    return SprtSettings(elo0, elo1, alpha, beta, model)


@dataclass(frozen=True, slots=True)
class WantedAlways:
    """What is played for each new version, as the options of `ladder gauntlet auto` say it."""

    __pydantic_config__ = STRICT

    against: Words = ()
    context: Words | None = None
    pairs: Pairs | None = None
    elo0: float | None = None
    elo1: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    elo_model: Name = ELO_MODEL
    gate: bool = False


@router.put("/games/{game}/bots/{bot}/gauntlet", **doing(Automatic), **taking(WantedAlways))
def automate(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Have a gauntlet played for each new version of a bot, as `ladder gauntlet auto` does. The scope `play`."""
    said = read_body(WantedAlways, write.body)
    test = asked_or_usual(test_of(said.elo0, said.elo1, said.alpha, said.beta, said.elo_model), said.pairs)
    words = words_or_usual(said.against, said.context, has_baseline=False)
    terms = Terms(words, number_of_pairs(said.pairs, None, test), test, said.gate, write.actor.player)
    return once(write, lambda actor, pool, _: shown(actions.gauntlets.automate(actor, pool, bot, None, game, terms)))


@router.delete("/games/{game}/bots/{bot}/gauntlet", **doing(NoLongerAutomatic), **taking())
def end_automatic(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Have nothing played by itself any more, as `ladder gauntlet auto --off` does. The scope `play`."""
    read_body(Nothing, write.body or b"{}")
    return once(write, lambda actor, pool, _: shown(actions.gauntlets.end_automatic(actor, pool, bot, None, game)))
