"""What is read, ready for any screen: frozen dataclasses and the functions that fill them from a connection.

encoding         any view as plain values, as JSON, CSV, Parquet
boards           the leaderboards, whole, page by page, or with those that have left them
bots             bots with their versions, sources and opponents, why one stands where it does; one player's bots
timing           what a version's turns took
matches          matches in lists, with their seats
match_search     matches that a filter picks: looked for in steps that stay quick, or all as a stream
requests         battles that were asked for
turns            one match in detail and turn by turn: as just played, judged again, looked at again
gauntlets        what gauntlets have found, and which ones are played by themselves
tunes            what tunes have found
seasons          seasons, their last series, their final boards
leagues          leagues with their settings, and what a league file has changed
ratings          how a rating has moved, whether the ledger holds, and other boards than the live ones
fleet            what runs and what waits
metrics          what a ladder measures for those who watch it by programs
progress         how far the ladder is, and one version on its way to its rank
summary          what happened on a ladder, event by event and in numbers
pair_statistics  what counts of pairs say
games            the games, their leagues and maps
contests         a contest: its rules, its players, its results
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.views import boards as boards
    from ladder.views import bots as bots
    from ladder.views import contests as contests
    from ladder.views import encoding as encoding
    from ladder.views import fleet as fleet
    from ladder.views import games as games
    from ladder.views import gauntlets as gauntlets
    from ladder.views import leagues as leagues
    from ladder.views import matches as matches
    from ladder.views import pair_statistics as pair_statistics
    from ladder.views import progress as progress
    from ladder.views import ratings as ratings
    from ladder.views import requests as requests
    from ladder.views import seasons as seasons
    from ladder.views import summary as summary
    from ladder.views import tunes as tunes
    from ladder.views import turns as turns
else:
    __getattr__ = lazily(__name__)
