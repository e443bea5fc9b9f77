"""What players do: submit versions, go back a league, show sources; battles and gauntlets, by themselves too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter
from pydantic import Base64Bytes, Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.toolchains.given_bot import GivenBot, sent_bot
from engine.toolchains.params import Params, check_params
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
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, GameName
from ladder.web.writing.contract_routes import Name, Nothing, Seed, doing, taking
from ladder.web.writing.write_request import Body, WriteHere, WriteOfBot, answer_with, once, read_body

router = APIRouter()
MOST_NOTE_CHARS = 200


@dataclass(frozen=True, slots=True)
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


@router.post("/games/{game}/bots/{bot}/versions", **doing(SubmittedVersion, status=201), **taking(NewVersion))
def submit(write: WriteOfBot, game: GameName, bot: BotName) -> Response:
    """Submit the next version of a bot, as `ladder submit` does. The scope `submit`."""
    said = read_body(NewVersion, write.body)
    given = given_bot(said, write.site.source_chars)
    new = Submission(
        write.site.games.find(game).name,
        bot,
        given.source,
        given.language.name,
        leaves_rival=said.keep,
        note=said.note,
        params=said.params,
        new_game=said.new_game,
        league=said.league,
    )
    return once(write, lambda actor, pool, queue: answer_with(actions.bots.submit(actor, pool, queue, new), 201))


def given_bot(said: NewVersion, source_chars: int) -> GivenBot:
    content = said.file if said.source is None else said.source.encode()
    if content is None or (said.source is not None and said.file is not None):
        raise UsageFault("say either source, the text of one file, or file, its bytes in base64")
    if said.language is None and said.file_name is None:
        raise UsageFault("say language, or file_name, whose ending says it")
    return sent_bot(said.file_name or "", content, source_chars, said.language)


@dataclass(frozen=True, slots=True)
class Back(Body):
    """To which league; null: the one below."""

    to: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@router.post("/games/{game}/bots/{bot}/rewind", **doing(Rewind), **taking(Back))
def rewind(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Send a bot back a league, as `ladder bot rewind` does. The scope `play`."""
    said = read_body(Back, write.body)
    return once(
        write, lambda actor, pool, _: answer_with(actions.bots.rewind(actor, pool, bot, game, to_league=said.to))
    )


@dataclass(frozen=True, slots=True)
class SourceSight(Body):
    """Whether everybody who may read sees the sources of a bot."""

    source_is_public: bool


@router.patch("/games/{game}/bots/{bot}", **doing(SourceVisibility), **taking(SourceSight))
def show_sources(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Let everybody see a bot's sources, or its player alone. The scope `play`."""
    said = read_body(SourceSight, write.body)
    return once(
        write,
        lambda actor, pool, _: answer_with(actions.bots.show_sources(actor, pool, bot, said.source_is_public, game)),
    )


@dataclass(frozen=True, slots=True)
class BattlesWanted(Body):
    """Who is to meet, as in kraken@v3, how often, and from which seed on; null: by chance."""

    versions: Annotated[tuple[Name, ...], Field(min_length=2, max_length=8)]
    battles: Annotated[int, Field(ge=1, le=MOST_BATTLES)] = 1
    seed: Seed | None = None


@router.post("/games/{game}/requests", **doing(BattleRequest, status=201), **taking(BattlesWanted))
def ask(write: WriteHere, game: GameName) -> Response:
    """Ask for battles, as `ladder match request` does. The scope `play`."""
    said = read_body(BattlesWanted, write.body)
    sides = [read_name(version) for version in said.versions]
    name = write.site.games.find(game).name
    return once(
        write,
        lambda actor, pool, _: answer_with(
            actions.matches.request(actor, pool, sides, said.battles, name, said.seed), 201
        ),
    )


Pairs = Annotated[int, Field(ge=1, le=MOST_PAIRS)]
Words = Annotated[tuple[Name, ...], Field(max_length=100)]


@dataclass(frozen=True, slots=True)
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


@router.post("/games/{game}/gauntlets", **doing(BegunGauntlet, status=201), **taking(WantedGauntlet))
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
    return once(write, lambda actor, pool, queue: answer_with(actions.gauntlets.begin(actor, pool, queue, wanted), 201))


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


@router.put("/games/{game}/bots/{bot}/gauntlet", **doing(Automatic), **taking(WantedAlways))
def automate(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Have a gauntlet played for each new version of a bot, as `ladder gauntlet auto` does. The scope `play`."""
    said = read_body(WantedAlways, write.body)
    test = asked_or_usual(test_of(said.elo0, said.elo1, said.alpha, said.beta, said.elo_model), said.pairs)
    words = words_or_usual(said.against, said.context, has_baseline=False)
    terms = GauntletTerms(words, number_of_pairs(said.pairs, None, test), test, said.gate, write.actor.player)
    return once(
        write, lambda actor, pool, _: answer_with(actions.gauntlets.automate(actor, pool, bot, None, game, terms))
    )


@router.delete("/games/{game}/bots/{bot}/gauntlet", **doing(NoLongerAutomatic), **taking())
def end_automatic(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Have nothing played by itself any more, as `ladder gauntlet auto --off` does. The scope `play`."""
    read_body(Nothing, write.body or b"{}")
    return once(
        write, lambda actor, pool, _: answer_with(actions.gauntlets.end_automatic(actor, pool, bot, None, game))
    )
