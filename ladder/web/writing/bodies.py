"""JSON that a program sends, read without doubts: no key twice, none that is unknown, nothing out of range."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from engine.errors import UsageFault
from engine.text import listed, shortened
from ladder.ids import LARGEST_ID
from ladder.web.problems import misuse_sentence

T = TypeVar("T")
MOST_DIGITS = 30
"""More of a number say nothing new: 64 bits hold no number of so many."""
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""Nothing is taken for something else."""


class Body:
    """What the dataclasses of bodies have in common."""

    __slots__ = ()
    __pydantic_config__ = STRICT


def read_body(kind: type[T], body: bytes) -> T:
    given = read_object(body, names_of(kind))
    unknown = sorted(given.keys() - set(names_of(kind)))
    if unknown:
        raise UsageFault(f"the body has the unknown key {shortened(unknown[0])}; it can have {listed(names_of(kind))}")
    try:
        return TypeAdapter(kind).validate_json(body)
    except ValidationError as error:
        raise UsageFault(misuse_sentence(error.errors(), 0)) from error


def read_object(body: bytes, names: Sequence[str] = ()) -> dict[str, Any]:
    """Read a JSON object, whose texts a database can hold. `names`: the keys that it can have. Raises UsageFault."""
    given = read_json(body)
    if not isinstance(given, dict):
        raise UsageFault(f"the body must be a JSON object{f' with {listed(names)}' if names else ''}")
    if holds_nul(given):
        raise UsageFault("the body holds the character 0, which no text of a ladder can hold")
    return given


def names_of(kind: type) -> list[str]:
    return [one.name for one in fields(kind)]


def read_json(body: bytes) -> Any:
    """Read JSON in UTF-8, in which no key comes twice. Raises UsageFault."""
    try:
        text = body.decode()
        found = json.loads(
            text,
            object_pairs_hook=without_doubles,
            parse_constant=refuse_constant,
            parse_int=whole_number,
            parse_float=real_number,
        )
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise UsageFault(f"the body is not UTF-8: byte {error.start + 1} cannot stand there") from error
    except UnicodeEncodeError as error:
        raise UsageFault("the body holds half a sign, which no text in UTF-8 can hold") from error
    except json.JSONDecodeError as error:
        raise UsageFault(f"the body is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise UsageFault("the body is nested too deep") from error
    return found


def holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return holds_nul(list(value)) or holds_nul(list(value.values()))
    return isinstance(value, list) and any(map(holds_nul, value))


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UsageFault(f"the body has the key {shortened(key)} twice")
        found[key] = value
    return found


def whole_number(digits: str) -> int:
    number = int(digits[:MOST_DIGITS])
    if not -LARGEST_ID - 1 <= number <= LARGEST_ID:
        raise UsageFault(f"the body holds the number {shortened(digits)}, which 64 bits do not hold")
    return number


def real_number(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise UsageFault(f"the body holds the number {shortened(digits)}, which is too large")
    return number


def refuse_constant(word: str) -> Any:
    raise UsageFault(f"the body is not JSON: {word} is not a number")
