"""`ladder play`: matches on this machine, with no services at all.

command  the command and its options
options  its options
stored   ... and versions of the ladder
series   who plays: files, bosses, versions; which matches of a series are played, and playing them
keeping  what is kept of each match, and written as files of each
losses   the matches that were lost: named, kept, opened
page     a match that was just played as a page, and in the terminal view
worse    where a new bot loses and the old one does not
rematch  `ladder match rematch`: the command
entry    a file that enters a recorded match
case     `ladder case`
dev      `ladder dev`: the command
workshop  what `ladder dev` does at each save, and how its screen looks
texts    how a match and a series look in a terminal
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.play import entry, page, series, stored, texts, workshop
else:
    __getattr__ = lazily(__name__)

__all__ = ["entry", "page", "series", "stored", "texts", "workshop"]
