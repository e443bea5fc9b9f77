"""How many battles a version gets: bounds that follow from its league's number of battles."""

from __future__ import annotations

SURE_BATTLES = 10
"""From this many battles on a version goes up as soon as it is sure that it is stronger than the boss."""
SETTLING_TIMES = 4
"""A version plays on to this many times its own battles at most, to settle its order with the boss or a neighbour..."""
MOST_SETTLING = 50
"""... and to no more than this many in all, ..."""
LEAST_SETTLING_TIMES = 2
"""... but to this many times its own where those are more: so in no league a rank is final while it is open."""


def most_battles_with_boss(battles: int) -> int:
    """Return how many of its own battles a version plays against the boss at most."""
    return (battles + 1) // 2


def most_battles_to_settle(battles: int) -> int:
    """Return up to how many battles a version plays on while an order is open. `battles`: its own.

    The order is that with the boss or a neighbour. Where versions have few battles, chance decides much, and a few more
    decide it well; where they have many, some rise by luck while they play on, so it is no more than as many again.
    """
    return max(min(SETTLING_TIMES * battles, MOST_SETTLING), LEAST_SETTLING_TIMES * battles)
