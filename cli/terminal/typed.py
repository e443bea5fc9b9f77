"""How this program is typed where the person is, and lists of commands to type next.

How this works. The clone's script `bin/ladder` hands over how it was called itself: from the clone's top that is
`bin/ladder`, by PATH or from elsewhere its whole path.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

CALLED_AS = "LADDER_CALLED_AS"
"""The variable in which `bin/ladder` says how it was called."""
EXAMPLE_GAME = "ocean-of-code"
"""The game of commands that are shown where none was named."""


def own_command() -> str:
    """Return what to type for this very program: `ladder` where PATH leads to it, else as it was called."""
    called = os.environ.get(CALLED_AS, sys.argv[0])
    found = shutil.which("ladder")
    if found is not None and os.path.realpath(found) == os.path.realpath(called):
        return "ladder"
    return quote(called if CALLED_AS in os.environ else str(Path(called).absolute()))


def next_commands(purposes: Mapping[str, str], program: str = "") -> str:
    """Return commands to type next, a line each.

    `purposes`: what each is for, by its words after the program's name; `program`: that name, if not `own_command`.
    """
    commands = {f"{program or own_command()} {words}": purpose for words, purpose in purposes.items()}
    width = max(map(len, commands))
    return "\n".join(f"  {command:{width}}  {purpose}" for command, purpose in commands.items())
