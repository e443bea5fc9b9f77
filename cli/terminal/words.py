"""Short texts that several commands share, and words as a shell takes them.

How this works. The clone's script `bin/ladder` hands over how it was called itself: from the clone's top that is
`bin/ladder`, by PATH or from elsewhere its whole path.

Imports inside functions: Rich takes as long to import as the rest of a short command.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from engine.boxes import NONE
from engine.text import harmless, zoned_words
from ladder.leagues.settings import Value

if TYPE_CHECKING:
    from rich.text import Text

    from ladder.ratings.frozen import BoardFreeze
    from ladder.views.boards import Frozen
    from ladder.views.contests import Timetable

CALLED_AS = "LADDER_CALLED_AS"
"""The variable in which `bin/ladder` says how it was called."""
EXAMPLE_GAME = "ocean-of-code"
"""The game of commands that are shown where none was named."""


def own_command() -> str:
    """Return what to type for this very program: `ladder` where PATH leads to it, else as it was called."""
    called = os.environ.get(CALLED_AS, sys.argv[0])
    on_path = shutil.which("ladder")
    if on_path is not None and os.path.realpath(on_path) == os.path.realpath(called):
        return "ladder"
    return quote(called if CALLED_AS in os.environ else str(Path(called).absolute()))


def next_commands(purposes: Mapping[str, str], program: str = "") -> str:
    """Return commands to type next, a line each. `purposes`: what for, by the words; `program`: its name."""
    commands = {f"{program or own_command()} {words}": purpose for words, purpose in purposes.items()}
    width = max(map(len, commands))
    return "\n".join(f"  {command:{width}}  {purpose}" for command, purpose in commands.items())


def quoted(words: Text | str) -> Text:
    """Return words of a bot or compiler as a text printed as it is: no markup, control characters visible."""
    from rich.text import Text

    if isinstance(words, str):
        return Text(harmless(words))
    visible = words.copy()
    visible.plain = harmless(words.plain)
    return visible


def moment_text(moment: Value, otherwise: str = "open") -> str:
    """Write a moment, as when a league opens, in this machine's time."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else otherwise


def frozen_text(frozen: Frozen) -> str:
    return f"frozen since {zoned_words(frozen.since)}: {frozen.meaning}"


def freeze_text(board: BoardFreeze) -> str:
    begins = f"{'since' if board.has_begun else 'from'} {zoned_words(board.frozen_from)}"
    until = f"`ladder board --game {board.game} --thaw`"
    return f"the boards of {board.game} are frozen {begins}: all but operators see them as of then until {until}"


def contest_text(timetable: Timetable) -> str:
    """Say in one line when a contest begins or ends, and since when its boards are frozen."""
    turns = zoned_words(timetable.turns_at)
    says = {
        "to come": f"contest: begins {turns} (in {timetable.left})",
        "on": f"contest: until {turns} ({timetable.left} left)",
        "ending": f"contest: over since {turns}, and what lacks is played",
    }[timetable.state]
    if timetable.frozen_from is None:
        return says
    return f"{says}; boards frozen {'since' if timetable.is_frozen else 'from'} {zoned_words(timetable.frozen_from)}"


def sandbox_text(tier: str) -> str:
    """Say in which tier a match was played; plainly where that contains nothing."""
    return "sandbox NONE: nothing contained these bots" if tier == NONE else f"sandbox {tier}"


def milliseconds(time_us: int | None) -> str:
    return "?" if time_us is None else f"{time_us / 1000:.2f} ms"


def indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))
