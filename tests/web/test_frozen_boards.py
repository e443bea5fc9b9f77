"""Frozen boards of a served ladder: nothing that others can fetch says how they stand now."""

import json
import re
from datetime import datetime
from typing import cast

from ladder.access import Actor, Role
from ladder.actions import games
from ladder.database.connection import Pool, one, transaction
from tests.ladder.arena import promoted, within
from tests.web.a_busy_ladder import BusyLadder
from tests.web.a_ladder import play_recorded
from tests.web.everybody import GAME, Everybody
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
    with transaction(pool) as connection:
        before = numbers_in(connection.execute(NUMBERS, [[]]).fetchall())
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


def crawled(everybody: Everybody, busy: BusyLadder) -> list[str]:
    operators = everybody.headers_of("operator")
    everybody.site.client.headers.update(operators)
    found = addresses(everybody.site, busy)
    for name in operators:
        del everybody.site.client.headers[name]
    return [path for path in found if not TURNS.search(path)]
