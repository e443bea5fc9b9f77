"""The page on which a version is submitted: a file, or what is pasted. It leads to the page of the version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from engine.errors import ArenaError, Refused, UsageFault
from engine.game import Game
from engine.toolchains.languages import find_language, language_of, languages
from engine.toolchains.source import check_source
from ladder import actions
from ladder.errors import QuotaUsed
from ladder.flows.submission import Submission
from ladder.web import addresses
from ladder.web.accounts.forms import Player, form_page, going_to
from ladder.web.accounts.identity import visitor
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.problems import problem_of
from ladder.web.site import SiteHere
from ladder.web.writing.own_bots import OwnUpload, Upload

router = APIRouter()
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
    found = find_language(language) if language else language_of(Path(upload.file_name))
    source = check_source(upload.file or text.encode(), source_chars)
    bot = fields.get("bot", "").strip()
    keep, note = fields.get("keep") == "1", fields.get("note", "")
    is_new = fields.get("new_game") == "1"
    return Submission(game.name, bot, source, found.name, leaves_rival=keep, note=note, new_game=is_new)
