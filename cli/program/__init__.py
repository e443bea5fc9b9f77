"""The program: which commands there are, and how it is put together from those that a command line names.

command_list  where each command is found, what lists say of it, which are about this machine
assembly      the program of one command line: what that does not name is not imported; completion
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.program import assembly as assembly
else:
    __getattr__ = lazily(__name__)
