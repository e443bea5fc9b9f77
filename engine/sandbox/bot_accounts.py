"""An account for each box that lives: the kernel counts pipes and other things for an account, not for a box.

How this works. Root has a range of uids for bots, and each box takes one that no other box has. To have a number is to
have bound a name with it in the kernel's list of abstract sockets: that is atomic among all workers of a machine, and
ends with its holder. Numbers are tried in random order, as workers in containers do not see each other's names. Where
all are taken, and where the bots have one account (an ordinary user's, or one that was chosen), boxes share it; then
their own limits are all that bounds them. The group is the same for all, as it opens the folders of programs.
"""

from __future__ import annotations

import errno
import random
import socket

from engine.boxes.bot_user import bot_uids
from engine.errors import SandboxFault, plain_words

NAME = "\0ladder-bot-account-{}"


class BotAccount:
    """The account of one box, until it is closed. `uid`: its number; None where bots run as we do."""

    def __init__(self) -> None:
        """Take one that is free, or share one. Raises SandboxFault."""
        self._held: socket.socket | None = None
        uids = bot_uids()
        self.uid = uids[0] if uids else None
        for uid in random.sample(uids, len(uids)) if len(uids) > 1 else ():
            held = _bound(uid)
            if held is not None:
                self.uid, self._held = uid, held
                return

    def close(self) -> None:
        """Give it back, once nothing runs under it. Safe to call again."""
        if self._held:
            self._held.close()
            self._held = None


def _bound(uid: int) -> socket.socket | None:
    """Return the socket that holds an account, or None where somebody else has it. Raises SandboxFault."""
    try:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    except OSError as error:
        raise SandboxFault(f"an account for a box could not be held: {plain_words(error)}") from error
    try:
        held.bind(NAME.format(uid))
    except OSError as error:
        held.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise SandboxFault(f"an account for a box could not be held: {plain_words(error)}") from error
    return held
