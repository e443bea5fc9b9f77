"""What people do: one function for each thing, for any interface.

Each takes an `Actor` and what it needs of pool and queue, checks `ladder.access`, does its work in one transaction,
adds a line to the audit, asks the queue when that is committed, and returns what came of it.

How this works. `ladder --help` reads every command's module, and an action's module brings the database with it. So a
module of this package is imported when it is first asked for: commands import the package, `from ladder import
actions`, and call `actions.bots.submit`.

bots            submitting a version, putting one on the board, sending a bot back a league; names; leaving the boards
gauntlets       beginning, stopping, resuming and purging one; having some played by themselves
tunes           beginning, stopping and resuming one
matches         asking for battles and taking that back; showing one to others; taking one back
seasons         closing one; opening a contest: players, leagues and the plan of its end at once
clarifications  telling all something; questions and their answers
games           locking any, and freezing its boards; adding, changing and removing those whose referee is a program
accounts        letting people in, shutting accounts, making operators; how much players may ask for
logins          logging in and out, following a link, letting programs in
hooks           adding, trying and removing where notices go
tokens          making and revoking tokens
installation    the database, with the games' leagues and bosses; moving leagues of others in; letting workers end
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.actions import accounts as accounts
    from ladder.actions import bots as bots
    from ladder.actions import clarifications as clarifications
    from ladder.actions import games as games
    from ladder.actions import gauntlets as gauntlets
    from ladder.actions import hooks as hooks
    from ladder.actions import installation as installation
    from ladder.actions import logins as logins
    from ladder.actions import matches as matches
    from ladder.actions import seasons as seasons
    from ladder.actions import tokens as tokens
    from ladder.actions import tunes as tunes
else:
    __getattr__ = lazily(__name__)
