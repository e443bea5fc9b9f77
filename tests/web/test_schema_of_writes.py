"""Whatever programs write, as described and otherwise: no fault of ours, and nothing of another player is changed."""

from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from ladder.database.connection import Pool, one
from tests.ladder.arena import within
from tests.web.everybody import GAME, THERE, Everybody
from tests.web.test_api_schema import UNCHECKED, operations_of, references, require_as_described, undescribed

EXAMPLES = 20
OF_PLAYER = """
    SELECT jsonb_build_object(
        'bots', (SELECT jsonb_agg(bots ORDER BY bots.id) FROM bots WHERE player_id = player.id),
        'versions', (SELECT jsonb_agg(versions ORDER BY versions.id) FROM versions JOIN bots ON bots.id = bot_id
                     WHERE bots.player_id = player.id),
        'stays', (SELECT jsonb_agg(standings ORDER BY version_id, standings.league_id) FROM standings
                  JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id WHERE player_id = player.id),
        'gauntlets', (SELECT jsonb_agg(gauntlets ORDER BY id) FROM gauntlets WHERE asked_by = player.name),
        'requests', (SELECT jsonb_agg(requests ORDER BY id) FROM requests WHERE asked_by = player.name),
        'tokens', (SELECT jsonb_agg(to_jsonb(tokens) - 'last_used_at' - 'last_used_from' ORDER BY id) FROM tokens
                   WHERE player_id = player.id),
        'account', to_jsonb(player)
    )::text FROM players AS player WHERE name = %(name)s
"""


@pytest.fixture(scope="module")
def operations(everybody: Everybody) -> list[Any]:
    description = everybody.ask("owner", "get", "/api/v1/openapi.json").json()
    assert set(references(description)) <= {
        f"#/components/schemas/{name}" for name in description["components"]["schemas"]
    }
    names = [one["operationId"] for found in description["paths"].values() for one in found.values()]
    assert len(names) == len(set(names))
    writing = {
        path: {method: one for method, one in found.items() if method != "get" or path.endswith(("players", "audit"))}
        for path, found in description["paths"].items()
    }
    return operations_of({**description, "paths": writing})


KIMS = frozenset({"bound", "read", "submit", "play", "owner", "session"})
"""Who comes as kim; with a token of a single scope, too."""


@pytest.fixture(scope="module")
def pats(everybody: Everybody) -> None:
    """Something of another player that could be changed: a bot, and a gauntlet of hers."""
    new, wanted = (
        {"source": "# of pat", "language": "python"},
        {"candidate": "kraken", "against": ["wahoo"], "pairs": 1},
    )
    for path, body in ((f"/api/v1/games/{GAME}/bots/pats/versions", new), (f"/api/v1/games/{GAME}/gauntlets", wanted)):
        assert everybody.ask("another player", "post", path, body).status_code == 201


@pytest.mark.usefixtures("pats")
@pytest.mark.parametrize("who", ["another player", "off duty", "operator", *sorted(KIMS)])
def test_whatever_is_written_nothing_breaks(everybody: Everybody, operations: list[Any], who: str) -> None:
    others = {"pat", "olga"} if who in KIMS else {"kim", "pat" if who == "off duty" else "olga"}
    before = {name: all_of(everybody.pool, name) for name in others}

    @seed(0)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=UNCHECKED)
    @given(st.one_of([questions(operation) for operation in operations]))
    def ask(case: Any) -> None:
        answer = case.call(base_url=everybody.site.address, headers=everybody.headers_of(who))
        assert answer.status_code < 500, f"{case.method} {case.formatted_path} {case.body}: {answer.text}"
        require_as_described(case, answer)

    ask()
    if who != "operator":
        assert {name: all_of(everybody.pool, name) for name in others} == before


def questions(operation: Any) -> st.SearchStrategy[Any]:
    """What a route is asked: of something that is there or not, in ways that are described or not."""
    there = {one.name: THERE.get(one.name, "kim") for one in operation.path_parameters}
    return st.one_of(
        operation.as_strategy(path_parameters=there),
        operation.as_strategy(),
        undescribed(operation, path_parameters=there),
    )


def all_of(pool: Pool, player: str) -> str:
    return str(within(pool, one, OF_PLAYER, {"name": player})[0])
