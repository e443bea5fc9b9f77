"""What players do: submit versions, go back a league, show sources; battles and gauntlets, by themselves too."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from fastapi import APIRouter
from pydantic import Base64Bytes, Field

from engine.errors import UsageFault
from engine.immutable import immutable
from engine.toolchains.given_bot import GivenBot, sent_bot
from engine.toolchains.params import check_params
from ladder import actions
from ladder.actions.bots import SourceVisibility, SubmittedVersion
from ladder.actions.gauntlets import BegunGauntlet, NoLongerAutomatic
from ladder.flows.submission import Submission
from ladder.gauntlets.automatic_gauntlets import GauntletTerms
from ladder.gauntlets.lineup import GauntletRequest, asked_or_usual, words_or_usual
from ladder.gauntlets.order import MOST_PAIRS, number_of_pairs
from ladder.gauntlets.plan import LEAST_MINUTES, MOST_MINUTES
from ladder.matchmaking.requesting import MOST_BATTLES
from ladder.matchmaking.requests import BattleRequest
from ladder.names import read_name
from ladder.promotions.lifecycle import Rewind
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings
from ladder.views.gauntlets import Automatic
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.writing.contract_routes import Do, Name, Nothing, Seed, route
from ladder.web.writing.write_request import Body, WriteOfBot, WriteRequest

router = APIRouter()
MOST_NOTE_CHARS = 200
Pairs = Annotated[int, Field(ge=1, le=MOST_PAIRS)]
Words = Annotated[tuple[Name, ...], Field(max_length=100)]


@immutable
class NewVersion(Body):
    """A bot: the text of its `source`, or the bytes of a `file` in base64: a source, an archive or a program.

    `language`: what it is written in; null: by the ending of `file_name`, or as its `ladder.toml` says. `keep`: the
    version before stays on the board, as its rival. `new_game`: it is a new bot although one of its name plays another
    game. `league`: where a new bot begins, for operators; null: in the lowest.
    """

    source: str | None = None
    file: Base64Bytes | None = None
    file_name: Name | None = None
    language: Name | None = None
    keep: bool = False
    note: Annotated[str, Field(max_length=MOST_NOTE_CHARS)] = ""
    params: dict[str, str] = field(default_factory=dict[str, str])
    new_game: bool = False
    league: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@route(router, "POST /games/{game}/bots/{bot}/versions", SubmittedVersion, status=201, gate=WriteOfBot)
def submit(body: NewVersion, write: WriteRequest, game: str, bot: str) -> Do:
    """Submit the next version of a bot, as `ladder submit` does. The scope `submit`."""
    sent = bot_in(body, write.site.source_chars)
    new = Submission(
        write.site.games.find(game).name,
        bot,
        sent.source,
        sent.language.name,
        leaves_rival=body.keep,
        note=body.note,
        params=body.params,
        new_game=body.new_game,
        league=body.league,
    )
    return lambda actor, pool, queue: actions.bots.submit(actor, pool, queue, new)


def bot_in(body: NewVersion, source_chars: int) -> GivenBot:
    content = body.file if body.source is None else body.source.encode()
    if content is None or (body.source is not None and body.file is not None):
        raise UsageFault("say either source, the text of one file, or file, its bytes in base64")
    if body.language is None and body.file_name is None:
        raise UsageFault("say language, or file_name, whose ending says it")
    return sent_bot(body.file_name or "", content, source_chars, body.language)


@immutable
class Back(Body):
    """To which league; null: the one below."""

    to: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@route(router, "POST /games/{game}/bots/{bot}/rewind", Rewind)
def rewind(body: Back, _write: WriteRequest, game: str, bot: str) -> Do:
    """Send a bot back a league, as `ladder bot rewind` does. The scope `play`."""
    return lambda actor, pool, _: actions.bots.rewind(actor, pool, bot, game, to_league=body.to)


@immutable
class SourceSight(Body):
    """Whether everybody who may read sees the sources of a bot."""

    source_is_public: bool


@route(router, "PATCH /games/{game}/bots/{bot}", SourceVisibility)
def show_sources(body: SourceSight, _write: WriteRequest, game: str, bot: str) -> Do:
    """Let everybody see a bot's sources, or its player alone. The scope `play`."""
    return lambda actor, pool, _: actions.bots.show_sources(actor, pool, bot, body.source_is_public, game)


