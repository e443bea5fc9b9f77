"""The notices that wait, and sending them: what the clock makes of them, which is next, what it says, what came of it.

How this works. To take a notice writes down that its hook is tried, and when again if nobody says more. So it is sent
while no transaction is open, and a scheduler that dies meanwhile costs a pause. What is sent but not written down is
sent again: whoever receives notices knows them by their numbers. A hook's notices go out in their order.

Frozen boards. What tells of moves waits until the boards are thawed, also for whoever's bot has moved, as pages show it
to nobody; and in the ladder's hooks what tells of verdicts.
"""

import hmac
import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, LiteralString

import orjson
from psycopg.types.json import Jsonb

from engine.immutable import immutable
from engine.text import one_line
from ladder.choices import NoticeEvent, NoticeForm
from ladder.database.connection import Connection, Pool, Rows, transaction
from ladder.event_log import event
from ladder.gauntlets import gauntlets
from ladder.gauntlets.rendering import conclusion
from ladder.gauntlets.report import report_of
from ladder.ids import GauntletId, HookId
from ladder.leagues import leagues
from ladder.notices.delivery import NotArrived, Resolve, addresses_of, post
from ladder.notices.hooks import TEST
from ladder.settings import Settings

FIRST_PAUSE_S = 10
LONGEST_PAUSE_S = 3600
"""Each pause is four times the one before."""
FAILS_FOR_S = 86_400
"""A hook that has failed for so long is disabled."""
KEPT_DAYS = 30
OF_VERSION: LiteralString = """
    SELECT version_name(versions.id) AS version, players.name AS player, bots.name AS bot, left(message, 1000) AS reason
    FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
    WHERE versions.id = (%(about)s::jsonb ->> 'version_id')::bigint
"""
OF_MOVE: LiteralString = """
    SELECT version_name(version_id) AS version, players.name AS player, bots.name AS bot, origin.title AS from_league,
           target.title AS to_league
    FROM moves JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
    JOIN players ON players.id = player_id
    JOIN leagues AS origin ON origin.id = from_league JOIN leagues AS target ON target.id = to_league
    WHERE moves.id = (%(about)s::jsonb ->> 'move_id')::bigint
"""
FACTS: Mapping[str, LiteralString] = {
    **dict.fromkeys((NoticeEvent.ACCEPTED, NoticeEvent.REJECTED), OF_VERSION),
    **dict.fromkeys((NoticeEvent.PROMOTED, NoticeEvent.DEMOTED), OF_MOVE),
}
SENTENCES: Mapping[str, str] = {
    NoticeEvent.ACCEPTED: "{version} of {player} is accepted for {game}",
    NoticeEvent.REJECTED: "{version} of {player} is rejected for {game}: {reason}",
    NoticeEvent.PROMOTED: "{version} of {player} is promoted from {from_league} to {to_league} in {game}",
    NoticeEvent.DEMOTED: "{version} of {player} is sent back from {from_league} to {to_league} in {game}",
    NoticeEvent.VERDICT: "gauntlet {gauntlet_id} of {game} is over: {conclusion}",
    NoticeEvent.DEADLINE: "submissions for season {season} of {game} close at {until}, in less than {time}",
    NoticeEvent.BOSSLESS: "no boss of {league} in {game} plays, so nobody goes up from there: see `ladder status`",
    TEST: "this is a test of hook {hook_id}",
}
MARKS, UNCALLED = re.compile(r"([\\*_~`|>#\[\]()<@:-])"), "@\N{ZERO WIDTH SPACE}"


@immutable
class DueNotice:
    """A notice that is to be sent now. `about`: what it tells of, by ids; `game`: None for a test;
    `at_s`: when it was taken, in seconds since 1970."""

    id: int
    hook_id: HookId
    url: str
    form: str
    secret: str
    event: str
    game: str | None
    about: dict[str, Any]
    made_at: datetime
    at_s: int


