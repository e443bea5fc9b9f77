"""What a hook can get, in which forms, and what can be its address. Pure."""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlsplit

from engine.errors import UsageFault
from engine.text import shortened

LONGEST_URL = 1000


class Event(StrEnum):
    """What a hook can get: see `ladder hooks add --help`."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    PROMOTED = "promoted"
    DEMOTED = "demoted"
    VERDICT = "verdict"
    DEADLINE = "deadline"
    BOSSLESS = "bossless"


PRIVATE = frozenset({Event.REJECTED})
"""What nobody is shown but the player: no hook of the ladder gets it."""
OF_LADDER = frozenset({Event.BOSSLESS})
TEST = "test"
"""The event of a notice that somebody asks for to see whether it arrives."""


class Form(StrEnum):
    """How notices are written: our own JSON, which is signed, or as Discord or Slack take a message."""

    JSON = "json"
    DISCORD = "discord"
    SLACK = "slack"


def check_url(url: str) -> None:
    """Raise UsageFault for what is no address of a web server. Whose it is, is looked at whenever a notice is sent."""
    try:
        found = urlsplit(url)
        fits = (
            found.scheme in {"http", "https"} and bool(found.hostname) and found.port != 0 and "@" not in found.netloc
        )
    except ValueError:
        fits = False
    if not fits or not url.isascii() or not url.isprintable() or " " in url or len(url) > LONGEST_URL:
        raise UsageFault(f"{shortened(url)} is no address for notices: it is to be like https://example.org/hook")
