"""Matches: looked for, streamed, one in detail, one turn by turn, and what a seat was sent and wrote."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from engine.errors import ArenaError
from engine.game import Games
from ladder.database.connection import Connection
from ladder.ids import LARGEST_ID, MatchId
from ladder.matches.filters import MOST_CHARS
from ladder.views.encoding import to_json
from ladder.views.match_search import BEGIN, Course, Reach, course_of, search, stream
from ladder.views.matches import ListedMatch, wanted_by
from ladder.views.turns.match import stderr_of
from ladder.views.turns.watched_match import replay_data
from ladder.visibility import PUBLIC
from ladder.web.api import answers
from ladder.web.conditional import known_unchanged
from ladder.web.identity import ASKING
from ladder.web.rendering import IS_SERVED
from ladder.web.site import Site, SiteHere
from ladder.web.viewer_context import etag_of, watched_match

router = APIRouter()
LINES = "application/x-ndjson"
Where = Annotated[str | None, Query(max_length=MOST_CHARS, description="A filter, as `ladder match list --where`.")]
OfBot = Annotated[
    str | None, Query(max_length=answers.MOST_NAME_CHARS, description="Only those of this bot or version.")
]
Since = Annotated[int, Query(ge=1, le=LARGEST_ID, description="Only matches from this number on.")]
Accept = Annotated[str, Header(include_in_schema=False)]
LastTurn = Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="Up to this turn of the match.")]


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
    game: answers.GameName,
    where: Where = None,
    bot: OfBot = None,
    since: Since = 1,
    limit: answers.Limit = 100,
    cursor: answers.Cursor = None,
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
    return answers.items(result.matches, None if result.next is None else answers.written(list_name, result.next))


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
def one_replay(site: SiteHere, request: Request, number: answers.Number) -> Response:
    """One match turn by turn, for viewers: the body of `ladder match view MATCH --json`.

    That of a finished match never changes, which its ETag says at once.
    """
    with site.reading() as connection:
        etag = replay_etag(connection, site.games, MatchId(number))
        if etag is not None and (unchanged := known_unchanged(request, etag)) is not None:
            return unchanged
        watched = watched_match(connection, site.games, MatchId(number))
    answer = answers.json_answer(replay_data(watched))
    if etag is not None:
        answer.headers["ETag"] = etag
    return answer


@router.get(
    "/matches/{number}/seats/{seat}/input", responses=answers.text_as("text/plain"), response_class=PlainTextResponse
)
def sent(site: SiteHere, number: answers.Number, seat: answers.Seat, to: LastTurn = None) -> Response:
    """All that a seat was sent: what `ladder match input MATCH --seat SEAT` prints."""
    with site.reading() as connection:
        watched = watched_match(connection, site.games, MatchId(number))
    return PlainTextResponse(watched.input_of(seat, to))


@router.get(
    "/matches/{number}/seats/{seat}/stderr", responses=answers.text_as("text/plain"), response_class=PlainTextResponse
)
def written(site: SiteHere, number: answers.Number, seat: answers.Seat) -> Response:
    """All that is kept of what a seat wrote to stderr, as it is."""
    with site.reading() as connection:
        return PlainTextResponse(stderr_of(connection, MatchId(number), seat))
