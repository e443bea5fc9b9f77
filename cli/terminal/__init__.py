"""How anything looks in a terminal.

table             tables that fit: numbers are never cut
steps             the progress of long work; pictures that are drawn anew in their place
words             short texts that several commands share
harmless_console  a console that emits no control character but its own
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.terminal import harmless_console as harmless_console
    from cli.terminal import steps as steps
    from cli.terminal import table as table
    from cli.terminal import words as words
else:
    __getattr__ = lazily(__name__)
