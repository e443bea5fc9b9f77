"""What routes answer is what their description says, whatever they are asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.serving import KEY, Served

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import APIOperation

GAME = "ocean-of-code"
THERE = {"game": GAME, "league": "wood-2", "bot": "kraken", "number": 1, "seat": 0}
"""What there is on the small ladder, for each part of a path."""
EXAMPLES = 300
CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def description(site: Served) -> dict[str, Any]:
    """The description of all routes, but for the one whose answer never ends."""
    found: dict[str, Any] = site.get("/api/v1/openapi.json").json()
    del found["paths"]["/api/v1/events"]
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
    """All that a description leads to."""
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


def test_whatever_is_asked_the_answer_is_as_described(site: Served, description: dict[str, Any]) -> None:
    """Of what there is and of what there is not, with parameters as described and with others."""
    schema = schemathesis.openapi.from_dict(description)
    asked: set[tuple[str, int]] = set()

    @seed(0)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of([questions(found.ok()) for found in schema.get_all_operations()]))
    def ask(case: Case) -> None:
        answer = case.call(base_url=site.address, headers={"Authorization": f"Bearer {KEY.text}"})
        assert answer.status_code < 500, f"{case.formatted_path} {case.query}: {answer.text}"
        case.validate_response(answer, checks=CHECKS)
        asked.add((case.operation.path, answer.status_code))

    ask()
    answered = {path for path, status in asked if status == 200}
    assert answered >= set(description["paths"]) - {path for path in description["paths"] if is_missing(path)}


def is_missing(path: str) -> bool:
    """Whether the small ladder has nothing at a path: no gauntlet, no closed season."""
    return "/gauntlets/{number}" in path or path.endswith("/seasons/{number}")


def questions(operation: APIOperation[Any, Any, Any]) -> st.SearchStrategy[Case]:
    """What an operation is asked: of something that is there or not, in ways that are described or not."""
    there = {parameter.name: THERE[parameter.name] for parameter in operation.path_parameters}
    query = {"a": "kraken"} if operation.path.endswith("/versus") else {}
    return st.one_of(
        operation.as_strategy(path_parameters=there, query=query),
        operation.as_strategy(path_parameters=there),
        operation.as_strategy(),
        operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
    )


@pytest.mark.parametrize("name", ["GauntletInDetail", "ComparisonInDetail", "FinalRow"])
def test_what_the_small_ladder_lacks_is_described_too(description: dict[str, Any], name: str) -> None:
    schema = description["components"]["schemas"][name]
    assert "conclusion" in schema["properties"] or "rank" in schema["properties"], json.dumps(schema)
