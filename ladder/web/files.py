"""A page as one file: it needs no network, runs no script and leads nowhere.

How this works. The templates are those of the pages. In a file no address is known but those of files beside it, so
their macros write words where pages have links, and the frame holds the style sheet itself. A Content-Security-Policy
lets nothing style the page but that sheet, by its hash, and allows no request at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from ladder.viewer.page import hash_of
from ladder.web.shown import STATIC, environment


class Nowhere:
    """Stands in for the addresses of pages: none is known."""

    def __getattr__(self, name: str) -> Callable[..., str]:
        return lambda *_, **__: ""


NOWHERE = Nowhere()
BOARDS_FILE = "boards.html"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True)
class InFolder(Nowhere):
    """Addresses in a folder with the boards and files of `players`. `up`: how a file's own folder leads there."""

    up: str = ""
    players: frozenset[str] = frozenset()

    def player(self, name: str) -> str:
        return f"{self.up}{quote(players_file(name))}" if name in self.players else ""

    def boards(self) -> str:
        return f"{self.up}{BOARDS_FILE}" if self.up else ""


def players_file(name: str) -> str:
    return f"players/{UNSAFE.sub('-', name).lower()}.html"


def file_of(name: str, place: Nowhere = NOWHERE, /, **values: Any) -> str:
    return templates(place).get_template(name).render(values, written_at=datetime.now(UTC)) + "\n"


@lru_cache(maxsize=4)
def templates(place: Nowhere) -> Environment:
    made = environment().overlay()
    style = (STATIC / "style.css").read_text("utf-8")
    made.globals = {
        **made.globals,
        "to": place,
        "frame": "file.html",
        "style": Markup(style),  # noqa: S704 - it is ours
        "policy": f"default-src 'none'; style-src {hash_of(style)}; base-uri 'none'; form-action 'none'",
    }
    return made
