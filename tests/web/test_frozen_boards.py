"""Frozen boards of a served ladder: nothing that others can fetch says how they stand now."""

import json
import re
from datetime import datetime
from typing import cast

import pytest

from ladder.access import Actor, Role
from ladder.actions import games
from ladder.actions.matches import share
from ladder.database.connection import Pool, one, transaction
from ladder.ids import MatchId
from ladder.views import match_search
from tests.ladder.arena import promoted, rows_of, within
from tests.web.a_ladder import BusyLadder, play_recorded
from tests.web.everybody import GAME, Everybody
from tests.web.test_forms_that_write import sent
from tests.web.test_sight import addresses

OLGA = Actor("olga", Role.OPERATOR)
OTHERS = ("another player", "owner")
API = f"/api/v1/games/{GAME}"
SAYS_HOW_IT_STANDS = (
    f"/games/{GAME}/leagues/wood-2",
    f"/games/{GAME}/leagues/wood-1",
    f"/games/{GAME}/leagues/wood-2?name=kraken",
    f"{API}/leagues/wood-2/board",
    f"{API}/leagues/wood-2/feed.atom",
    f"{API}/leagues/wood-1/feed.atom",
    f"{API}/bots/kraken/ratings",
    f"{API}/bots/kraken/why",
    f"{API}/bots/kraken/feed.atom",
)
NUMBERS = """
    SELECT standings.mu, standings.sigma, score FROM standings JOIN leagues ON leagues.id = league_id
    WHERE game = 'ocean-of-code'
    UNION ALL SELECT mu_after, sigma_after, mu_after - 3 * sigma_after FROM ledger WHERE match_id = ANY(%s)
    """


def play_on(pool: Pool, busy: BusyLadder) -> set[str]:
    """Let matches be played and kraken be promoted; return the numbers that only those see who see that."""
    kraken, wahoo = busy.small.versions["kraken@v2"], busy.small.versions["wahoo@v1"]
    before = numbers_in(rows_of(pool, NUMBERS, []))
    played = play_recorded(pool, GAME, [wahoo, kraken], 3)
    with transaction(pool) as connection:
        promoted(connection, kraken)
        return numbers_in(connection.execute(NUMBERS, [played]).fetchall()) - before


def numbers_in(rows: list[tuple[float, ...]]) -> set[str]:
    return {repr(number) for row in rows for number in row if len(repr(number)) > 12}


