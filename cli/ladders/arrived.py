"""Which command shows whether something has arrived, where a server has not answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMMANDS: Mapping[str, str] = {
    "submit": "bot show {submission.bot}",
    "activate": "bot show {bot}",
    "rewind": "bot show {bot}",
    "retire": "bot show {bot}",
    "rename": "bot show {bot}",
    "disqualify": "bot show {bot}",
    "reinstate": "bot show {bot}",
    "request": "match requests --all",
    "cancel": "match requests --all",
    "begin-gauntlet": "gauntlet list",
    "stop-gauntlet": "gauntlet show {gauntlet_id}",
    "resume-gauntlet": "gauntlet show {gauntlet_id}",
    "purge-gauntlet": "gauntlet show {gauntlet_id}",
    "automate": "gauntlet auto",
    "end-automatic": "gauntlet auto",
    "void-match": "match show {match_id}",
    "share-match": "match shares",
    "revoke-share": "match shares",
    "revoke-token": "token list",
    "close-season": "season show {game}",
    "plan-season": "season show {game}",
    "drop-plan": "season show {game}",
    "apply-leagues": "league show {file.game}",
}
"""By the name of an action, with what it is asked with; `ladder audit` for all others."""


def command_for(action: str, given: Mapping[str, Any]) -> str:
    """Return the command that shows whether an action has happened."""
    return f"ladder {COMMANDS.get(action, 'audit --limit 5').format_map(given)}"