def send_all(pool: Pool, settings: Settings, resolve: Resolve = addresses_of) -> int:
    """Write what is due and send what waits. Returns how many notices arrived."""
    arrived = 0
    with transaction(pool) as connection:
        write_due(connection)
    while True:
        with transaction(pool) as connection:
            notice = take(connection)
            if notice is None:
                return arrived
            body = body_of(notice, facts_of(connection, notice), settings.web.public_url)
        arrived += send(pool, notice, body, settings, resolve)


def send(pool: Pool, notice: DueNotice, body: bytes, settings: Settings, resolve: Resolve) -> bool:
    headers = headers_of(notice, body)
    try:
        answer = post(notice.url, headers, body, private=settings.private_hooks, resolve=resolve)
    except NotArrived as fault:
        event("notice_failed", logging.WARNING, hook=notice.hook_id, notice=notice.id, words=str(fault))
        with transaction(pool) as connection:
            write_down_failure(connection, notice, str(fault))
        return False
    with transaction(pool) as connection:
        connection.execute("UPDATE notices SET sent_at = now() WHERE id = %s", [notice.id])
        query = "UPDATE hooks SET tries = 0, next_at = now(), failing_since = NULL, answer = %s WHERE id = %s"
        connection.execute(query, [answer, notice.hook_id])
    return True


def write_due(connection: Connection) -> None:
    """Write the notices that no deed makes, once each: of a deadline that is near, of a boss that does not play.

    What is old is let go, and what tells of a boss that is back.
    """
    connection.execute(
        """
        SELECT make_notices('deadline', game, NULL, jsonb_build_object(
            'season', number, 'until', submit_until,
            'hours', CASE WHEN submit_until <= now() + interval '1 hour' THEN 1 ELSE 24 END), again => false)
        FROM season_plans WHERE submit_until > now() AND submit_until <= now() + interval '24 hours'
        """
    )
    bossless = [{"league": league.league, "game": league.game} for league in leagues.unguarded(connection)]
    for about in bossless:
        notice = "SELECT make_notices('bossless', %(game)s, NULL, %(about)s, again => false)"
        connection.execute(notice, {"game": about["game"], "about": Jsonb(about)})
    query = """
        DELETE FROM notices
        WHERE event = 'bossless' AND about <> ALL(%s::jsonb[]) OR made_at < now() - make_interval(days => %s)"""
    connection.execute(query, [[Jsonb(about) for about in bossless], KEPT_DAYS])


def take(connection: Connection) -> DueNotice | None:
    """Return the notice that is next, and write down that its hook is tried; None where none is due."""
    query = """
        WITH next AS (
            SELECT hooks.id AS hook_id, first.id
            FROM hooks LEFT JOIN players ON players.id = player_id
            CROSS JOIN LATERAL (
                SELECT id FROM notices
                WHERE hook_id = hooks.id AND sent_at IS NULL AND NOT (
                    (event IN ('promoted', 'demoted') OR event = 'verdict' AND player_id IS NULL) AND EXISTS (
                        SELECT FROM board_freezes
                        WHERE board_freezes.game = notices.game AND frozen_from <= made_at))
                ORDER BY id LIMIT 1) AS first
            WHERE hooks.disabled_at IS NULL AND players.disabled_at IS NULL AND next_at <= now()
            ORDER BY next_at, hooks.id LIMIT 1
            FOR UPDATE OF hooks SKIP LOCKED)
        UPDATE hooks
        SET tries = tries + 1, tried_at = now(),
            next_at = now() + make_interval(secs => least(%(first)s * 4.0 ^ least(tries, 9), %(longest)s))
        FROM next JOIN notices ON notices.id = next.id WHERE hooks.id = next.hook_id
        RETURNING notices.id, hooks.id AS hook_id, url, form, secret, event, game, about, made_at,
                  extract(epoch FROM now())::bigint AS at_s"""
    return Rows(connection, DueNotice).first(query, {"first": FIRST_PAUSE_S, "longest": LONGEST_PAUSE_S})


