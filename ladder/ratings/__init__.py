"""Ratings: the models, the ledger, the standings, and questions to them.

models           the rating systems, behind one interface
rating_bounds    how far the matches that are left can move a rating: pure
trueskill        TrueSkill by itself: the update of one match, and of one with many players
ledger           a line per match and version, in a total order
standings        each version's rating and counts in its league, and what the ledger must add up to
counts           a record: how often a version played, won and so on
rerate           rating matches again, in a given order: pure
verify           can the ledger be trusted?
rewrite          rating a league again
settled_board    a board by a fit of all matches at once
settled_chances  how likely versions are above their boss by that fit
settled_ranks    where versions stand on boards that rank by that fit
versus           how a bot did against each opponent, by seat
explain          why a version ranks where it does
frozen           boards that everybody but operators sees as they were at a moment
resolution       what became of these
"""
