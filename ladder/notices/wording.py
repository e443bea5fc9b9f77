"""What a notice says: a sentence of what the rows say now, and the three forms in which it is sent."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, LiteralString

import orjson
from psycopg.rows import dict_row

from engine.text import one_line
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.headline import conclusion
from ladder.gauntlets.report import report_of
from ladder.ids import GauntletId
from ladder.notices.events import TEST, Event, Form
from ladder.notices.outbox import Taken

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
    Event.ACCEPTED: OF_VERSION,
    Event.REJECTED: OF_VERSION,
    Event.PROMOTED: OF_MOVE,
    Event.DEMOTED: OF_MOVE,
}
SENTENCES: Mapping[str, str] = {
    Event.ACCEPTED: "{version} of {player} is accepted for {game}",
    Event.REJECTED: "{version} of {player} is rejected for {game}: {reason}",
    Event.PROMOTED: "{version} of {player} is promoted from {from_league} to {to_league} in {game}",
    Event.DEMOTED: "{version} of {player} is sent back from {from_league} to {to_league} in {game}",
    Event.VERDICT: "gauntlet {gauntlet_id} of {game} is over: {conclusion}",
    Event.DEADLINE: "submissions for season {season} of {game} close at {until}, in less than {time}",
    Event.BOSSLESS: "no boss of {league} in {game} plays, so nobody goes up from there: see `ladder status`",
    TEST: "this is a test of hook {hook_id}",
}


MARKS, UNCALLED = re.compile(r"([\\*_~`|>#\[\]()<@:-])"), "@\N{ZERO WIDTH SPACE}"


def facts_of(connection: Connection, taken: Taken) -> dict[str, Any]:
    """Return what is known of it beside the ids, by the names under which our own JSON has it."""
    about = taken.about
    if taken.event in FACTS:
        with connection.cursor(row_factory=dict_row) as cursor:
            found = cursor.execute(FACTS[taken.event], {"about": orjson.dumps(about).decode()}).fetchone() or {}
        return {name: value for name, value in found.items() if name != "reason" or taken.event == Event.REJECTED}
    if taken.event != Event.VERDICT:
        return {}
    gauntlet = gauntlets.find(connection, GauntletId(about["gauntlet_id"]))
    if gauntlet.is_tune or gauntlet.compares_variants:
        what = "pairs" if gauntlet.is_tune else "variants"
        return {"candidate": gauntlet.candidate, "conclusion": f"all {what} of {gauntlet.candidate} are played"}
    words = conclusion(report_of(connection, gauntlet))
    return {"candidate": gauntlet.candidate, "verdict": gauntlet.verdict, "conclusion": words}


def body_of(taken: Taken, facts: Mapping[str, Any], ladder: str) -> bytes:
    """Write a notice in its hook's form. `ladder`: the ladder's public address, "" without one."""
    words = {"hook_id": taken.hook_id, "game": taken.game, **taken.about, **facts}
    if taken.event == Event.DEADLINE:
        words["until"] = f"{datetime.fromisoformat(taken.about['until']).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        words["time"] = "an hour" if taken.about["hours"] == 1 else "24 hours"
    sentence = SENTENCES[taken.event].format_map(words)
    where = f"\n{ladder}" if ladder else ""
    if taken.form == Form.DISCORD:  # which is to take none of it for Markdown, and to call nobody
        text = MARKS.sub(r"\\\1", one_line(sentence)).replace("@", UNCALLED)
        return orjson.dumps({"content": text + where, "allowed_mentions": {"parse": []}})
    if taken.form == Form.SLACK:  # which takes what stands between < and > for a link or for a call
        text = one_line(sentence).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return orjson.dumps({"text": text.replace("@", UNCALLED) + where, "mrkdwn": False, "link_names": False})
    return orjson.dumps(
        {
            "id": taken.id,
            "event": taken.event,
            "made_at": taken.made_at,
            "ladder": ladder or None,
            "game": taken.game,
            **taken.about,
            **facts,
            "sentence": sentence,
        }
    )


def headers_of(taken: Taken, body: bytes) -> dict[str, str]:
    """Return the headers with which it is sent. Our own JSON is signed: HMAC-SHA256 of time, a point and the body."""
    found = {"Content-Type": "application/json", "User-Agent": "ladder", "X-Ladder-Event": taken.event}
    if taken.form != Form.JSON:
        return found
    signed = hmac.new(taken.secret.encode(), b"%d." % taken.at_s + body, sha256).hexdigest()
    return {**found, "X-Ladder-Timestamp": str(taken.at_s), "X-Ladder-Signature": f"sha256={signed}"}
