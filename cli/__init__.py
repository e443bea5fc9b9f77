"""What people type: each command parses its words, calls one function of the layers below and prints the answer.

main          the program; does nothing but import `run` under a Ctrl-C that is heard at once
drivers       the clients of PostgreSQL and Redis without what none of them uses
run           runs one command; the only place where an error becomes a sentence and an exit status
program       the list of commands, and the program of those that a line names
answer        what a command takes and answers, the one place that prints it, and exit statuses
context       what every command works with: settings, consoles, the way to the services
ladders       the ladder that a command speaks to: two verbs, however it is reached
services      `ladder up | down | status | worker | scheduler | db`
submit        `ladder submit`
board         `ladder board`
play          `ladder play`
cases         the cases in a bot's folder, for `ladder case` and before gauntlets
entrant       somebody who is to play: a file, a boss, a version
web           `ladder web`
demo          `ladder demo`
game          `ladder game`, `ladder new`
league        `ladder league`
transfer      `ladder export | backup | restore | prune`, `ladder import export`
imports       `ladder import`
bot           `ladder bot`
match         `ladder match`
account       `ladder player | token | audit | deeds`
hooks         `ladder hooks`
gauntlet      `ladder gauntlet`
tune          `ladder tune`
rating        `ladder rating`
season        `ladder season`
contest       `ladder contest`
simulate      `ladder simulate`
doctor        `ladder doctor`
options       options that several commands share
terminal      how anything looks
texts         what commands print, as tables and sentences
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli import cases as cases
    from cli import demo as demo
    from cli import drivers as drivers
    from cli import program as program
    from cli import run as run
else:
    __getattr__ = lazily(__name__)
