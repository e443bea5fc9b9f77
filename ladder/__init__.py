"""What is true: players, bots, versions, leagues, matches and ratings, in PostgreSQL. Knows no queue, no terminal.

web          what people look at in a browser, and the same as JSON
actions      what people do: one function for each
contract     what can be read and done: one row for each, which all interfaces follow
codec        a view as bytes between two processes of ours, every field as it is, and back
flows        transactions that tie several concepts together: start with `flows.submission`
viewer       a match as one HTML file that needs no network
views        what is read, ready for any screen
transfer     a whole ladder as files
imports      moving in from another league manager
tuning       the values of a bot's parameters with which it plays best
gauntlets    is one version better than others?
notices      what players and operators are told by webhooks
seasons      closing them, their last series, their final boards
promotions   who goes up a league, and who goes back
matchmaking  who plays whom
ratings      the models, the ledger, the standings
matches      from the row that waits to the record of what was played
bots         players, their bots, and the versions of these
games        games whose referee is a program: folders in the database
leagues      leagues and their settings
fleet        the workers that live, and what they can do
database     the way to PostgreSQL
statistics   what results say: pure mathematics
plots        plots as texts of SVG
quotas       how much a player may ask for
accounts     what lets people and programs in, and who operates the ladder
access       who may do what: one table
visibility   who sees what of a served ladder
event_log    what the processes of a ladder write into their logs
health       whether the processes that run here are well
audit        what was done: a line for each write
queue        the doorbell by which workers hear of work; workers implement it
names        what people call a version: `kraken@v3`
row_limits   how many rows of a list can be asked for at once
ids          the numbers by which rows are known, each kind with its own type
choices      the words among which rows and settings choose
settings     settings from the environment
retention    for how long things are kept, and how much: settings, too
version      which Ladder this is, and which others it understands
errors       what the ladder adds to the errors of the engine
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder import audit as audit
    from ladder import bots as bots
    from ladder import database as database
    from ladder import games as games
    from ladder import gauntlets as gauntlets
else:
    __getattr__ = lazily(__name__)
