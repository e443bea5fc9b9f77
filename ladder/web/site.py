"""What every handler works with: the way to the database, the games, the key.

How this works. When a match is recorded, all who follow its league ask for the same page at once. A page is kept with
the moment of the database that it was made of (see `ladder.database.connection`), and is given to those alone who ask
in a transaction that sees the same moment. So nothing has to say that a page is out of date, and none ever is shown.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from threading import Lock
from typing import Annotated, Generic, TypeAlias, TypeVar

from fastapi import Depends, Request
from psycopg.errors import QueryCanceled
from psycopg.sql import SQL

from engine.errors import Unavailable
from engine.game import Games
from engine.immutable import immutable
from engine.toolchains.source import LIMIT_CHARS
from ladder import audit
from ladder.actions.accounts import Invited
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import QueueDown
from ladder.queue import Queue
from ladder.settings import WebSettings
from ladder.views.fleet import Services
from ladder.visibility import look, looked_at
from ladder.web.entrance import Key
from ladder.web.identity import ASKING

V = TypeVar("V")
MOST_PAGES = 32
"""Of at most some 80 kB each: boards with fifty versions on them and fifty that have left."""
Mailing: TypeAlias = Callable[[Sequence[Invited]], Sequence[str]]
MOST_CONNECTIONS = 8
"""Of the whole process."""
STATEMENT_LIMIT_MS = 2000
READ_ONLY = SQL("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {}").format(
    STATEMENT_LIMIT_MS
)


class LatestReads(Generic[V]):
    """What was asked for last, each as of one moment. Threads share it. `most`: as many are kept."""

    def __init__(self, most: int = MOST_PAGES) -> None:
        self._kept: dict[Hashable, tuple[Hashable, V]] = {}
        self._lock, self._most = Lock(), most

    def find(self, key: Hashable, moment: Hashable) -> V | None:
        pair = self._kept.get(key)
        return pair[1] if pair is not None and pair[0] == moment else None

    def keep(self, key: Hashable, moment: Hashable, value: V) -> None:
        """Keep something in place of the one before, and of the oldest where there are too many."""
        if moment is None:
            return
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = moment, value
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]


def no_queue() -> Queue:
    """Raise QueueDown: a ladder that is only looked at has no queue."""
    raise QueueDown("these pages have no queue")


@immutable
class Site:
    """A ladder that is looked at. `key`: None if no key is asked for, as on a socket that only our account can reach.

    `web`: how many people it is for. `services`: looks at what runs beside the database. Only commands know that, so
    they hand it in, and `queue`, which only a served ladder needs, as nobody else writes here. `kept`: pages
    that were made lately. `source_chars`: of the longest source that is accepted. `note_proxy`: is told from where
    forwarded headers come whose word does not count. `mail`: gives what sends links to their players and says whose
    was not sent; None without a server for mails. It raises UsageFault for settings that are wrong.
    """

    pool: Pool
    games: Games
    key: Key | None
    services: Callable[[], Services] = Services
    web: WebSettings = field(default_factory=WebSettings)
    queue: Callable[[], Queue] = no_queue
    kept: LatestReads[bytes] = field(default_factory=LatestReads[bytes])
    source_chars: int = LIMIT_CHARS
    note_proxy: Callable[[str], None] = lambda _: None
    mail: Callable[[], Mailing] | None = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one moment, as far as who asks may; what operators look at is written down."""
        if not self.web.is_served:
            with self.watching() as connection:
                yield connection
            return
        asking = ASKING.get()
        with self.watching() as connection:
            look(connection, asking.sight)
            yield connection
            players = looked_at(connection) if asking.sight.operates else []
        if players and asking.actor is not None:
            with transaction(self.pool) as connection:
                audit.write(connection, asking.actor, "look", asking.target, players=players)

    @contextmanager
    def watching(self) -> Iterator[Connection]:
        """Open a transaction that sees one moment of everything and can change nothing. Raises Unavailable."""
        try:
            with transaction(self.pool) as connection:
                connection.execute(READ_ONLY)
                yield connection
        except QueryCanceled as error:
            raise Unavailable(
                f"the database takes longer than {STATEMENT_LIMIT_MS // 1000} s for this: try again, or ask for less"
            ) from error


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


SiteHere = Annotated[Site, Depends(site_of)]
"""The parameter of a handler that gets the site."""
