"""Hooks: the addresses to which notices go. Nobody is shown a whole address again: who knows it can write there."""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar, LiteralString
from urllib.parse import urlsplit

from engine.errors import UnknownName, UsageFault
from engine.immutable import immutable
from engine.text import shortened
from ladder.choices import NoticeEvent, NoticeForm
from ladder.database.connection import Connection, Rows, one
from ladder.ids import HookId, PlayerId

LONGEST_URL = 1000
PRIVATE = frozenset({NoticeEvent.REJECTED})
"""What nobody is shown but the player: no hook of the ladder gets it."""
OF_LADDER = frozenset({NoticeEvent.BOSSLESS})
TEST = "test"
"""The event of a notice that somebody asks for to see whether it arrives."""


@immutable
class Hook:
    """A hook without its secret. `address`: begin and end; `answer`: of the latest try; `disabled_at`: after a day."""

    HIDDEN: ClassVar = ("player_id",)

    id: HookId
    player_id: PlayerId | None
    player: str | None
    address: str
    events: list[str]
    form: str
    created_at: datetime
    waiting: int
    tried_at: datetime | None
    answer: str
    failing_since: datetime | None
    disabled_at: datetime | None

    @property
    def result(self) -> str:
        return f"disabled: {self.answer}" if self.disabled_at else self.answer or "not tried yet"


SELECT: LiteralString = r"""
    SELECT hooks.id, player_id, players.name AS player,
           regexp_replace(url, '^(\w+://[^/?]+).*?(.{0,4})$', '\1/…\2') AS address, events, form, hooks.created_at,
           (SELECT count(*) FROM notices WHERE hook_id = hooks.id AND sent_at IS NULL)::int AS waiting,
           tried_at, answer, failing_since, hooks.disabled_at
    FROM hooks LEFT JOIN players ON players.id = player_id
"""


def insert(
    connection: Connection,
    player_id: PlayerId | None,
    url: str,
    events: Collection[NoticeEvent],
    form: NoticeForm,
    secret: str,
) -> Hook:
    query = """
        INSERT INTO hooks (player_id, url, events, form, secret)
        VALUES (%(player)s, %(url)s, %(events)s, %(form)s, %(secret)s) RETURNING id"""
    values = {"player": player_id, "url": url, "events": sorted(events), "form": form, "secret": secret}
    return find(connection, HookId(one(connection, query, values)[0]))


def of_player(connection: Connection, player: str) -> list[Hook]:
    return Rows(connection, Hook).all(SELECT + "WHERE lower(players.name) = lower(%s) ORDER BY hooks.id", [player])


def of_ladder(connection: Connection) -> list[Hook]:
    return Rows(connection, Hook).all(SELECT + "WHERE player_id IS NULL ORDER BY hooks.id")


def find(connection: Connection, hook_id: HookId) -> Hook:
    """Raises UnknownName."""
    hook = Rows(connection, Hook).first(SELECT + "WHERE hooks.id = %s", [hook_id])
    if hook is None:
        raise UnknownName(f"there is no hook {hook_id}; `ladder hooks list` shows yours")
    return hook


def remove(connection: Connection, hook_id: HookId) -> None:
    connection.execute("DELETE FROM hooks WHERE id = %s", [hook_id])


def test(connection: Connection, hook_id: HookId) -> None:
    """Let a notice go out at once that says that this is a test, also where the hook was disabled."""
    enable = """
        UPDATE hooks
        SET tries = 0, next_at = now(), tried_at = NULL, answer = '', failing_since = NULL, disabled_at = NULL
        WHERE id = %s"""
    notice = """
        INSERT INTO notices (hook_id, event, about) VALUES (%s, 'test', '{}')
        ON CONFLICT ON CONSTRAINT notices_come_once DO UPDATE SET id = DEFAULT, made_at = now(), sent_at = NULL"""
    connection.execute(enable, [hook_id])
    connection.execute(notice, [hook_id])


def check_url(url: str) -> None:
    """Raise UsageFault for what is not an address of a web server. Whose it is, is looked at for each notice."""
    try:
        parts = urlsplit(url)
        is_http = parts.scheme in {"http", "https"} and bool(parts.hostname)
        fits = is_http and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        fits = False
    if not fits or not url.isascii() or not url.isprintable() or " " in url or len(url) > LONGEST_URL:
        raise UsageFault(f"{shortened(url)} is not an address for notices: it is to be like https://example.org/hook")
