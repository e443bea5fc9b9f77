"""The two routes of our own commands: whatever they are asked, no fault of ours, and bad input is one sentence."""

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import httpx
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from engine.game import Games
from ladder import codec
from ladder.contract import READS, WRITES, function_of
from ladder.leagues.file import LeagueFile
from tests.web.everybody import Everybody
from tests.web.test_api_schema import UNCHECKED

EXAMPLES = 75
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


def asked(everybody: Everybody, who: str, way: str, name: str, text: str | bytes) -> httpx.Response:
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
        answer = asked(everybody, who, way, name, json.dumps(words))
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
        answer = asked(everybody, "operator", "views", name, json.dumps(words)).json()
        assert (answer["exit_status"], sentence in answer["detail"]) == (2, True), answer


def test_an_action_that_cannot_be_is_one_sentence(everybody: Everybody) -> None:
    for name, text, sentence in (
        ("request", '{"sides": [{"bot": "kraken"}, {"bot": "wahoo"}], "battles": 0}', "1 to 1,000 battles can be"),
        ("request", '{"sides": [{"bot": "kraken"}, {"bot": "wahoo"}], "battles": -5}', "1 to 1,000 battles can be"),
        ("request", '{"sides": [], "battles": 1}', "name the versions that are to play"),
        (
            "begin-gauntlet",
            '{"request": {"candidate": "kraken", "asked_by": "kim", "pairs": -1}}',
            "pairs can be asked",
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
        answer = asked(everybody, who, "acts", name, text).json()
        assert (answer["exit_status"], sentence in answer["detail"]) == (2, True), answer


def test_only_a_submission_may_be_long(everybody: Everybody) -> None:
    long = json.dumps({"bot": "x" * 500_000, "name": "b"})
    assert [asked(everybody, "owner", "acts", name, long).status_code for name in ("rename", "submit")] == [413, 422]
