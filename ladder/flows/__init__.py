"""Transactions that tie several concepts together.

submission  a version: stored, built, tried, let onto the board or rejected
scheduling  promotions, new matches, and the sweep after lost workers
departure   bots that are retired, or disqualified and reinstated
recording   a match's result, ratings and ledger lines: all or nothing
pruning     what is old is let go, some hundred matches at a time
games       games of the ladder as they come, change and go; leagues and their bosses
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.flows import submission as submission
else:
    __getattr__ = lazily(__name__)
