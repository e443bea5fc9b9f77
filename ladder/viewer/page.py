"""The file of a match: what is in it, and what it may do.

How this works. The matches are JSON (see `ladder.views.turns.replay_data`), packed by gzip and base64; the browser
unpacks them. A Content-Security-Policy in the page lets nothing run but the one script and nothing style it but the
one style sheet, both by their hashes, and allows no request at all. Text of bots is in the packed part, and comes into
the page as text alone (the policy lets no script make markup of it), or it is escaped here.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from string import Template
from typing import Any

from engine.bot.clock import whose_fault
from engine.game import Game
from engine.replay import ReplayTurn
from ladder.viewer.plainly import command_of, result_of, table_of, title_of
from ladder.viewer.script import ASSETS, script_of
from ladder.viewer.style import style_of_page
from ladder.views.turns.comparison import compare
from ladder.views.turns.replay_data import replay_data
from ladder.views.turns.watched import WatchedMatch

MOST_MATCHES = 2
"""As many are shown beside each other."""


def page_of(matches: Sequence[WatchedMatch], game: Game | None) -> str:
    """Return the page of a match, or of two on one seed beside each other. `game`: None for a page without pictures.

    Raises UsageFault for two that do not compare, GameFault for a drawing that cannot be used.
    """
    style, script = style_of_page(), script_of(game)
    return Template((ASSETS / "page.html").read_text("utf-8")).substitute(
        policy=policy_of(style, script),
        title=" | ".join(title_of(match) for match in matches),
        style=style,
        results="\n".join(result_of(match, level=1 if index == 0 else 2) for index, match in enumerate(matches)),
        tables="\n".join(table_of(match) for match in matches),
        data=packed(page_data(matches)),
        script=script,
    )


def page_data(matches: Sequence[WatchedMatch]) -> dict[str, Any]:
    """Return what the page's script reads."""
    parting = compare(*matches).parting if len(matches) == MOST_MATCHES else None
    return {
        "matches": [match_data(match) for match in matches],
        "parting": None if parting is None else {"turn": parting.turn, "seat": parting.seat},
    }


def match_data(watched: WatchedMatch) -> dict[str, Any]:
    """Return a match with what people call it."""
    return {
        "name": watched.name,
        "command": command_of(watched),
        "ending": watched.ending,
        "faults": [fault_of(turn) for turn in watched.replay.turns],
        "replay": replay_data(watched),
    }


def fault_of(turn: ReplayTurn) -> str:
    """Say whose fault it was that a turn took longer than its limit; "" where it did not, or none is known."""
    return "" if turn.limit_ms is None else whose_fault(turn.spent, turn.limit_ms)


def packed(data: object) -> str:
    """Return data as base64 of gzip of JSON; the same data give the same text."""
    text = json.dumps(data, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def policy_of(style: str, script: str) -> str:
    """Return the page's Content-Security-Policy."""
    rules = (
        "default-src 'none'",
        f"script-src {hash_of(script)}",
        f"style-src {hash_of(style)}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    )
    return "; ".join(rules)


def hash_of(text: str) -> str:
    """Return the hash by which a policy allows an inline script or style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
