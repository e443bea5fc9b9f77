"""What routes answer and take is what their description says, whatever they are asked: no fault of ours."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

import httpx
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from engine.game import Games
from ladder import codec
from ladder.contract import READS, WRITES, function_of
from ladder.database.connection import Pool, one
from ladder.leagues.file import LeagueFile
from tests.ladder.arena import within
from tests.web.a_ladder import BusyLadder
from tests.web.everybody import GAME, THERE, Everybody
from tests.web.serving import KEY, Served

There: TypeAlias = Callable[[Any], dict[str, object]]
QUERIES = {"/api/v1/games/{game}/versus": {"a": "kraken"}}
UNCHECKED = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
"""Of what hypothesis complains about by itself: how long an answer takes, and which examples a schema gives."""
EXAMPLES = 75


@pytest.fixture(scope="module")
def site(busy_site: Served) -> Served:
    return busy_site


@pytest.fixture
def there(busy_ladder: BusyLadder) -> There:
    """Return what makes the parts of a path name what there is."""

    def parts(operation: Any) -> dict[str, object]:
        known = {**THERE, "number": busy_ladder.tune} if "/tunes/" in operation.path else THERE
        return {parameter.name: known[parameter.name] for parameter in operation.path_parameters}

    return parts


@pytest.fixture(scope="module")
def description(site: Served) -> dict[str, Any]:
    found: dict[str, Any] = site.get("/api/v1/openapi.json").json()
    return found


def test_every_part_of_the_description_is_a_schema(description: dict[str, Any]) -> None:
    """No object may hold keys that are not described, but where only the data know them."""
    schemas = description["components"]["schemas"]
    assert description["openapi"].startswith("3.1")
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    assert set(references(description)) == {f"#/components/schemas/{name}" for name in schemas}
    assert not schemas["ListedMatch"]["additionalProperties"]
    assert schemas["ListedMatch"]["properties"]["seats"]["items"] == {"$ref": "#/components/schemas/SeatRow"}
    assert schemas["LeagueRow"]["additionalProperties"]


def references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for one in value for found in references(one)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    return own + [found for one in value.values() for found in references(one)]


def test_every_route_says_what_it_is_for_and_what_it_answers(description: dict[str, Any]) -> None:
    names = set()
    for path, operations in description["paths"].items():
        assert set(operations) == {"get"}
        operation = operations["get"]
        names.add(operation["operationId"])
        assert operation["description"], path
        assert set(operation["responses"]) == {"200", "304", "default"}
        assert all(parameter["description"] for parameter in operation.get("parameters", ())), path
    assert len(names) == len(description["paths"])


@pytest.fixture(scope="module")
def operations(description: dict[str, Any]) -> list[Any]:
    paths = {path: found for path, found in description["paths"].items() if not path.endswith("/events")}
    return operations_of({**description, "paths": paths})


def operations_of(description: dict[str, Any]) -> list[Any]:
    """Return what can be asked by a description. The library is read in by those processes alone that use it."""
    import schemathesis

    found: Any = schemathesis.openapi.from_dict(description).get_all_operations()
    return [one.ok() for one in found]


def test_what_is_there_is_answered_as_described(site: Served, operations: list[Any], there: There) -> None:
    assert operations
    for operation in operations:
        answer = asked(site, operation.Case(path_parameters=there(operation), query=QUERIES.get(operation.path, {})))
        assert answer.status_code == (409 if operation.path.endswith("/seasons/{number}") else 200), operation.path


def test_whatever_is_asked_the_answer_is_as_described(site: Served, operations: list[Any], there: There) -> None:
    @seed(0)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=UNCHECKED)
    @given(st.one_of([questions(operation, there) for operation in operations]))
    def ask(case: Any) -> None:
        asked(site, case)

    ask()


def questions(operation: Any, there: There) -> st.SearchStrategy[Any]:
    """What a route is asked: of something that is there or not, in ways that are described or not."""
    return st.one_of(
        operation.as_strategy(path_parameters=there(operation), query=QUERIES.get(operation.path, {})),
        operation.as_strategy(path_parameters=there(operation)),
        operation.as_strategy(),
        undescribed(operation),
    )


def undescribed(operation: Any, **given: Any) -> st.SearchStrategy[Any]:
    from schemathesis.generation import GenerationMode

    strategy: st.SearchStrategy[Any] = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE, **given)
    return strategy


def asked(site: Served, case: Any) -> Any:
    answer = case.call(base_url=site.address, headers={"Authorization": f"Bearer {KEY.text}"})
    assert answer.status_code < 500, f"{case.formatted_path} {case.query}: {answer.text}"
    require_as_described(case, answer)
    return answer


def require_as_described(case: Any, answer: Any) -> None:
    from schemathesis.specs.openapi import checks

    of_answers = ("status_code", "content_type", "response_headers", "response_schema")
    case.validate_response(answer, checks=[getattr(checks, f"{name}_conformance") for name in of_answers])


ODD: st.SearchStrategy[object] = st.sampled_from(
    [None, True, -1, 0, 2**31, 2**63 - 1, -(2**63), 10**20, 0.5, 1e300, "", "0", "a\0b", "\ud800", "x" * 3000, [], {}]
)
WORDS = st.sampled_from(
    ["kraken", "kraken@v1", "wahoo", "ocean-of-code", "wood-2", "kim", "python", "nobody", "2999-01-01", "inf"]
)


def value_of(hint: Any, depth: int = 3) -> st.SearchStrategy[Any]:
    """What fits a type, and now and then what does not. `depth`: of dataclasses within each other."""
    found = fitting(hint, depth)
    return st.one_of(found, found, found, ODD)


def fitting(hint: Any, depth: int) -> st.SearchStrategy[Any]:
    hint = getattr(hint, "__supertype__", hint)
    if hint in {int, float}:
        return st.sampled_from([1, 2, 3, 5, 100, 1000])
    if hint is bool:
        return st.booleans()
    if hint is LeagueFile:
        return st.fixed_dictionaries({"game": WORDS, "leagues": st.dictionaries(WORDS, st.dictionaries(WORDS, ODD))})
    if is_dataclass(hint) and depth and hint is not Games:
        hints = get_type_hints(hint)
        return st.fixed_dictionaries({one.name: value_of(hints[one.name], depth - 1) for one in fields(hint)})
    if get_args(hint) and get_origin(hint) is not dict:
        return st.one_of([st.lists(fitting(one, depth), max_size=3) | fitting(one, depth) for one in get_args(hint)])
    if isinstance(hint, type) and issubclass(hint, str) and hint is not str:
        return st.sampled_from(list(hint)) if issubclass(hint, Enum) else WORDS
    return st.none() if hint is type(None) else WORDS


def asked_with(function: Any) -> st.SearchStrategy[dict[str, Any]]:
    hints = codec.types_of(function)
    return st.fixed_dictionaries({name: value_of(hints[name]) for name in codec.parameters(function)})


QUESTIONS = [("views", name, asked_with(function_of(READS[name]))) for name in READS]
DEEDS = [("acts", name, asked_with(function_of(WRITES[name]))) for name in WRITES]


def commanded(everybody: Everybody, who: str, way: str, name: str, text: str | bytes) -> httpx.Response:
    path = f"/api/v1/{way}/{name}"
    if way == "views":
        return everybody.ask(who, "get", path, query={"words": str(text)})
    headers = {**everybody.headers_of(who), "Content-Type": "application/json"}
    return everybody.site.client.post(path, content=text, headers=headers, params={"role": "operator"})


@pytest.mark.parametrize("questions", [QUESTIONS, DEEDS], ids=["views", "acts"])
@pytest.mark.parametrize("who", ["owner", "operator"])
def test_whatever_is_asked_nothing_breaks(
    everybody: Everybody, who: str, questions: list[tuple[str, str, st.SearchStrategy[Any]]]
) -> None:
    @seed(0)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=UNCHECKED)
    @given(st.one_of([st.tuples(st.just(way), st.just(name), words) for way, name, words in questions]))
    def ask(case: tuple[str, str, dict[str, Any]]) -> None:
        way, name, words = case
        answer = commanded(everybody, who, way, name, json.dumps(words))
        assert answer.status_code < 500, f"{name} {words}: {answer.text}"

    ask()


def test_a_view_that_cannot_be_is_one_sentence(everybody: Everybody) -> None:
    for name, words, sentence in (
        ("matches", {"limit": -1}, "1 to 1,000,000 rows can be asked for, not -1"),
        ("gauntlets", {"limit": 0}, "rows can be asked for, not 0"),
        ("audit", {"limit": -1}, "rows can be asked for"),
        ("deeds", {"limit": 10**7}, "rows can be asked for"),
        ("requests", {"limit": -1, "ended": True}, "rows can be asked for"),
        ("request-matches", {"limit": -1, "request_id": 1}, "rows can be asked for"),
        ("boards", {"limit": -1}, "rows can be asked for"),
        ("whole-boards", {"limit": -1}, "rows can be asked for"),
        ("final-season", {"game": "ocean-of-code", "number": 1, "limit": -1}, "rows can be asked for"),
        ("matches", {"limit": 10**20}, "which 64 bits do not hold"),
        ("version-progress", {"version_id": 999_999}, "there is no version with the id 999999"),
        ("bots", {"game": "a\0b"}, "the character 0"),
    ):
        answer = commanded(everybody, "operator", "views", name, json.dumps(words)).json()
        assert (answer["exit_status"], sentence in answer["detail"]) == (2, True), answer


def test_an_action_that_cannot_be_is_one_sentence(everybody: Everybody) -> None:
    for name, text, sentence in (
        ("request", '{"sides": [{"bot": "kraken"}, {"bot": "wahoo"}], "battles": 0}', "1 to 1,000 battles can be"),
        ("request", '{"sides": [{"bot": "kraken"}, {"bot": "wahoo"}], "battles": -5}', "1 to 1,000 battles can be"),
        ("request", '{"sides": [], "battles": 1}', "name the versions that are to play"),
        *(
            (
                "begin-gauntlet",
                f'{{"request": {{"candidate": "kraken", "asked_by": "kim", "pairs": {pairs}}}}}',
                "1 to 1,000,000 pairs can be asked for",
            )
            for pairs in (-1, 1_000_001)
        ),
        ("rename", '{"bot": "kraken", "name": "a\\u0000b"}', "the character 0"),
        ("rename", '{"bot": "kraken", "bot": "wahoo", "name": "b"}', "the key bot twice"),
        ("rename", '{"bot": "kraken", "name": "b", "loud": 1}', "this action is not asked with loud"),
        ("rename", '{"bot": "kraken"}', "this action has to be asked with name"),
        ("rename", "{", "the body is not JSON"),
        ("rename", "[]", "the body must be a JSON object"),
        ("cancel", '{"request_id": "1"}', "this action cannot be asked with such a request_id"),
        ("close-season", '{"game": "ocean-of-code", "series": {"battles": -1, "top": 5}}', "a last series has 1 to"),
    ):
        who = "operator" if name == "close-season" else "owner"
        answer = commanded(everybody, who, "acts", name, text).json()
        assert (answer["exit_status"], sentence in answer["detail"]) == (2, True), answer


def test_only_a_submission_may_be_long(everybody: Everybody) -> None:
    long = json.dumps({"bot": "x" * 500_000, "name": "b"})
    assert [commanded(everybody, "owner", "acts", act, long).status_code for act in ("rename", "submit")] == [413, 422]


OF_WRITES = 20
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
def writing_operations(everybody: Everybody) -> list[Any]:
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
def test_whatever_is_written_nothing_breaks(everybody: Everybody, writing_operations: list[Any], who: str) -> None:
    others = {"pat", "olga"} if who in KIMS else {"kim", "pat" if who == "off duty" else "olga"}
    before = {name: all_of(everybody.pool, name) for name in others}

    @seed(0)
    @settings(max_examples=OF_WRITES, deadline=None, database=None, suppress_health_check=UNCHECKED)
    @given(st.one_of([writes(operation) for operation in writing_operations]))
    def ask(case: Any) -> None:
        answer = case.call(base_url=everybody.site.address, headers=everybody.headers_of(who))
        assert answer.status_code < 500, f"{case.method} {case.formatted_path} {case.body}: {answer.text}"
        require_as_described(case, answer)

    ask()
    if who != "operator":
        assert {name: all_of(everybody.pool, name) for name in others} == before


def writes(operation: Any) -> st.SearchStrategy[Any]:
    """What a route is asked: of something that is there or not, in ways that are described or not."""
    there = {one.name: THERE.get(one.name, "kim") for one in operation.path_parameters}
    return st.one_of(
        operation.as_strategy(path_parameters=there),
        operation.as_strategy(),
        undescribed(operation, path_parameters=there),
    )


def all_of(pool: Pool, player: str) -> str:
    return str(within(pool, one, OF_PLAYER, {"name": player})[0])