def test_no_number_of_a_frozen_board_is_in_what_others_can_fetch(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    pool = everybody.pool
    moment = cast(datetime, within(pool, one, "SELECT clock_timestamp()", {})[0])
    games.freeze_boards(OLGA, pool, GAME, moment)

    def shown(who: str) -> dict[str, str]:
        return {path: everybody.ask(who, "get", path).text for path in SAYS_HOW_IT_STANDS}

    before = {who: shown(who) for who in (*OTHERS, "operator")}
    hidden = play_on(pool, busy_ladder)
    assert {who: shown(who) for who in OTHERS} == {who: before[who] for who in OTHERS}
    now = shown("operator")
    assert all(now[path] != before["operator"][path] for path in SAYS_HOW_IT_STANDS)
    board = f"/games/{GAME}/leagues/wood-2"
    assert "this is how it stood then" in before["owner"][board]
    assert "only operators see" in now[board]
    for path in crawled(everybody, busy_ladder):
        text = everybody.ask("owner", "get", path).text
        assert not {number for number in hidden if number in text}, path
    assert len([number for number in hidden if number in "".join(now.values())]) > 4, "an operator sees them"
    games.thaw_boards(OLGA, pool, GAME)
    assert {path: re.sub("<p class=.problem.>.*", "", text) for path, text in shown("owner").items()} == {
        path: re.sub("<p class=.problem.>.*", "", text) for path, text in now.items()
    }
    games.freeze_boards(OLGA, pool, GAME, moment)
    said = answers_to_deeds(everybody)
    assert {name: text for name, text in said.items() if "Wood 1" in text or "wood-1" in text} == {}
    assert all("Wood 2" in said[name] for name in ("activate", "act activate", "audit"))
    assert all("are frozen, so only operators see where kraken stands" in said[f"{way}rewind"] for way in ("", "act "))
    assert "kraken@v2 and wahoo@v1 do not meet on one board now" in said["request"]
    assert '"boss-wood-2@v1"' in said["gauntlet"]
    games.thaw_boards(OLGA, pool, GAME)


def test_how_matches_of_others_end_is_in_nothing_that_a_player_can_fetch_until_the_thaw(
    everybody: Everybody, busy_ladder: BusyLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_search, "LATEST", 0)
    pool, versions = everybody.pool, busy_ladder.small.versions
    before = busy_ladder.small.matches[GAME][-1]
    games.freeze_boards(OLGA, pool, GAME, cast(datetime, within(pool, one, "SELECT clock_timestamp()", {})[0]))
    asked = [*crawled(everybody, busy_ladder, re.compile("$^")), STREAM]

    def shown() -> dict[str, str]:
        return {path: re.sub(PASSING, "", everybody.ask("another player", "get", path).text) for path in asked}

    as_it_was = shown()
    (played, *_) = play_recorded(pool, GAME, [versions["wahoo@v1"], versions["kraken@v2"]], 1)
    now = shown()
    assert {path for path, text in now.items() if text != as_it_was[path] and not GOES_ON.search(path)} == set()
    assert not [path for path, text in now.items() if f"/matches/{played}" in text]
    of_match = [path.replace(str(before), str(played)) for path in asked if f"/matches/{before}" in path]
    assert len(of_match) > 5
    for path in of_match:
        refused = everybody.ask("another player", "get", path)
        assert (refused.status_code, f"how match {played} ended is hidden" in refused.text) == (403, True), path
        assert everybody.ask("owner", "get", path).status_code in {200, 409}, path
    for path in (f"/games/{GAME}/matches", f"{API}/matches", STREAM):
        text = everybody.ask("owner", "get", path).text
        assert f"/matches/{played}" in text or f'"id":{played},' in text, "one's own are seen"
    link = share(Actor("kim"), pool, MatchId(played)).path
    assert everybody.ask("another player", "get", link).status_code == 200, "its player shows it"
    everybody.headers["follower"] = {**everybody.headers["another player"], "Accept": "application/x-ndjson"}
    with_more = f"{STREAM}&since={played}"
    read = everybody.ask("follower", "get", with_more)
    assert read.text == ""
    games.thaw_boards(OLGA, pool, GAME)
    (cursor,) = re.findall("cursor=([^&>]+)", read.headers["link"])
    onward = f"{with_more}&cursor={cursor}"
    assert f'"id":{played},' in everybody.ask("follower", "get", onward).text, "a stream leaves nothing out"


STREAM = f"{API}/matches?where=turns+%3E+0"
PASSING = "|".join(
    (
        r"\d+ s\b",
        r"<strong>\d+</strong> match(es)? in the last minute",
        r"\"(elapsed|lacking)_s\":(null|[\d.]+)",
        r"\"last_used_(at|from)\":(null|\"[^\"]+\")",
        r"time=\"[\d.]+\"",
        r"[?&]cursor=[^&>\"]+",
    )
)
"""What passes while nothing is played."""
GOES_ON = re.compile("^/operations|views/audit")
"""What says how much was played by the minute, and which requests were refused."""


def test_a_gauntlet_of_another_that_has_ended_is_still_on(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    pool, number = everybody.pool, busy_ladder.gauntlets["finished"]
    began = cast(datetime, within(pool, one, "SELECT created_at FROM gauntlets WHERE id = %(id)s", {"id": number})[0])
    games.freeze_boards(OLGA, pool, GAME, began)

    def verdict(who: str) -> tuple[str, str | None]:
        found = everybody.ask(who, "get", f"/api/v1/gauntlets/{number}").json()
        return found["state"], found["verdict"]

    ended = verdict("operator")
    assert ended[0] == "finished"
    assert (verdict("owner"), verdict("another player")) == (ended, ("running", None))
    rows = everybody.ask("another player", "get", f"{API}/leagues/wood-2/board").json()["items"]
    assert {datetime.fromisoformat(row["frozen_since"]) for row in rows} == {began}
    games.thaw_boards(OLGA, pool, GAME)
    assert verdict("another player") == ended
    rows = everybody.ask("another player", "get", f"{API}/leagues/wood-2/board").json()["items"]
    assert {row["frozen_since"] for row in rows} == {None}


def answers_to_deeds(everybody: Everybody) -> dict[str, str]:
    """Return what the player of kraken, which was promoted meanwhile, is answered where something depends on that."""
    deeds: dict[str, tuple[str, dict[str, object]]] = {
        "activate": (f"{API}/bots/kraken/activate", {"number": 1}),
        "act activate": ("/api/v1/acts/activate", {"bot": "kraken", "number": 1}),
        "rewind": (f"{API}/bots/kraken/rewind", {}),
        "act rewind": ("/api/v1/acts/rewind", {"bot": "kraken"}),
        "request": (f"{API}/requests", {"versions": ["kraken", "wahoo"]}),
        "gauntlet": (f"{API}/gauntlets", {"candidate": "kraken", "against": ["boss"], "pairs": 1}),
        "retire": ("/api/v1/acts/retire", {"bot": "kraken"}),
    }
    said = {name: everybody.ask("owner", "post", path, body).text for name, (path, body) in deeds.items()}
    lines = everybody.ask("owner", "get", "/api/v1/views/audit", query={"words": json.dumps({"limit": 20})})
    page = everybody.ask("session", "post", f"/games/{GAME}/bots/kraken/v/1/activate")
    return {**said, "audit": lines.text, "page": page.text}


TURNS = re.compile("replay|/data|compare|input|watched|[.]svg|guide")
"""What shows turns of matches, or the guide: slow to make, and without any rating."""


def crawled(everybody: Everybody, busy: BusyLadder, without: re.Pattern[str] = TURNS) -> list[str]:
    operators = everybody.headers_of("operator")
    everybody.site.client.headers.update(operators)
    found = addresses(everybody.site, busy)
    for name in operators:
        del everybody.site.client.headers[name]
    return [path for path in found if not without.search(path)]


def test_operators_alone_see_what_frozen_boards_became(everybody: Everybody) -> None:
    path, pool = f"/games/{GAME}/resolver", everybody.pool
    assert everybody.ask("operator", "get", path).status_code == 409, "nothing is frozen"
    games.freeze_boards(OLGA, pool, GAME, within(pool, one, "SELECT clock_timestamp()", {})[0])
    for who in (*OTHERS, "session", "off duty"):
        refused = everybody.ask(who, "get", path)
        assert (refused.status_code, "aria-keyshortcuts" in refused.text) == (403, False), who
    assert "aria-keyshortcuts" in everybody.ask("operator", "get", path).text
    thawing = sent(everybody, path, {}, "/clarifications")
    assert (thawing.status_code, "only an operator may freeze" in thawing.text) == (403, True)
    games.thaw_boards(OLGA, pool, GAME)
