"""TOML as text: written anew, or with some values of a file changed and all its comments kept."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from engine.errors import GameFault

Value: TypeAlias = bool | int | float | str | list[Any] | tuple[Any, ...]

TABLE_BEGINS = re.compile(r"[ \t]*\[")


def literal(value: Value) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def key_text(key: str) -> str:
    """Return a key as TOML writes it: bare where it may be."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else literal(key)


def lines_of(values: Mapping[str, Value]) -> Iterable[str]:
    """Give a line for each key."""
    return (f"{key_text(key)} = {literal(value)}" for key, value in values.items())


def with_values(text: str, table: str, values: Mapping[str, Value]) -> str:
    """Return a file with some keys of a table changed or added; table "" is the file's own. Comments stay.

    Raises GameFault where the file is written in a way in which a key cannot be found.
    """
    lines = text.splitlines()
    begin, end = bounds(lines, table)
    for key, value in values.items():
        line = f"{key_text(key)} = {literal(value)}"
        found = [at for at in range(begin, end) if re.match(rf"[ \t]*{re.escape(key)}[ \t]*=", lines[at])]
        if found:
            lines[found[0]] = line
        else:
            lines.insert(begin, line)
            end += 1
    changed = "\n".join(lines) + "\n"
    check_changed(text, changed, table, values)
    return changed


def bounds(lines: list[str], table: str) -> tuple[int, int]:
    """Return the first line within a table, and the line behind its last."""
    starts = [at for at, line in enumerate(lines) if TABLE_BEGINS.match(line)]
    if not table:
        return first_key(lines), starts[0] if starts else len(lines)
    for at in starts:
        if re.match(rf"[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", lines[at]):
            return at + 1, next((other for other in starts if other > at), len(lines))
    lines += ["", f"[{table}]"]
    return len(lines), len(lines)


def first_key(lines: list[str]) -> int:
    """Return the first line that is neither empty nor a comment: what a file says of itself stays above."""
    return next((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), len(lines))


def check_changed(before: str, after: str, table: str, values: Mapping[str, Value]) -> None:
    """Raise GameFault unless the change is what was meant, and nothing else."""
    wanted = tomllib.loads(before)
    place = wanted.setdefault(table, {}) if table else wanted
    place.update({key: list(value) if isinstance(value, tuple) else value for key, value in values.items()})
    try:
        is_right = tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        names = ", ".join(values)
        raise GameFault(f"game.toml cannot be changed by itself: give each of these keys a line of its own: {names}")
