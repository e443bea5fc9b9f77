"""Where things are for a program in a box, whichever sandbox makes it."""

from __future__ import annotations

BOT_FOLDER = "/bot"
OUT_FOLDER = "/out"
PATH_INSIDE = "/usr/local/bin:/usr/bin:/bin"
