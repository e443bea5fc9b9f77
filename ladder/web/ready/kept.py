"""Pages that were made lately, for all who ask for the same while nothing has changed.

How this works. When a match is recorded, all who follow its league ask for the same page at once. A page is kept with
the moment of the database that it was made of (see `ladder.database.moment`), and is given to those alone who ask in a
transaction that sees the same moment. So nothing has to say that a page is out of date, and none ever is shown.
"""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

MOST_PAGES = 32
"""Of at most some 80 kB each: boards with fifty versions on them and fifty that have left."""


class KeptPages:
    """The pages that were asked for last. Threads share them."""

    def __init__(self) -> None:
        self._pages: dict[Hashable, tuple[str, bytes]] = {}
        self._lock = Lock()

    def find(self, asked: Hashable, moment: str | None) -> bytes | None:
        """Return the page that was made at that moment for somebody who asked for the same; None if there is none."""
        kept = self._pages.get(asked)
        return kept[1] if kept is not None and kept[0] == moment else None

    def keep(self, asked: Hashable, moment: str | None, page: bytes) -> None:
        """Keep a page in place of the one before, and of the oldest where there are too many."""
        if moment is None:
            return
        with self._lock:
            self._pages.pop(asked, None)
            self._pages[asked] = moment, page
            if len(self._pages) > MOST_PAGES:
                del self._pages[next(iter(self._pages))]
