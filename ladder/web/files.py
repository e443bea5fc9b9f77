"""A page as one file: it needs no network, runs no script and leads nowhere.

How this works. The templates are those of the pages. In a file no address is known, so their macros write words where
pages have links, and the frame holds the style sheet itself. A Content-Security-Policy lets nothing style the page but
that sheet, by its hash, and allows no request at all.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from ladder.web.shown import STATIC, environment


class Nowhere:
    """Stands in for the addresses of pages: none is known."""

    def __getattr__(self, name: str) -> Callable[..., str]:
        """Return the function that finds no address."""
        return lambda *_, **__: ""


def file_of(name: str, /, **values: Any) -> str:
    """Return the page that a template makes, as the text of a file."""
    return templates().get_template(name).render(values, written_at=datetime.now(UTC)) + "\n"


@cache
def templates() -> Environment:
    """Return the pages' templates, for files."""
    made = environment().overlay()
    style = (STATIC / "style.css").read_text("utf-8")
    made.globals = {
        **made.globals,
        "to": Nowhere(),
        "frame": "file.html",
        "style": Markup(style),  # noqa: S704 - it is ours
        "policy": policy_of(style),
    }
    return made


def policy_of(style: str) -> str:
    """Return the Content-Security-Policy of a file with that style sheet."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
