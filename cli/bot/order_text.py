"""The sentence about a version that may be stronger than the boss that it ranks below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.promotions.rules import OpenOrder


def open_order_text(order: OpenOrder, version: str) -> str:
    """Say that a version may be stronger than the boss that it ranks below, and what becomes of that."""
    known = f"{version} ranks below {order.boss}, but is the stronger one with {100 * order.chance:.0f} %"
    if order.plays_on:
        return (
            f"{known}: it plays on against it until it ranks above or is the weaker one with 95 %, up to "
            f"{order.most_battles} battles (it has {order.battles})"
        )
    return (
        f"{known}: it has had all its battles, {order.battles}; more of them would settle that (`battles` in the file "
        "of `ladder league apply`)"
    )
