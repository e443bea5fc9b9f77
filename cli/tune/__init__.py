"""`ladder tune`: which numbers should a bot play with?

local     `run --local` and the file that it leaves: played at once by this process, without services
commands  `run`: begins a tune, and follows it; `show`, `list`, `stop` and `resume`
output    how a tune stands, as it is printed
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.tune import local, output
else:
    __getattr__ = lazily(__name__)

__all__ = ["local", "output"]
