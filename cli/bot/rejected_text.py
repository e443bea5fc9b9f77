"""The words about a version that was rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.bots.versions import Version


def league_text(version: Version, league: str) -> str:
    """Say in which league a rejected version would have begun, by whose rules it was tried, and what prints them.

    And how a bot begins in a higher one.
    """
    return (
        f"it would have begun in {league}: `ladder game show {version.game} --bot {version.bot}` prints the rules of "
        "that league. A bot that is made for a higher one begins there by `ladder submit --league NAME`, which on a "
        "served ladder is for operators"
    )
