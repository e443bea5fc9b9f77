"""`ladder play`: matches on this machine, with no services at all.

command          the command and its options
series           who plays: files, bosses, versions; playing the matches of a series, and keeping them
ladder_versions  versions of the ladder as players
losses           the matches that were lost: named, kept, opened; where a new bot loses and the old one does not
practice         `ladder case | dev`, `ladder match rematch`: the commands
entry            a file that enters a recorded match
workshop         what `ladder dev` does at each save, and how its screen looks
texts            how a match and a series look in a terminal
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.play import entry, ladder_versions, series, texts, workshop
else:
    __getattr__ = lazily(__name__)

__all__ = ["entry", "ladder_versions", "series", "texts", "workshop"]
