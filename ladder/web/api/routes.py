"""The routes by hand: what runs, who asks; games, bots, gauntlets and matches in lists; one match turn by turn."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from engine.errors import ArenaError, UsageFault
from engine.game import Games
from engine.immutable import immutable
from ladder.access import ALL_SCOPES, Role, Scope
from ladder.accounts.tokens import token_with
from ladder.database.connection import Connection, one
from ladder.errors import NotLoggedIn
from ladder.gauntlets.junit import junit_of
from ladder.gauntlets.rendering import ComparisonReport
from ladder.ids import LARGEST_ID, GauntletId, MatchId
from ladder.matches.filters import MOST_CHARS
from ladder.ratings.standings import BoardCursor
from ladder.views.boards import BoardRow, read_pages
from ladder.views.bots import ListedBot, listed_after
from ladder.views.encoding import to_json
from ladder.views.fleet import Status, ladder_state, whole_status
from ladder.views.games import ListedGame
from ladder.views.games import listed as listed_games
from ladder.views.gauntlets import ListedGauntlet, latest, read_report
from ladder.views.match_search import BEGIN, Course, Reach, course_of, search, stream
from ladder.views.matches import ListedMatch, wanted_by
from ladder.views.turns.match import stderr_of
from ladder.views.turns.watched_match import replay_data
from ladder.visibility import PUBLIC, sees_everything
from ladder.web.api import answers
from ladder.web.api.answers import Cursor, GameName, Limit, Number, items, json_answer, rows_of
from ladder.web.conditional import known_unchanged
from ladder.web.identity import ASKING
from ladder.web.rendering import IS_SERVED
from ladder.web.site import Site, SiteHere
from ladder.web.viewer_context import etag_of, watched_match

router = APIRouter()
health = APIRouter()
JUNIT = "application/xml"
WithRetired = Annotated[bool, Query(description="Also bots that are retired.")]
OfBot = Annotated[
    str | None, Query(max_length=answers.MOST_NAME_CHARS, description="Only those of this bot's versions.")
]
OfGame = Annotated[str | None, Query(max_length=answers.MOST_NAME_CHARS, description="The bot's game.")]
LINES = "application/x-ndjson"
Where = Annotated[str | None, Query(max_length=MOST_CHARS, description="A filter, as `ladder match list --where`.")]
OfBotOrVersion = Annotated[
    str | None, Query(max_length=answers.MOST_NAME_CHARS, description="Only those of this bot or version.")
]
Since = Annotated[int, Query(ge=1, le=LARGEST_ID, description="Only matches from this number on.")]
Accept = Annotated[str, Header(include_in_schema=False)]
LastTurn = Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="Up to this turn of the match.")]


@router.get("/status", responses=answers.one_of(Status))
def status(site: SiteHere) -> Response:
    """What runs and what waits.

    The body is that of `ladder status --json`.
    """
    services = site.services()
    with site.reading() as connection:
        if not sees_everything(connection):
            services = replace(services, home=None, supervisor=None, worker_ended=None)
        return json_answer(whole_status(services, ladder_state(connection)))


@immutable
class Health:
    """That the ladder can be looked at. `database`: `answers`; where it does not, the answer is 503."""

    database: str


@health.get("/healthz", responses=answers.one_of(Health, what="The database answers"))
def healthz(site: SiteHere) -> Response:
    """Whether the database answers: 200, or else 503. No key is needed."""
    with site.reading() as connection:
        one(connection, "SELECT 1", {})
    return json_answer(Health("answers"))


@router.get("/games", responses=rows_of(ListedGame))
def games(site: SiteHere, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """All games and their leagues: the rows of `ladder game list --json`."""
    names = site.games.names
    all_games = listed_games(site.games.all)
    return items(*answers.part(all_games, "games", lambda game: (names.index(game.game),), cursor, limit))


@immutable
class Me:
    """Who asks, and what that may do. `player`: None where a ladder is one person's, who is let in by its key.

    `token`: its name, where one was shown; `game`, `bot`: what alone it is for, None for all; `expires_at`: of it.
    `member`: of a player that is a team, who of it asks.
    """

    player: str | None
    role: Role
    scopes: list[Scope]
    token: str | None = None
    game: str | None = None
    bot: str | None = None
    expires_at: datetime | None = None
    member: str | None = None


@router.get("/me", responses=answers.one_of(Me, what="Who asks"))
def me(site: SiteHere) -> Response:
    """Who asks, by which token, and what it may do.

    `ladder whoami` prints it.
    """
    if not site.web.is_served:
        return json_answer(Me(None, Role.OPERATOR, sorted(ALL_SCOPES)))
    actor = ASKING.get().actor
    if actor is None:
        raise NotLoggedIn(f"log in at {site.web.link('/login')}, or show a token")
    scopes = sorted(actor.scopes)
    if actor.token_id is None:
        return json_answer(Me(actor.player, actor.role, scopes, member=actor.member))
    with site.reading() as connection:
        token = token_with(connection, actor.token_id)
    return json_answer(
        Me(
            actor.player,
            actor.role,
            scopes,
            token=token.name,
            game=token.game,
            bot=token.bot,
            expires_at=token.expires_at,
            member=actor.member,
        )
    )


@router.get("/games/{game}/leagues/{league}/board", responses=rows_of(BoardRow))
def board(
    site: SiteHere, game: GameName, league: answers.LeagueName, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """A league's board, best first: the rows of `ladder board --game GAME --league LEAGUE --json`.

    The `cursor` of every row leads to what comes after it.
    """
    after = None if cursor is None else BoardCursor.read(cursor)
    with site.reading() as connection:
        (page,) = read_pages(connection, game, league, after, limit)
    return items(page.rows, page.rows[-1].cursor if page.more else None)


@router.get("/games/{game}/bots", responses=rows_of(ListedBot))
def bots(
    site: SiteHere, game: GameName, retired: WithRetired = False, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The bots of a game by name: the rows of `ladder bot list --game GAME --json`, with `retired` also of `--all`."""
    list_name = f"bots of {game}"
    (after,) = answers.read(cursor, list_name, str) or ("",)
    with site.reading() as connection:
        listed = listed_after(connection, game, after, limit + 1, with_retired=retired)
    return answers.first_items(listed, list_name, lambda row: row.bot.name, limit)


