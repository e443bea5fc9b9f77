"""The words about a version that was rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.bots.versions import Version


def league_text(version: Version, league: str) -> str:
    """Say in which league a rejected version would have begun, by whose rules it was tried, and what prints them."""
    return (
        f"it would have begun in {league}: `ladder game show {version.game} --bot {version.bot}` prints the rules of "
        "that league"
    )
