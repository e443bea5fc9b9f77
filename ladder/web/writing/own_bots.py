"""What players do with their bots: submit a version, go back a league, show sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter
from pydantic import Base64Bytes, Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.toolchains.given_bot import GivenBot, sent_bot
from ladder import actions
from ladder.actions.bots import Shown, Submitted
from ladder.flows.submission import Submission
from ladder.promotions.lifecycle import Rewind
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, GameName
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Name, doing, taking
from ladder.web.writing.gate import WriteHere, WriteOfBot, once, shown

router = APIRouter()
MOST_NOTE_CHARS = 200


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A bot: the text of its `source`, or the bytes of a `file` in base64: a source, an archive or a program.

    `language`: what it is written in; null: by the ending of `file_name`, or as its `ladder.toml` says. `keep`: the
    version before stays on the board, as its rival. `new_game`: it is a new bot although one of its name plays another
    game. `league`: where a new bot begins, for operators; null: in the lowest.
    """

    __pydantic_config__ = STRICT

    source: str | None = None
    file: Base64Bytes | None = None
    file_name: Name | None = None
    language: Name | None = None
    keep: bool = False
    note: Annotated[str, Field(max_length=MOST_NOTE_CHARS)] = ""
    params: dict[str, str] = field(default_factory=dict[str, str])
    new_game: bool = False
    league: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@router.post("/games/{game}/bots/{bot}/versions", **doing(Submitted, status=201), **taking(NewVersion))
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
    return once(write, lambda actor, pool, queue: shown(actions.bots.submit(actor, pool, queue, new), 201))


def given_bot(said: NewVersion, source_chars: int) -> GivenBot:
    """Raises UsageFault, UnknownName, Refused."""
    content = said.file if said.source is None else said.source.encode()
    if content is None or (said.source is not None and said.file is not None):
        raise UsageFault("say either source, the text of one file, or file, its bytes in base64")
    if said.language is None and said.file_name is None:
        raise UsageFault("say language, or file_name, whose ending says it")
    return sent_bot(said.file_name or "", content, source_chars, said.language)


@dataclass(frozen=True, slots=True)
class Back:
    """To which league; null: the one below."""

    __pydantic_config__ = STRICT

    to: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@router.post("/games/{game}/bots/{bot}/rewind", **doing(Rewind), **taking(Back))
def rewind(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Send a bot back a league, as `ladder bot rewind` does. The scope `play`."""
    said = read_body(Back, write.body)
    return once(write, lambda actor, pool, _: shown(actions.bots.rewind(actor, pool, bot, game, to_league=said.to)))


@dataclass(frozen=True, slots=True)
class Sight:
    """Whether everybody who may read sees the sources of a bot."""

    __pydantic_config__ = STRICT

    source_is_public: bool


@router.patch("/games/{game}/bots/{bot}", **doing(Shown), **taking(Sight))
def show_sources(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Let everybody see a bot's sources, or its player alone. The scope `play`."""
    said = read_body(Sight, write.body)
    return once(
        write, lambda actor, pool, _: shown(actions.bots.show_sources(actor, pool, bot, said.source_is_public, game))
    )
