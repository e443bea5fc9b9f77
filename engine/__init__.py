"""What happens in one match. Imports nothing else of the project.

match         the loop that leads a match: the referee asks, the seats answer
live          a match between bots that run, in their boxes; the trial of a new version against itself
conversation  the words of a match: its seats, what a referee asks, hears and decides; how matches ended
game          what a game brings with it
frames        what a game may bring so that people can see its matches
games         where games come from, golden records, and the shipped games
referees      referees that are programs of their own
records       recorded matches of referee programs: put to them once more, and as files
conformance   the kit that every game passes
new_bot       the folder of a new bot: a game's starter, `ladder.toml`, a README
new_game      the skeleton of a new game
bot           a live bot: its bytes, its time, its end
boxes         the terms of boxes: limits, tiers, paths inside
sandbox       boxes that hold whatever a program does
toolchains    from a source to a program
gym           the games as environments for bots that learn
replay        a match turn by turn: states, events, what each seat could know
rejudge       how a match would have ended under another rule for time
series        many matches on this machine, without services
parallel      work in several processes
lazy          packages whose modules are imported when they are first asked for
cores         one core per match
workspace     where sources and built bots are kept
machine       how long to wait on a busy machine; the account of this process; a file, up to a size
interrupts    Ctrl-C: ending at once, and the ways to put it off
immutable     data classes whose objects never change, made in less time
errors        the errors of the project, by what their reader can do
text          text as referees read it, and as we quote it
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from engine import live as live
    from engine import new_bot as new_bot
    from engine import parallel as parallel
else:
    __getattr__ = lazily(__name__)
