"""A match turn by turn.

match          one match, with all that is stored of it, turn by turn, or judged again by another rule
watched_match  a match as it can be looked at, as JSON too, and two beside each other; one played here without a ladder
lost_matches   in which turns a match was lost; of many lost matches, of what a bot dies
transitions    each turn as the states before and after it, and what was said between them
rows           the turns of a match, one row for each; matches that this machine has just played
table          ... of all matches, as a table for other programs
local          matches that it played before: in a list, and in detail
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.views.turns import local as local
    from ladder.views.turns import lost_matches as lost_matches
    from ladder.views.turns import match as match
    from ladder.views.turns import rows as rows
    from ladder.views.turns import table as table
    from ladder.views.turns import transitions as transitions
    from ladder.views.turns import watched_match as watched_match
else:
    __getattr__ = lazily(__name__)