@immutable
class BattlesWanted(Body):
    """Who is to meet, as in kraken@v3, how often, and from which seed on; null: by chance."""

    versions: Annotated[tuple[Name, ...], Field(min_length=2, max_length=8)]
    battles: Annotated[int, Field(ge=1, le=MOST_BATTLES)] = 1
    seed: Seed | None = None


@route(router, "POST /games/{game}/requests", BattleRequest, status=201)
def ask(body: BattlesWanted, write: WriteRequest, game: str) -> Do:
    """Ask for battles, as `ladder match request` does. The scope `play`."""
    sides = [read_name(version) for version in body.versions]
    name = write.site.games.find(game).name
    return lambda actor, pool, _: actions.matches.request(actor, pool, sides, body.battles, name, body.seed)


@immutable
class WantedGauntlet(Body):
    """A gauntlet, as the options of `ladder gauntlet run` say it. `elo0` and `elo1`: of its sequential test.

    `minutes`, in their place: how long it may take where both are equally good. Without these, it is the usual test, or
    of a fixed length where `pairs` or `seeds` are given.
    """

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


@route(router, "POST /games/{game}/gauntlets", BegunGauntlet, status=201)
def begin(body: WantedGauntlet, write: WriteRequest, game: str) -> Do:
    """Begin a gauntlet, as `ladder gauntlet run --detach` does. The scope `play`."""
    if body.minutes is not None and (body.elo0 is not None or body.elo1 is not None or body.variants):
        raise UsageFault("minutes choose the bounds of the test: leave elo0, elo1 and variants out")
    for params in body.variants:
        check_params(params)
    request = GauntletRequest(
        body.candidate,
        write.actor.player,
        body.against,
        body.baseline,
        body.pairs,
        test_of(body.elo0, body.elo1, body.alpha, body.beta, body.elo_model),
        body.seed,
        body.seeds,
        body.league,
        write.site.games.find(game).name,
        context=body.context,
        variants=body.variants,
        players=body.players,
        minutes=body.minutes,
    )
    return lambda actor, pool, queue: actions.gauntlets.begin(actor, pool, queue, request)


def test_of(elo0: float | None, elo1: float | None, alpha: float, beta: float, model: str) -> SprtSettings | None:
    if elo0 is None and elo1 is None:
        return None
    if elo0 is None or elo1 is None:
        raise UsageFault("elo0 and elo1 go together: give both, or neither")
    return SprtSettings(elo0, elo1, alpha, beta, model)


@immutable
class WantedAlways(Body):
    """What is played for each new version, as the options of `ladder gauntlet auto` say it."""

    against: Words = ()
    context: Words | None = None
    pairs: Pairs | None = None
    elo0: float | None = None
    elo1: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    elo_model: Name = ELO_MODEL
    gate: bool = False


@route(router, "PUT /games/{game}/bots/{bot}/gauntlet", Automatic)
def automate(body: WantedAlways, write: WriteRequest, game: str, bot: str) -> Do:
    """Have a gauntlet played for each new version of a bot, as `ladder gauntlet auto` does. The scope `play`."""
    test = asked_or_usual(test_of(body.elo0, body.elo1, body.alpha, body.beta, body.elo_model), body.pairs)
    words = words_or_usual(body.against, body.context, has_baseline=False)
    terms = GauntletTerms(words, number_of_pairs(body.pairs, None, test), test, body.gate, write.actor.player)
    return lambda actor, pool, _: actions.gauntlets.automate(actor, pool, bot, None, game, terms)


@route(router, "DELETE /games/{game}/bots/{bot}/gauntlet", NoLongerAutomatic)
def end_automatic(_body: Nothing, _write: WriteRequest, game: str, bot: str) -> Do:
    """Have nothing played by itself any more, as `ladder gauntlet auto --off` does. The scope `play`."""
    return lambda actor, pool, _: actions.gauntlets.end_automatic(actor, pool, bot, None, game)
