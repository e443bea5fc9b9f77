"""Every route of the description, asked by everybody that there can be: who is let in, and who is not.

A route that is added without a line here fails the first test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx
import pytest

from ladder.database.connection import Pool
from tests.ladder.arena import rows_of
from tests.web.everybody import GAME, Body, Everybody
from tests.web.test_api_schema import QUERIES

UNKNOWN = frozenset({"nobody", "expired", "revoked", "disabled"})
KNOWN = frozenset({"another player", "bound", "read", "submit", "play", "owner", "session", "operator", "off duty"})
"""`bound`: the owner's token for another bot; `read`, `submit`, `play`: the owner's with that scope alone; `session`:
the owner's browser; `off duty`: an operator's token without the scope `operate`.
"""
SUBMITS = frozenset({"submit", "owner", "session"})
OWNS = frozenset({"play", "owner", "session"})
ASKS = OWNS | {"another player", "operator", "off duty"}
ENDS = OWNS | {"operator"}
READS_OWN = frozenset({"read", "owner", "session", "another player", "bound", "operator", "off duty"})
SEES = frozenset({"read", "owner", "session", "operator"})
SHARES = frozenset({"read", "owner", "session"})
OPERATES = frozenset({"operator"})
IN_TURN = pytest.mark.parametrize("most", [3, pytest.param(99, marks=pytest.mark.weekly)], ids=["some", "all"])
"""Who is judged alike whatever the row is, comes in turn: each with some of the rows, and once a week with all."""
BOT = "/api/v1/games/{game}/bots/{bot}"
NOWHERE = 999_999
ASKED_WITH = QUERIES | {"/api/v1/events": {"topic": "home"}}


@dataclass(frozen=True)
class Entry:
    """Who is let in, and what is asked with. `path`: values of the parts of the path, where they are others."""

    who: frozenset[str]
    body: Body = None
    path: Mapping[str, object] = field(default_factory=dict[str, object])


WRITES: Mapping[tuple[str, str], Entry] = {
    ("post", f"{BOT}/versions"): Entry(SUBMITS, {"source": "# one more", "language": "python"}),
    ("post", f"{BOT}/activate"): Entry(OWNS, {"number": 1}),
    ("post", f"{BOT}/rewind"): Entry(OWNS, {}),
    ("patch", BOT): Entry(OWNS, {"source_is_public": True}),
    ("put", f"{BOT}/gauntlet"): Entry(OWNS, {"pairs": 3}),
    ("delete", f"{BOT}/gauntlet"): Entry(OWNS),
    ("post", "/api/v1/games/{game}/requests"): Entry(ASKS, {"versions": ["kraken", "wahoo"], "seed": 3}),
    ("delete", "/api/v1/requests/{number}"): Entry(OWNS),
    ("post", "/api/v1/games/{game}/gauntlets"): Entry(ASKS, {"candidate": "kraken", "against": ["wahoo"], "pairs": 1}),
    ("post", "/api/v1/gauntlets/{number}/stop"): Entry(ENDS),
    ("post", "/api/v1/gauntlets/{number}/resume"): Entry(ENDS),
    ("get", "/api/v1/matches/{number}/seats/{seat}/stderr"): Entry(SEES),
    ("get", "/api/v1/tokens"): Entry(READS_OWN),
    ("post", "/api/v1/tokens"): Entry(frozenset({"session"}), {"name": "new", "scopes": ["play"]}),
    ("delete", "/api/v1/tokens/{number}"): Entry(READS_OWN, path={"number": NOWHERE}),
    ("post", "/api/v1/matches/{number}/shares"): Entry(SHARES, {"expires_in_s": 60}),
    ("delete", "/api/v1/shares/{number}"): Entry(KNOWN, path={"number": NOWHERE}),
    ("post", "/api/v1/hooks"): Entry(
        KNOWN - {"bound", "read", "play"}, {"url": "https://example.org/", "events": ["accepted"]}
    ),
    ("post", "/api/v1/hooks/{number}/test"): Entry(KNOWN, path={"number": NOWHERE}),
    ("delete", "/api/v1/hooks/{number}"): Entry(KNOWN, path={"number": NOWHERE}),
    ("post", "/api/v1/matches/{number}/void"): Entry(OPERATES, {"why": "a test"}, {"number": NOWHERE}),
    ("post", "/api/v1/gauntlets/{number}/purge"): Entry(OPERATES, {"why": "a test", "host": "x"}, {"number": NOWHERE}),
    ("put", "/api/v1/games/{game}/leagues"): Entry(OPERATES, {"dry_run": True}),
    ("delete", "/api/v1/games/{game}/lock"): Entry(OPERATES, path={"game": "nothing"}),
    ("put", "/api/v1/games/{game}/lock"): Entry(OPERATES, {"why": "a test"}, {"game": "nothing"}),
    ("post", "/api/v1/games/{game}/seasons"): Entry(OPERATES, {"number": NOWHERE}),
    ("post", "/api/v1/questions"): Entry(ASKS, {"text": "Why?"}),
    ("get", "/api/v1/players"): Entry(OPERATES),
    ("post", "/api/v1/players"): Entry(OPERATES, {"name": "newcomer"}),
    ("patch", "/api/v1/players/{player}"): Entry(OPERATES, {"disabled": False}),
    ("get", "/api/v1/invitations"): Entry(OPERATES),
    ("post", "/api/v1/invitations"): Entry(OPERATES, {"uses": 3}),
    ("get", "/api/v1/audit"): Entry(OPERATES),
}
PUBLIC = (
    "/healthz",
    "/api/v1/status",
    "/api/v1/me",
    "/api/v1/events",
    "/api/v1/games",
    "/api/v1/games/{game}",
    "/api/v1/games/{game}/leagues/{league}/board",
    "/api/v1/games/{game}/leagues/{league}/feed.atom",
    "/api/v1/games/{game}/contest",
    "/api/v1/games/{game}/bots",
    "/api/v1/games/{game}/bots/{bot}",
    "/api/v1/games/{game}/bots/{bot}/why",
    "/api/v1/games/{game}/bots/{bot}/ratings",
    "/api/v1/games/{game}/bots/{bot}/timing",
    "/api/v1/games/{game}/bots/{bot}/feed.atom",
    "/api/v1/games/{game}/versus",
    "/api/v1/announcements",
    "/api/v1/questions",
    "/api/v1/players/{player}",
    "/api/v1/games/{game}/matches",
    "/api/v1/games/{game}/seasons",
    "/api/v1/games/{game}/seasons/{number}",
    "/api/v1/matches/{number}",
    "/api/v1/matches/{number}/replay",
    "/api/v1/matches/{number}/seats/{seat}/input",
    "/api/v1/gauntlets",
    "/api/v1/tunes/{number}",
    "/api/v1/gauntlets/{number}",
    "/api/v1/gauntlets/{number}/junit",
)
"""What everybody may read who is let in; of some of it others see less than its player."""


def in_turn(users: frozenset[str], number: int, most: int) -> list[str]:
    """Return so many of them, others with each number."""
    return [sorted(users)[(number + step) % len(users)] for step in range(min(most, len(users)))]


@pytest.fixture(scope="module")
def described(everybody: Everybody) -> list[tuple[str, str]]:
    found = everybody.ask("owner", "get", "/api/v1/openapi.json").json()
    return [(method, path) for path, operations in found["paths"].items() for method in operations]


def test_every_route_has_a_line_here(described: list[tuple[str, str]]) -> None:
    assert sorted(described) == sorted([*WRITES, *(("get", path) for path in PUBLIC)])


@IN_TURN
def test_reading_takes_somebody(everybody: Everybody, most: int) -> None:
    for number, path in enumerate(PUBLIC):
        for who in (*in_turn(UNKNOWN, number, most // 3), *in_turn(KNOWN, number, most)):
            asked = everybody.path_of(path, player="kim")
            status = everybody.ask(who, "get", asked, query=ASKED_WITH.get(path)).status_code
            if who in UNKNOWN and path != "/healthz":
                assert status == 401, (path, who)
            elif who in KNOWN:
                assert status in {200, 409}, (path, who, status)


@IN_TURN
@pytest.mark.parametrize("route", WRITES, ids=" ".join)
def test_only_those_do_it_who_may(everybody: Everybody, route: tuple[str, str], most: int) -> None:
    (method, path), entry = route, WRITES[route]

    def ask(who: str) -> httpx.Response:
        return everybody.ask(who, method, everybody.path_of(path, **entry.path), entry.body)

    require_rights(everybody.pool, entry.who, in_turn(UNKNOWN, [*WRITES].index(route), most // 3), ask, {201})


def require_rights(
    pool: Pool, who_may: frozenset[str], unknown: list[str], ask: Callable[[str], httpx.Response], more: set[int]
) -> None:
    """Who may not, changes nothing; what was refused of operators' deeds is written down.

    `more`: statuses with which it is done, besides the usual ones.
    """
    before = written(pool)
    refused = sorted(KNOWN - who_may)
    for who in (*unknown, *refused):
        answer = ask(who)
        assert answer.status_code == (401 if who in UNKNOWN else 403), (who, answer.text)
        assert (answer.json()["exit_status"], answer.json()["detail"] != "") == (3, True)
    after = written(pool)
    assert after[0] == before[0], "nothing was done"
    assert after[1] - before[1] == (len(refused) if who_may == OPERATES else 0), "refusals are written down"
    for who in sorted(who_may):
        answer = ask(who)
        assert answer.status_code in {200, 404, 409, 429} | more, (who, answer.text)


def written(pool: Pool) -> tuple[int, int]:
    """How many lines the audit has of what was done, and of what was refused."""
    query = "SELECT count(*) FILTER (WHERE action <> 'refused'), count(*) FILTER (WHERE action = 'refused') FROM audit"
    ((done, refused),) = rows_of(pool, query)
    return done, refused


def test_tokens_of_others_are_not_known(everybody: Everybody) -> None:
    ((number,),) = rows_of(everybody.pool, "SELECT id FROM tokens WHERE name = 'read'")
    for who in ("another player", "operator"):
        assert everybody.ask(who, "delete", f"/api/v1/tokens/{number}").status_code == 404
    assert everybody.ask("read", "get", "/api/v1/me").status_code == 200


def test_what_is_no_token_is_refused_nor_one_of_equal_beginning(everybody: Everybody) -> None:
    for authorization in ("Bearer", "Bearer ldr_", "Basic a2ltOmtpbQ==", "Bearer ldr_" + "x" * 43):
        everybody.headers["forged"] = {"Authorization": authorization}
        assert everybody.ask("forged", "get", "/api/v1/me").status_code == 401, authorization
    shown = everybody.headers["owner"]["Authorization"]
    everybody.headers["near"] = {"Authorization": shown[:-1] + ("a" if shown[-1] != "a" else "b")}
    answer = everybody.ask("near", "get", "/api/v1/me")
    assert (answer.status_code, answer.json()["detail"]) == (401, "this token is unknown")


def test_the_page_that_explains_it_names_all_routes(everybody: Everybody, described: list[tuple[str, str]]) -> None:
    text = everybody.ask("owner", "get", "/api").text
    for method, path in described:
        assert f"<code>{'' if method == 'get' else method.upper() + ' '}{path}" in text
    assert everybody.ask("owner", "get", f"/api/v1/games/{GAME}/requests").headers["allow"] == "POST"
