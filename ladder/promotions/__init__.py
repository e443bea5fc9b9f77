"""Who goes up a league, and who goes back.

rules      decided from a league's board alone: pure
outlook    what a version may expect: whether it goes up, and what is missing; in words too: pure
lifecycle  how versions come onto boards, leave them and change leagues
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.promotions import outlook as outlook
else:
    __getattr__ = lazily(__name__)
