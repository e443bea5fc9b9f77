"""What routes answer is what their description says, whatever they are asked."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.web.a_busy_ladder import BusyLadder
from tests.web.everybody import THERE
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
    used = set(references(description))
    assert used == {f"#/components/schemas/{name}" for name in schemas}
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
        case = operation.Case(path_parameters=there(operation), query=QUERIES.get(operation.path, {}))
        answer = asked(site, case)
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
