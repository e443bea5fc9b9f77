"""`ladder match`: what was played, how it went, and asking for more.

show         `show`, `rejudge` and `void`: one match, and those that were played here; `input` and `compare`: what a
             seat was sent, and where two matches part
listing      `list`: the latest matches, or those that its options pick, for other commands too
losses       `ladder losses`: of what a bot dies
transitions  `transitions`: each turn as what was before and after it; which matches are meant, one after the other
view         `view`: a match turn by turn, in the terminal
official     `import`: matches of the official site, from files as players save them
request      battles that somebody asks for
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.match import show, transitions, view
else:
    __getattr__ = lazily(__name__)

__all__ = ["show", "transitions", "view"]
