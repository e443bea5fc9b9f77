"""Ratings: the models, the ledger, the standings, and questions to them.

models       the rating systems, behind one interface; how far the matches that are left can move a rating: pure
trueskill    TrueSkill by itself: the update of one match, and of one with many players
ledger       a line per match and version, in a total order
standings    each version's rating and counts in its league, and what the ledger must add up to
counts       a record: how often a version played, won and so on
replay       matches rated again: can the ledger be trusted? And rating a league anew
settled_fit  where versions stand, and how likely above their boss, by a fit of all matches at once
explanation  how a bot did against each opponent, by seat, and why a version ranks where it does
frozen       boards that everybody but operators sees as they were at a moment, and what became of these
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.ratings import settled_fit as settled_fit
    from ladder.ratings import standings as standings
else:
    __getattr__ = lazily(__name__)
