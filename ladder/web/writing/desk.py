"""The desk: what operators do for a contest, as forms on one page, and links of players on slips to print.

How this works. A form is sent to its row of DEEDS: a function that reads its fields and calls the one action which the
command calls. Then the page has the line that the audit has of it, or what was typed with why it was refused. Moments
are read in the time zone that the browser names, without script in UTC. A link that was made before cannot be shown
again, as the database has its hash alone: a new one takes its place.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from engine.bot.clock import Clock, Policy, TimeRule
from engine.errors import ArenaError, Refused, UnknownName, UsageFault, WrongLines
from engine.game import Game
from engine.text import shortened, zoned_words
from ladder import actions, audit
from ladder.access import Actor, Deed, require
from ladder.accounts import links
from ladder.accounts.class_list import ClassMember, entrants_in
from ladder.actions.accounts import Invited
from ladder.actions.seasons import ContestTerms, LastSeries
from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, MatchId
from ladder.quotas import quotas
from ladder.ratings import frozen
from ladder.row_limits import TOP
from ladder.seasons import clarifications, ending
from ladder.views.contests import Timetable, participants, timetables
from ladder.views.turns.match import rejudged
from ladder.web import addresses
from ladder.web.forms import OwnForm, going_to, number_in, player_of
from ladder.web.site import Site, SiteHere, site_of
from ladder.web.writing.browser import form_of
from ladder.web.writing.contract_routes import MOST_REASON_CHARS

router = APIRouter(prefix=addresses.desk())
MOST_DEEDS = 20
MOST_LINES = 5
"""Of a list of players that cannot be read, so many are quoted."""
ONE_BOT = {"1": True, "0": False}
MOMENT = "%Y-%m-%dT%H:%M"
Form: TypeAlias = Mapping[str, str]
MatchAsked = Annotated[int, Query(ge=1, le=LARGEST_ID)]


def operator_of(request: Request) -> Actor:
    """Return the operator who has logged in. Raises NotAllowed; the audit then has a line of that."""
    actor = player_of()
    with audit.written_down(actor, site_of(request).pool):
        require(actor, Deed.READ_AUDIT, "the desk is for operators of this ladder")
    return actor


Operator = Annotated[Actor, Depends(operator_of)]


def state_of(connection: Connection, game: Game, contest: Timetable | None) -> dict[str, object]:
    """Return a game as its operators see it. `players`: how many are in its contest, `with_bot`: how many of these."""
    players = [] if contest is None else participants(connection, game.name, contest.season)
    return {
        "name": game.name,
        "title": game.title,
        "contest": contest,
        "players": len(players),
        "with_bot": sum(has_bot for _, has_bot in players),
        "freeze": frozen.find(connection, game.name),
        "lock": quotas.find(connection, game.name),
    }


def desk_page(
    request: Request, site: Site, typed: Form, fault: ArenaError | None = None, finding: str = ""
) -> Response:
    """Return the page. `typed`: a form that was refused, with its name as `form`; `finding`: what was found out."""
    with site.reading() as connection:
        contests, newcomers = timetables(connection), links.newcomers(connection)
        games = [state_of(connection, game, contests.get(game.name)) for game in site.games.all]
        codes = [code for code in links.still_open(connection) if code.player is None]
        deeds = audit.concerning_others(connection, MOST_DEEDS)
        questions = clarifications.questions(connection)
    return form_of(
        request,
        "desk.html",
        fault,
        games=games,
        newcomers=newcomers,
        codes=codes,
        deeds=deeds,
        open_questions=sum(question.state == "open" for question in questions),
        typed=typed,
        finding=finding,
        mails=site.mail is not None,
        policies=[*Policy],
        clocks=[*Clock],
    )


@router.get("", dependencies=[Depends(operator_of)])
def desk(request: Request, site: SiteHere) -> Response:
    return desk_page(request, site, {})


@router.get("/rejudged", dependencies=[Depends(operator_of)])
def judge_again(request: Request, site: SiteHere, match: MatchAsked, policy: Policy, clock: Clock) -> Response:
    """Say how a match would have ended under another rule for time; nothing is changed."""
    typed = {"form": "rejudged", "match": str(match), "policy": policy.value, "clock": clock.value}
    try:
        with site.reading() as connection:
            judged = rejudged(connection, site.games, MatchId(match), TimeRule(policy, clock))
    except (UsageFault, Refused) as error:
        return desk_page(request, site, typed, error)
    finding = f"match {match} under policy {policy}, {clock} clock: {judged.sentence}"
    return desk_page(request, site, typed, finding=finding)


@router.post("/{deed}")
def act(request: Request, site: SiteHere, operator: Operator, form: OwnForm, deed: str) -> Response:
    """Do what a form is for. Links that come of it are shown; otherwise the page again, with the deed as its last."""
    if deed not in DEEDS:
        raise UnknownName.of("form", deed, DEEDS)
    try:
        send = None if site.mail is None or form.get("mail") != "1" else site.mail()
        require_sure(deed, form)
        outcome = DEEDS[deed](operator, site, form)
    except (UsageFault, Refused) as error:
        return desk_page(request, site, {**form, "form": deed}, error)
    links: list[Invited] = outcome if isinstance(outcome, list) else []
    if not links:
        return going_to(f"{addresses.desk()}#deeds")
    slips = [(link.player, link.link(site.web.public_url), link.expires_at) for link in links]
    return form_of(request, "slips.html", None, slips=slips, mailed=() if send is None else send(links))


def open_contest(actor: Actor, site: Site, form: Form) -> list[Invited]:
    game, until = game_in(site, form), moment_in(form, "until")
    if until is None:
        raise UsageFault("say until when versions are submitted")
    with site.reading() as connection:
        require_later(ending.find(connection, game), until, form)
    title, rules = (form.get(name, "").strip() or None for name in ("title", "rules"))
    terms = ContestTerms(moment_in(form, "from"), ONE_BOT.get(form.get("one_bot", "")), title, rules)
    battles, most_leagues = number_in(form, "series", int), number_in(form, "leagues", int)
    series = None if battles is None else LastSeries(battles, number_in(form, "top", int) or TOP)
    freeze_at, people = moment_in(form, "frozen_from"), people_in(form.get("players", ""))
    opened = actions.seasons.open_contest(actor, site.pool, game, until, series, most_leagues, people, freeze_at, terms)
    return opened.links


def require_later(plan: ending.SeasonPlan | None, until: datetime, form: Form) -> None:
    """Raise UsageFault for a deadline before the one that players know, unless the form agrees to that."""
    if plan is not None and until < plan.submit_until and form.get("earlier") != "1":
        before, earlier = zoned_words(plan.submit_until), zoned_words(until)
        raise UsageFault(f"versions are submitted until {before}: tick the box to end that earlier, {earlier}")


def people_in(text: str) -> list[ClassMember]:
    try:
        return entrants_in(text.encode()) if text.strip() else []
    except WrongLines as fault:
        raise UsageFault(f"{fault}: {'; '.join(fault.lines[:MOST_LINES])}") from fault


def new_links(actor: Actor, site: Site, form: Form) -> list[Invited]:
    """Make new links for one player, or for all who have not followed theirs, in the place of those."""
    only = form.get("player")
    with site.reading() as connection:
        players = [player for player in links.newcomers(connection) if only in {None, player.player}]
    if not players:
        raise Refused("everybody has a password already" if only is None else f"{only} waits for no link")
    return [actions.accounts.invite(actor, site.pool, player.player, player.role) for player in players]


def freeze(actor: Actor, site: Site, form: Form) -> object:
    at = moment_in(form, "frozen_from")
    if at is None:
        with site.reading() as connection:
            at = one(connection, "SELECT now()", {})[0]
    return actions.games.freeze_boards(actor, site.pool, game_in(site, form), at)


def void(actor: Actor, site: Site, form: Form) -> object:
    match_id = number_in(form, "match", int)
    if match_id is None:
        raise UsageFault("say which match, by its number")
    return actions.matches.void(actor, site.pool, MatchId(match_id), reason_in(form))


DEEDS: Mapping[str, Callable[[Actor, Site, Form], object]] = {
    "contest": open_contest,
    "links": new_links,
    "freeze": freeze,
    "thaw": lambda actor, site, form: actions.games.thaw_boards(actor, site.pool, game_in(site, form)),
    "lock": lambda actor, site, form: actions.games.lock(actor, site.pool, game_in(site, form), reason_in(form)),
    "unlock": lambda actor, site, form: actions.games.unlock(actor, site.pool, game_in(site, form)),
    "disqualify": lambda actor, site, form: actions.bots.disqualify(
        actor, site.pool, bot_in(form), reason_in(form), game_in(site, form)
    ),
    "reinstate": lambda actor, site, form: actions.bots.reinstate(actor, site.pool, bot_in(form), game_in(site, form)),
    "void": void,
}
"""What the forms do, by the last part of the address to which they are sent; a list is one of links that were made."""
FOR_SURE = {"thaw", "disqualify", "void"}
"""Those whose box has to be ticked."""


def bot_in(form: Form) -> str:
    return form.get("bot", "").strip()


def game_in(site: Site, form: Form) -> str:
    return site.games.find(form.get("game", "")).name


def moment_in(form: Form, name: str) -> datetime | None:
    """Return the moment that a field names, None where it is empty. Raises UsageFault."""
    words, zone = form.get(name, "").strip(), form.get("zone") or "UTC"
    if not words:
        return None
    try:
        return datetime.strptime(words, MOMENT).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, KeyError, OSError) as error:  # as ZoneInfo raises for what is not a zone
        raise UsageFault(f"{shortened(words)} is not a moment of {shortened(zone)}: write 2026-12-18T18:00") from error


def reason_in(form: Form) -> str:
    reason = " ".join(form.get("why", "").split())
    if not 1 <= len(reason) <= MOST_REASON_CHARS:
        raise UsageFault(f"say why, in {MOST_REASON_CHARS} characters at most")
    return reason


def require_sure(deed: str, form: Form) -> None:
    if deed in FOR_SURE and form.get("sure") != "1":
        raise UsageFault("tick the box to say that you are sure")
