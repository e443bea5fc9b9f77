"""What players do with their bots: submit a version, go back a league, show sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.toolchains.languages import find_language
from engine.toolchains.source import check_source
from ladder import actions
from ladder.actions.bots import Shown, Submitted
from ladder.flows.submission import Submission
from ladder.promotions.lifecycle import Rewind
from ladder.web.accounts.forms import MOST_FIELDS, require_own
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, GameName
from ladder.web.site import site_of
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Name, doing, taking
from ladder.web.writing.gate import WriteHere, most_bytes_at, once, read_at_most, shown

FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Upload:
    """What a form sends. `file`: the contents of its file, and `file_name` its name; empty where none was chosen."""

    fields: Mapping[str, str]
    file: bytes = b""
    file_name: str = ""


async def read_own_upload(request: Request) -> Upload:
    """Return what a form of our own pages sends. Raises NotAllowed for any other, TooLong, UsageFault."""
    body = await read_at_most(request, most_bytes_at(site_of(request)))
    found = upload_of(request.headers.get("content-type", ""), body)
    require_own(request, found.fields)
    return found


def upload_of(kind: str, body: bytes) -> Upload:
    """Read a form. Raises UsageFault for what is none, or not UTF-8."""
    if not kind.lower().startswith(FORM):
        raise UsageFault(f"this is not a form: it has to be {FORM}")
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1")
    message = message_from_bytes(head + body, EmailMessage, policy=HTTP)
    if not message.is_multipart():
        raise UsageFault("this form has no parts")
    fields: dict[str, str] = {}
    file, file_name = b"", ""
    for part in list(message.iter_parts())[:MOST_FIELDS]:
        content = part.get_payload(decode=True)
        name = part.get_param("name", header="content-disposition")
        if not isinstance(content, bytes) or not isinstance(name, str):
            raise UsageFault("a part of this form cannot be read")
        given = part.get_filename()
        if given is not None:
            file, file_name = content, given
            continue
        try:
            fields[name] = content.decode().replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise UsageFault("this form is not in UTF-8") from error
    return Upload(fields, file, file_name)


OwnUpload = Annotated[Upload, Depends(read_own_upload)]


router = APIRouter()
MOST_NOTE_CHARS = 200


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A source of one file. `keep`: the version before stays on the board, as its rival.

    `new_game`: it is a new bot although one of its name plays another game. `league`: where a new bot begins, for
    operators; null: in the lowest.
    """

    __pydantic_config__ = STRICT

    source: str
    language: Name
    keep: bool = False
    note: Annotated[str, Field(max_length=MOST_NOTE_CHARS)] = ""
    params: dict[str, str] = field(default_factory=dict[str, str])
    new_game: bool = False
    league: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@router.post("/games/{game}/bots/{bot}/versions", **doing(Submitted, status=201), **taking(NewVersion))
def submit(write: WriteHere, game: GameName, bot: BotName) -> Response:
    """Submit the next version of a bot, as `ladder submit` does. The scope `submit`."""
    said = read_body(NewVersion, write.body)
    new = Submission(
        write.site.games.find(game).name,
        bot,
        check_source(said.source.encode(), write.site.source_chars),
        find_language(said.language).name,
        leaves_rival=said.keep,
        note=said.note,
        params=said.params,
        new_game=said.new_game,
        league=said.league,
    )
    return once(write, lambda actor, pool, queue: shown(actions.bots.submit(actor, pool, queue, new), 201))


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
