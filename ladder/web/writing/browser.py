"""The forms by which browsers write: submitting a version, putting one on the board, and gauntlets.

A version is submitted as a file (a source, an archive or a program), or what is pasted; that leads to the page of the
version.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from engine.errors import ArenaError, Refused, UsageFault
from engine.game import Game
from engine.text import shortened
from engine.toolchains.given_bot import sent_bot
from engine.toolchains.languages import languages
from ladder import actions
from ladder.errors import QuotaUsed
from ladder.flows.submission import Submission
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.plan import BOUNDS, LEAST_MINUTES, MOST_MINUTES
from ladder.ids import LARGEST_ID, GauntletId
from ladder.statistics.sprt_settings import SprtSettings
from ladder.web import addresses
from ladder.web.accounts.forms import MOST_FIELDS, OwnForm, Player, form_page, going_to, require_own
from ladder.web.accounts.identity import visitor
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.problems import problem_of
from ladder.web.site import SiteHere, site_of
from ladder.web.writing.contract_routes import LARGEST_VERSION
from ladder.web.writing.gate import most_bytes_of_a_bot, read_at_most

router = APIRouter()
FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Upload:
    """What a form sends. `file`: the contents of its file, and `file_name` its name; empty where none was chosen."""

    fields: Mapping[str, str]
    file: bytes = b""
    file_name: str = ""


async def read_own_upload(request: Request) -> Upload:
    """Return what a form of our own pages sends. Raises NotAllowed for any other, TooLong, UsageFault."""
    body = await read_at_most(request, most_bytes_of_a_bot(site_of(request)))
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
BotAsked = Annotated[str, Query(max_length=MOST_NAME_CHARS)]


@router.get("/games/{game}/submit")
def submit_page(request: Request, site: SiteHere, game: str, bot: BotAsked = "") -> Response:
    if visitor(request).session is None:
        here = addresses.submit(game, bot)
        return RedirectResponse(f"/login?next={quote(here, safe='')}", 303, {"Cache-Control": "no-store"})
    return form_of(request, site.games.find(game), {"bot": bot})


def form_of(request: Request, game: Game, typed: dict[str, str], fault: ArenaError | None = None) -> Response:
    answer = form_page(
        request,
        "submit.html",
        status=200 if fault is None else 422 if isinstance(fault, UsageFault) else problem_of(fault).status,
        game=game,
        languages=sorted(languages()),
        typed={"bot": "", "language": "", "note": "", "text": "", "keep": "", "new_game": ""} | typed,
        fault="" if fault is None else str(fault),
    )
    if fault is not None and "Retry-After" in problem_of(fault).headers:
        answer.headers["Retry-After"] = problem_of(fault).headers["Retry-After"]
    return answer


@router.post("/games/{game}/submit")
def submit(request: Request, site: SiteHere, player: Player, game: str, upload: OwnUpload) -> Response:
    known = site.games.find(game)
    try:
        done = actions.bots.submit(player, site.pool, site.queue(), submission_of(known, upload, site.source_chars))
    except (UsageFault, Refused, QuotaUsed) as error:
        return form_of(request, known, dict(upload.fields), error)
    return going_to(addresses.version(known.name, done.row.bot, done.row.number))


def submission_of(game: Game, upload: Upload, source_chars: int) -> Submission:
    """Return what a form submits. `source_chars`: of the longest source. Raises UsageFault, Refused, UnknownName."""
    fields, text = upload.fields, upload.fields.get("text", "")
    if bool(upload.file) == bool(text.strip()):
        raise UsageFault("choose a file or paste a source: one of the two")
    language = fields.get("language", "")
    if not language and not upload.file_name:
        raise UsageFault("choose the language that the source is written in")
    given = sent_bot(upload.file_name, upload.file or text.encode(), source_chars, language or None)
    bot = fields.get("bot", "").strip()
    keep, note = fields.get("keep") == "1", fields.get("note", "")
    is_new = fields.get("new_game") == "1"
    return Submission(game.name, bot, given.source, given.language.name, leaves_rival=keep, note=note, new_game=is_new)


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
    minutes = minutes_in(form.get("minutes", ""))
    test = BETTER if form.get("sprt") == "1" and minutes is None else None
    wanted = GauntletRequest(
        f"{bot}@v{number}",
        player.player,
        against,
        pairs=pairs_in(form.get("pairs", "")),
        test=test,
        game=site.games.find(game).name,
        minutes=minutes,
    )
    begun = actions.gauntlets.begin(player, site.pool, site.queue(), wanted)
    return going_to(addresses.gauntlet(begun.gauntlet))


def pairs_in(words: str) -> int | None:
    if not words.strip():
        return None
    if not words.isascii() or not words.isdecimal() or len(words) > 7 or not 1 <= int(words) <= MOST_PAIRS:
        raise UsageFault(f"pairs are {shortened(words)}; they must be 1 to {MOST_PAIRS:,}")
    return int(words)


def minutes_in(words: str) -> float | None:
    if not words.strip():
        return None
    try:
        minutes = float(words)
    except ValueError:
        minutes = math.nan
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise UsageFault(f"minutes are {shortened(words)}; they must be {LEAST_MINUTES} to {MOST_MINUTES:,}")
    return minutes


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
