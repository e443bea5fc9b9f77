"""How much a player may ask for: pure rules, what was used, and what refuses more. Somebody alone has no quotas.

rules   what there are quotas for, how many by default, and when more is possible again
quotas  everybody's and each player's own, what is used of them, what refuses more; games that are locked
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.quotas import quotas as quotas
else:
    __getattr__ = lazily(__name__)
