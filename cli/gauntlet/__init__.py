"""`ladder gauntlet`: is this version better than the ones before it?

run       `run`: begins a gauntlet, and follows it; `auto`: one whenever a version is submitted; their options
local     `run --local`: one of files and stored versions, played at once by this process, without services
commands  `list`, `show`, `stop`, `resume` and `purge`; `stats`: what counts of pairs say
files     a gauntlet as files: JUnit XML, pages
output    how it goes and its result, as they are printed
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.gauntlet import files, local, output
else:
    __getattr__ = lazily(__name__)

__all__ = ["files", "local", "output"]