def write_down_failure(connection: Connection, notice: DueNotice, answer: str) -> None:
    """Let the notice wait; or, where its hook has failed for a day, disable that and let go of all that waits."""
    query = """
        UPDATE hooks
        SET failing_since = coalesce(failing_since, now()), answer = %(answer)s,
            disabled_at = CASE WHEN failing_since < now() - make_interval(secs => %(longest)s) THEN now() END
        WHERE id = %(hook)s RETURNING disabled_at"""
    row = connection.execute(query, {"answer": answer, "hook": notice.hook_id, "longest": FAILS_FOR_S}).fetchone()
    if row is not None and row[0] is not None:
        connection.execute("DELETE FROM notices WHERE hook_id = %s AND sent_at IS NULL", [notice.hook_id])


def facts_of(connection: Connection, notice: DueNotice) -> dict[str, Any]:
    """Return what is known of it beside the ids, by the names under which our own JSON has it."""
    about = notice.about
    if notice.event in FACTS:
        facts = Rows(connection, dict[str, Any]).first(FACTS[notice.event], {"about": Jsonb(about)}) or {}
        is_rejected = notice.event == NoticeEvent.REJECTED
        return {name: value for name, value in facts.items() if name != "reason" or is_rejected}
    if notice.event != NoticeEvent.VERDICT:
        return {}
    gauntlet = gauntlets.find(connection, GauntletId(about["gauntlet_id"]))
    if gauntlet.is_tune or gauntlet.compares_variants:
        what = "pairs" if gauntlet.is_tune else "variants"
        return {"candidate": gauntlet.candidate, "conclusion": f"all {what} of {gauntlet.candidate} are played"}
    words = conclusion(report_of(connection, gauntlet))
    return {"candidate": gauntlet.candidate, "verdict": gauntlet.verdict, "conclusion": words}


def body_of(notice: DueNotice, facts: Mapping[str, Any], ladder: str) -> bytes:
    """Write a notice in its hook's form. `ladder`: the ladder's public address, "" without one."""
    words = {"hook_id": notice.hook_id, "game": notice.game, **notice.about, **facts}
    if notice.event == NoticeEvent.DEADLINE:
        words["until"] = f"{datetime.fromisoformat(notice.about['until']).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        words["time"] = "an hour" if notice.about["hours"] == 1 else "24 hours"
    sentence = SENTENCES[notice.event].format_map(words)
    where = f"\n{ladder}" if ladder else ""
    if notice.form == NoticeForm.DISCORD:  # which is to take none of it for Markdown, and to call nobody
        text = MARKS.sub(r"\\\1", one_line(sentence)).replace("@", UNCALLED)
        return orjson.dumps({"content": text + where, "allowed_mentions": {"parse": []}})
    if notice.form == NoticeForm.SLACK:  # which takes what stands between < and > for a link or for a call
        text = one_line(sentence).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return orjson.dumps({"text": text.replace("@", UNCALLED) + where, "mrkdwn": False, "link_names": False})
    about = {**notice.about, **facts, "sentence": sentence}
    of_all = {"id": notice.id, "event": notice.event, "made_at": notice.made_at, "ladder": ladder or None}
    return orjson.dumps({**of_all, "game": notice.game, **about})


def headers_of(notice: DueNotice, body: bytes) -> dict[str, str]:
    """Return the headers with which it is sent. Our own JSON is signed: HMAC-SHA256 of time, a point and the body."""
    headers = {"Content-Type": "application/json", "User-Agent": "ladder", "X-Ladder-Event": notice.event}
    if notice.form != NoticeForm.JSON:
        return headers
    signed = hmac.new(notice.secret.encode(), b"%d." % notice.at_s + body, sha256).hexdigest()
    return {**headers, "X-Ladder-Timestamp": str(notice.at_s), "X-Ladder-Signature": f"sha256={signed}"}