@router.get("/gauntlets", responses=rows_of(ListedGauntlet))
def gauntlets(
    site: SiteHere, bot: OfBot = None, game: OfGame = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The gauntlets, the latest first: the rows of `ladder gauntlet list --json`."""
    if game is not None and bot is None:
        raise UsageFault("game says which game the bot of `bot` plays: say `bot` too")
    (below,) = answers.read(cursor, "gauntlets", int) or (None,)
    with site.reading() as connection:
        listed = latest(connection, limit + 1, bot, game, below)
    return answers.first_items(listed, "gauntlets", lambda row: row.gauntlet.id, limit)


@router.get("/gauntlets/{number}/junit", responses=answers.text_as(JUNIT), response_class=Response)
def junit(site: SiteHere, number: Number) -> Response:
    """One gauntlet as JUnit XML: the file of `ladder gauntlet show GAUNTLET --junit`."""
    with site.reading() as connection:
        report = read_report(connection, GauntletId(number))
    if isinstance(report, ComparisonReport):
        raise UsageFault(f"gauntlet {number} compares variants for no verdict, so there is no JUnit XML of it")
    return Response(junit_of(report), media_type=JUNIT)


def replay_etag(connection: Connection, games: Games, match_id: MatchId) -> str | None:
    """Return the ETag of a finished match's replay; None for one that is not finished, or of a game that is not here.

    It follows from what was recorded, from the names of the players, which can change, from the program and the
    game's own files, and from what the one who asks may see.
    """
    query = """
        SELECT leagues.game, matches.edition, matches.attempt, matches.finished_at, leagues.title,
               array_agg(bots.name || '@v' || versions.number ORDER BY seats.seat)
        FROM matches JOIN leagues ON leagues.id = matches.league_id JOIN seats ON seats.match_id = matches.id
        JOIN versions ON versions.id = seats.version_id
        JOIN bots ON bots.id = versions.bot_id WHERE matches.id = %s AND matches.state = 'finished'
        GROUP BY leagues.id, matches.edition, matches.attempt, matches.finished_at
        """
    row = connection.execute(query, [match_id]).fetchone()
    if row is None:
        return None
    try:
        game = games.find(row[0], row[1])
    except ArenaError:
        return None
    sight = ASKING.get().sight
    return etag_of(match_id, *row, *([] if sight == PUBLIC else [sight]), game=game)


@router.get("/games/{game}/matches", responses=answers.rows_of(ListedMatch, also=LINES))
def matches(
    site: SiteHere,
    request: Request,
    game: GameName,
    where: Where = None,
    bot: OfBotOrVersion = None,
    since: Since = 1,
    limit: Limit = 100,
    cursor: Cursor = None,
    accept: Accept = "application/json",
) -> Response:
    """The matches of a game that are over, the highest numbers first: rows as of `ladder match list --json`.

    A page looks at 20,000 matches at most, so it can have fewer rows than asked for, or none, and yet a `next`. Asked
    for `application/x-ndjson` it is all that fit instead, the lowest numbers first, one object a line. Its header
    `Link` names the address of what ends later, whatever its number (`rel="next"`).
    """
    picked = wanted_by([("bot", "bot", "=", bot)], where)
    if LINES in accept.lower():
        reach = reach_in(cursor, game)
        with site.reading() as connection:
            course = course_of(connection, game, picked, MatchId(since), reach)
        return streamed(site, request, game, course)
    list_name = f"matches of {game}"
    (below,) = answers.read(cursor, list_name, int) or (None,)
    if since > 1:
        picked = wanted_by([("since", "match", ">=", str(since)), ("bot", "bot", "=", bot)], where)
    with site.reading() as connection:
        result = search(connection, game, picked, limit, below)
    return items(result.matches, None if result.next is None else answers.written(list_name, result.next))


def streamed(site: Site, request: Request, game: str, course: Course) -> Response:
    """Return all matches that a search finds, a line for each."""
    onward = request.url.include_query_params(cursor=answers.written(of_all(game), course.reach.text))
    is_read = not request.scope.get("head", False)
    parts = stream(site.reading, course) if is_read else []
    lines = ("".join(to_json(match, compact=True, spare=IS_SERVED.get()) for match in part) for part in parts)
    return StreamingResponse(lines, media_type=LINES, headers={"Link": f'<{onward}>; rel="next"'})


def reach_in(cursor: str | None, game: str) -> Reach:
    """Return how far somebody has read all matches of a game. Raises UsageFault for a cursor that does not say that."""
    (text,) = answers.read(cursor, of_all(game), str) or (BEGIN.text,)
    reach = Reach.read(text)
    if reach is None:
        raise answers.misplaced(of_all(game))
    return reach


def of_all(game: str) -> str:
    return f"stream of matches of {game}"


@router.get(
    "/matches/{number}/replay",
    responses=answers.responses_with(
        "application/json", {"$ref": f"{answers.PLACE}{answers.REPLAY}"}, "As `ladder match view --json` prints it"
    ),
)
def one_replay(site: SiteHere, request: Request, number: Number) -> Response:
    """One match turn by turn, for viewers: the body of `ladder match view MATCH --json`.

    That of a finished match never changes, which its ETag says at once.
    """
    with site.reading() as connection:
        etag = replay_etag(connection, site.games, MatchId(number))
        if etag is not None and (unchanged := known_unchanged(request, etag)) is not None:
            return unchanged
        watched = watched_match(connection, site.games, MatchId(number))
    answer = json_answer(replay_data(watched))
    if etag is not None:
        answer.headers["ETag"] = etag
    return answer


@router.get(
    "/matches/{number}/seats/{seat}/input", responses=answers.text_as("text/plain"), response_class=PlainTextResponse
)
def sent(site: SiteHere, number: Number, seat: answers.Seat, to: LastTurn = None) -> Response:
    """All that a seat was sent: what `ladder match input MATCH --seat SEAT` prints."""
    with site.reading() as connection:
        watched = watched_match(connection, site.games, MatchId(number))
    return PlainTextResponse(watched.input_of(seat, to))


@router.get(
    "/matches/{number}/seats/{seat}/stderr", responses=answers.text_as("text/plain"), response_class=PlainTextResponse
)
def written(site: SiteHere, number: Number, seat: answers.Seat) -> Response:
    """All that is kept of what a seat wrote to stderr, as it is."""
    with site.reading() as connection:
        return PlainTextResponse(stderr_of(connection, MatchId(number), seat))
