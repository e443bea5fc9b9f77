"""A served ladder, and everybody who can come to it: with tokens of each kind, with a browser, with nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx

from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts, sessions
from ladder.actions import matches, tokens
from ladder.actions.tokens import WantedToken
from ladder.bots.players import player_id
from ladder.database.connection import Pool, transaction
from ladder.names import NamedVersion
from ladder.settings import web_settings_from
from ladder.web.identity import SESSION
from tests.fakes import RememberingQueue
from tests.web.a_ladder import BusyLadder
from tests.web.serving import Served, serving

GAME = "ocean-of-code"
THERE = {"game": GAME, "league": "wood-2", "bot": "kraken", "number": 1, "seat": 0, "player": "kim"}
"""What there is on the ladder, for each part of a path."""
WEB = web_settings_from(
    {
        "LADDER_WEB_MODE": "served",
        "LADDER_PUBLIC_URL": "http://localhost:8210",
        "LADDER_TRUSTED_PROXIES": "127.0.0.0/8",
        "LADDER_READS_PER_MINUTE": "100000",
        "LADDER_WRITES_PER_MINUTE": "100000",
    }
)
PLAYERS_SCOPES = frozenset({Scope.READ, Scope.SUBMIT, Scope.PLAY})
Body: TypeAlias = Mapping[str, object] | None


@dataclass
class Everybody:
    """A served ladder with everybody who may come. Each request comes from an address of its own, and players may ask
    often, as none is to be refused for that.
    """

    site: Served
    pool: Pool
    headers: dict[str, dict[str, str]]
    numbers: dict[str, int]
    queue: RememberingQueue
    asked: int = 0

    def ask(
        self, who: str, method: str, path: str, body: Body = None, query: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Ask as somebody; of an answer that never ends only its beginning is waited for."""
        headers = self.headers_of(who)
        content: dict[str, Any] = {} if body is None else {"json": body}
        with self.site.client.stream(method, path, params=query, headers=headers, **content) as answer:
            if not path.endswith("/events"):
                answer.read()
        return answer

    def headers_of(self, who: str) -> dict[str, str]:
        self.asked += 1
        address = f"203.0.{self.asked // 250}.{self.asked % 250}"
        return {"Host": "localhost:8210", "X-Forwarded-For": address, **self.headers[who]}

    def send(self, who: str, path: str, fields: Mapping[str, str], **more: Any) -> httpx.Response:
        return self.site.client.post(path, data=dict(fields), headers=self.headers_of(who), **more)

    def path_of(self, template: str, **other: object) -> str:
        """The path to what there is on this ladder. `other`: parts of it that are others."""
        own = self.numbers.get(template.removeprefix("/api/v1/").partition("/")[0], 1)
        return template.format(**{**THERE, "player": "pat", "number": own, **other})


@contextmanager
def everybody_at(pool: Pool, busy: BusyLadder) -> Iterator[Everybody]:
    with transaction(pool) as connection:
        for name in ("pat", "gone", "olga"):
            player_id(connection, name)
        accounts.set_role(connection, accounts.find_account(connection, "olga").id, Role.OPERATOR)
        browser, desk = (
            sessions.begin(connection, accounts.find_account(connection, name).id, "a test") for name in ("kim", "olga")
        )

    def token(player: str, name: str, *scopes: Scope, bot: str | None = None) -> dict[str, str]:
        actor = Actor(player, Role.OPERATOR if player == "olga" else Role.PLAYER)
        made = tokens.create(actor, pool, WantedToken(name, frozenset(scopes) or PLAYERS_SCOPES, bot=bot))
        return {"Authorization": f"Bearer {made.secret}"}

    headers: dict[str, dict[str, str]] = {
        "nobody": {},
        "expired": token("kim", "expired"),
        "revoked": token("kim", "revoked"),
        "disabled": token("gone", "any"),
        "another player": token("pat", "any"),
        "bound": token("kim", "bound", bot="orca"),
        **{scope: token("kim", scope, scope) for scope in (Scope.READ, Scope.SUBMIT, Scope.PLAY)},
        "owner": token("kim", "all"),
        "session": {"Cookie": f"{SESSION}={browser}"},
        "desk": {"Cookie": f"{SESSION}={desk}"},
        "off duty": token("olga", "plays"),
        "operator": token("olga", "operates", *Scope),
    }
    asked = matches.request(Actor("kim"), pool, [NamedVersion("kraken"), NamedVersion("wahoo")], 2, GAME)
    with transaction(pool) as connection:
        connection.execute("UPDATE tokens SET expires_at = now() - interval '1 s' WHERE name = 'expired'")
        connection.execute("UPDATE tokens SET revoked_at = now() WHERE name = 'revoked'")
        connection.execute("UPDATE players SET disabled_at = now(), disabled_why = 'a test' WHERE name = 'gone'")
    numbers = {"requests": asked.id, "gauntlets": busy.gauntlets["running"], "tunes": busy.tune}
    queue = RememberingQueue()
    with serving(pool, None, web=WEB, queue=lambda: queue) as site:
        yield Everybody(site, pool, headers, numbers, queue)
