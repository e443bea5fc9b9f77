"""The forms by which browsers write: versions, the board, gauntlets, single matches, questions and their answers.

A version is submitted as a file (a source, an archive or a program), or what is pasted; that leads to the page of the
version. A match that a player starts is a request of one battle; its page leads to the match as soon as it is made.
"""

import re
from collections.abc import Callable, Mapping
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from engine.errors import ArenaError, Refused, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.text import shortened
from engine.toolchains.given_bot import sent_bot
from engine.toolchains.languages import languages
from ladder import actions
from ladder.database.connection import Connection
from ladder.errors import QuotaUsed
from ladder.flows.submission import Submission
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.plan import BOUNDS, LEAST_MINUTES, MOST_MINUTES
from ladder.ids import LARGEST_ID, ClarificationId, GauntletId, RequestId
from ladder.leagues import leagues
from ladder.matchmaking import requests
from ladder.ratings import standings
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.contests import timetables
from ladder.web import addresses
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.forms import MOST_FIELDS, OWN, OwnForm, Player, form_page, going_to, number_in, require_own
from ladder.web.identity import ASKING, by_login
from ladder.web.pages.seasons import listed_clarifications
from ladder.web.pages.versus import LONGEST_NAME, read_side
from ladder.web.problems import problem_of, status_beside
from ladder.web.rendering import page
from ladder.web.site import Site, SiteHere, site_of
from ladder.web.writing.contract_routes import LARGEST_VERSION
from ladder.web.writing.write_request import MOST_BYTES_OF_A_BOT, most_bytes_at, read_at_most

router = APIRouter()
FORM = "multipart/form-data"
VERSION = "/games/{game}/bots/{bot}/v/{number}"
MOST_PAIRS = 100_000
BETTER = SprtSettings(*BOUNDS)
"""The question whether a version is better, as it is usually asked."""
VersionNumber = Annotated[int, Path(ge=1, le=LARGEST_VERSION)]
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]
SideAsked = Annotated[str, Query(max_length=LONGEST_NAME)]
SEED = re.compile(r"[+-]?[0-9]{1,19}")
MOST_OPPONENTS = 200
"""Whom the form names, of a large board the best."""


@immutable
class Upload:
    """What a form sends. `file`: the contents of its file, and `file_name` its name; empty where none was chosen."""

    fields: Mapping[str, str]
    file: bytes = b""
    file_name: str = ""


async def read_own_upload(request: Request) -> Upload:
    """Return what a form of our own pages sends. Raises NotAllowed for any other, TooLong, UsageFault."""
    body = await read_at_most(request, most_bytes_at(site_of(request), MOST_BYTES_OF_A_BOT))
    upload = upload_of(request.headers.get("content-type", ""), body)
    require_own(request, upload.fields)
    return upload


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
        given_name = part.get_filename()
        if given_name is not None:
            file, file_name = content, given_name
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
    if ASKING.get().session is None:
        return by_login(addresses.submit(game, bot))
    return form_of_bot(request, site, site.games.find(game), {"bot": bot})


def form_of_bot(
    request: Request, site: Site, game: Game, typed: Mapping[str, str], fault: ArenaError | None = None
) -> Response:
    empty = dict.fromkeys(("bot", "language", "note", "text", "keep", "new_game"), "")
    with site.reading() as connection:
        contest = timetables(connection, game.name).get(game.name)
    names = sorted(languages())
    return form_of(request, "submit.html", fault, game=game, contest=contest, languages=names, typed={**empty, **typed})


def form_of(request: Request, name: str, /, fault: ArenaError | None, **values: Any) -> Response:
    answer = form_page(request, name, status=status_beside(fault), fault="" if fault is None else str(fault), **values)
    answer.headers.update({} if fault is None else problem_of(fault).headers)
    return answer


@router.post("/games/{game}/submit")
def submit(request: Request, site: SiteHere, player: Player, game: str, upload: OwnUpload) -> Response:
    this_game = site.games.find(game)
    try:
        submission = submission_of(this_game, upload, site.source_chars)
        submitted = actions.bots.submit(player, site.pool, site.queue(), submission)
    except (UsageFault, Refused, QuotaUsed) as error:
        return form_of_bot(request, site, this_game, upload.fields, error)
    return going_to(addresses.version(this_game.name, submitted.row.bot, submitted.row.number))


def submission_of(game: Game, upload: Upload, source_chars: int) -> Submission:
    """Return what a form submits. `source_chars`: of the longest source. Raises UsageFault, Refused, UnknownName."""
    fields, text = upload.fields, upload.fields.get("text", "")
    if bool(upload.file) == bool(text.strip()):
        raise UsageFault("choose a file or paste a source: one of the two")
    language = fields.get("language", "")
    if not language and not upload.file_name:
        raise UsageFault("choose the language that the source is written in")
    sent = sent_bot(upload.file_name, upload.file or text.encode(), source_chars, language or None)
    bot = fields.get("bot", "").strip()
    keep, note = fields.get("keep") == "1", fields.get("note", "")
    is_new = fields.get("new_game") == "1"
    return Submission(game.name, bot, sent.source, sent.language.name, leaves_rival=keep, note=note, new_game=is_new)


@router.post(f"{VERSION}/activate", dependencies=OWN)
def activate(site: SiteHere, player: Player, game: str, bot: str, number: VersionNumber) -> Response:
    actions.bots.activate(player, site.pool, bot, number, site.games.find(game).name)
    return going_to(addresses.version(game, bot, number))


@router.post(f"{VERSION}/gauntlet")
def begin(site: SiteHere, player: Player, form: OwnForm, game: str, bot: str, number: VersionNumber) -> Response:
    against = tuple(form.get("against", "").replace(",", " ").split())
    minutes = number_in(form, "minutes", float, LEAST_MINUTES, MOST_MINUTES)
    pairs = number_in(form, "pairs", int, 1, MOST_PAIRS)
    test, name = BETTER if form.get("sprt") == "1" and minutes is None else None, site.games.find(game).name
    request = GauntletRequest(
        f"{bot}@v{number}", player.player, against, pairs=pairs, test=test, game=name, minutes=minutes
    )
    begun = actions.gauntlets.begin(player, site.pool, site.queue(), request)
    return going_to(addresses.gauntlet(begun.gauntlet))


@router.post("/gauntlets/{number}/stop", dependencies=OWN)
def stop(site: SiteHere, player: Player, number: Number) -> Response:
    actions.gauntlets.stop(player, site.pool, GauntletId(number))
    return going_to(addresses.gauntlet(number))


@router.post("/gauntlets/{number}/resume", dependencies=OWN)
def resume(site: SiteHere, player: Player, number: Number) -> Response:
    actions.gauntlets.resume(player, site.pool, GauntletId(number))
    return going_to(addresses.gauntlet(number))


@router.post("/games/{game}/resolver", dependencies=OWN)
def thaw(site: SiteHere, player: Player, game: str) -> Response:
    actions.games.thaw_boards(player, site.pool, game)
    return going_to(addresses.projector(game))


@router.get("/games/{game}/play")
def play_page(request: Request, site: SiteHere, game: str, a: SideAsked = "", b: SideAsked = "") -> Response:
    if ASKING.get().session is None:
        return by_login(addresses.play(game, a, b))
    return form_of_match(request, site, site.games.find(game), {"a": a, "b": b})


def form_of_match(
    request: Request, site: Site, game: Game, typed: Mapping[str, str], fault: ArenaError | None = None
) -> Response:
    with site.reading() as connection:
        in_order = leagues.leagues(connection, game.name)
        opponents = who_meets(connection, game.name, typed.get("a", ""))
    most = max(number for league in in_order for number in league.players)
    fields = {**dict.fromkeys(("a", "b", "others", "seed", "league"), ""), **typed}
    beside = {"game": game, "leagues": in_order, "most_players": most, "opponents": opponents}
    return form_of(request, "play.html", fault, **beside, typed=fields)


def who_meets(connection: Connection, game: str, name: str) -> list[str]:
    """Return who stands on the board of a version, or of the one that plays for a bot; nobody where it is on none."""
    try:
        first = requests.on_board(connection, read_side(name), game)
    except (UsageFault, Refused):
        return []
    board = standings.board(connection, first.league_id, limit=MOST_OPPONENTS)
    return [row.name for row in board if row.version_id != first.version_id]


@router.post("/games/{game}/play")
def play(request: Request, site: SiteHere, player: Player, form: OwnForm, game: str) -> Response:
    this_game = site.games.find(game)
    named = [form.get("a", ""), form.get("b", ""), *form.get("others", "").replace(",", " ").split()]
    try:
        sides = [read_side(name) for name in named if name.strip()]
        seed, league = seed_in(form.get("seed", "")), form.get("league", "").strip() or None
        request_row = actions.matches.request(player, site.pool, sides, 1, this_game.name, seed, league)
    except (UsageFault, Refused) as error:
        return form_of_match(request, site, this_game, form, error)
    return going_to(addresses.request(request_row.id))


def seed_in(words: str) -> int | None:
    """Return the seed that a form names; None where one is to be drawn. Raises UsageFault."""
    if not words.strip():
        return None
    if not SEED.fullmatch(words.strip()) or not -requests.LARGEST_SEED <= int(words) <= requests.LARGEST_SEED:
        raise UsageFault(f"the seed is {shortened(words)}; it must be a whole number of 64 bits, or nothing")
    return int(words)


@router.get("/requests/{number}")
def requested(site: SiteHere, number: Number) -> Response:
    with site.reading() as connection:
        battles = requests.find(connection, RequestId(number))
        match_id = requests.first_match(connection, battles.id)
    if match_id is not None:
        return going_to(addresses.match(match_id))
    return page("request.html", request=battles)


def after_act(site: Site, form: Mapping[str, str], act: Callable[[], object], number: int | str = "") -> Response:
    """Do what a form asks for, and lead to the page; where it is refused, say so beside what was typed."""
    try:
        act()
    except (UsageFault, Refused) as error:
        return listed_clarifications(site, {**form, "number": str(number)}, error)
    return going_to(addresses.clarifications())


@router.post("/clarifications/ask")
def ask(site: SiteHere, player: Player, form: OwnForm) -> Response:
    text, game = form.get("text", ""), form.get("game", "").strip() or None
    return after_act(site, form, lambda: actions.clarifications.ask_question(player, site.pool, text, game))


@router.post("/clarifications/announce")
def announce(site: SiteHere, player: Player, form: OwnForm) -> Response:
    text, game = form.get("text", ""), form.get("game", "").strip() or None
    return after_act(site, form, lambda: actions.clarifications.announce(player, site.pool, text, game))


@router.post("/clarifications/{number}/answer")
def answer(site: SiteHere, player: Player, form: OwnForm, number: Number) -> Response:
    act, to_all = actions.clarifications.answer, form.get("to") == "all"
    text, question = form.get("text", ""), ClarificationId(number)
    return after_act(site, form, lambda: act(player, site.pool, question, text, to_all=to_all), number)


@router.post("/clarifications/{number}/withdraw")
def withdraw(site: SiteHere, player: Player, form: OwnForm, number: Number) -> Response:
    return after_act(site, form, lambda: actions.clarifications.withdraw(player, site.pool, ClarificationId(number)))
