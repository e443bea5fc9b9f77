"""The last minute of a contest: hundreds of players hand in and look at the board until nothing is taken any more.

How this works. Everybody has a token, looks at the board every few seconds, and submits twice: at some moment of the
minute and in its last seconds. They come from one address, as a school does, and then from one each, which a proxy
names. What was answered with 201 is compared with what is kept.
"""

import asyncio
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from time import perf_counter
from uuid import uuid4

import httpx

from ladder.access import Actor, Role, Scope
from ladder.actions import seasons, tokens
from ladder.actions.tokens import WantedToken
from ladder.bots.players import player_id
from ladder.database.connection import Pool, open_pool, transaction
from ladder.web.addresses import board
from tests.bench.accounts import serving
from tests.bench.full_ladder import GAME, LEAGUE, add_versions, services
from tests.bench.report import line

PLAYERS = 300
MINUTE_S = 60
LAST_S = 5
LOOK_EACH_S = 5
LIMIT_S = 60
ON_BOARD = 300
OPERATOR = Actor("operator", Role.OPERATOR)
CREATED, REFUSED = 201, 409


@dataclass
class Minute:
    """What became of it. `boards_s`: how long each took; `answers`: to submissions, by status; `kept`: by id.

    `again`: how often a submission had no answer and was sent again.
    """

    boards_s: list[float] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter[int])
    looks: Counter[int] = field(default_factory=Counter[int])
    kept: set[int] = field(default_factory=set[int])
    again: int = 0


def lines() -> Iterator[str]:
    """Measure and give what the bench prints. Raises AssertionError where a submission was lost."""
    for addresses in (1, PLAYERS):
        with services() as running:
            add_versions(running.database_url, ON_BOARD)
            with serving(running) as url, closing(open_pool(running.database_url)) as pool:
                secrets = {name: a_player(pool, name) for name in (f"pupil{number}" for number in range(PLAYERS))}
                until = datetime.now(UTC) + timedelta(seconds=MINUTE_S)
                seasons.open_contest(OPERATOR, pool, GAME, until)
                minute = asyncio.run(played(url, secrets, addresses, until))
                require_kept(pool, minute)
                seasons.drop_plan(OPERATOR, pool, GAME)
        yield from figures(minute, addresses)


def a_player(pool: Pool, name: str) -> str:
    with transaction(pool) as connection:
        player_id(connection, name)
    return tokens.create(Actor(name), pool, WantedToken("bench", frozenset({Scope.READ, Scope.SUBMIT}))).secret


async def played(url: str, secrets: Mapping[str, str], addresses: int, until: datetime) -> Minute:
    minute = Minute()
    limits = httpx.Limits(max_connections=PLAYERS)
    async with httpx.AsyncClient(base_url=url, timeout=LIMIT_S, limits=limits) as client, asyncio.TaskGroup() as all_of:
        for number, (player, secret) in enumerate(secrets.items()):
            place = number % addresses
            headers = {
                "Authorization": f"Bearer {secret}",
                "X-Forwarded-For": f"203.0.{place // 250}.{place % 250 + 1}",
            }
            chance = Random(number)
            all_of.create_task(looks(client, headers, minute, until, chance))
            for before_s in (chance.uniform(LAST_S, MINUTE_S - LAST_S), chance.uniform(-1, LAST_S)):
                all_of.create_task(submits(client, headers, minute, player, until, before_s))
    return minute


async def looks(
    client: httpx.AsyncClient, headers: Mapping[str, str], minute: Minute, until: datetime, chance: Random
) -> None:
    await asyncio.sleep(chance.uniform(0, LOOK_EACH_S))
    while left_s(until) > 0:
        began = perf_counter()
        answer = await client.get(board(GAME, LEAGUE), headers=headers)
        minute.looks[answer.status_code] += 1
        minute.boards_s.append(perf_counter() - began)
        await asyncio.sleep(LOOK_EACH_S)


async def submits(
    client: httpx.AsyncClient, headers: Mapping[str, str], minute: Minute, player: str, until: datetime, before_s: float
) -> None:
    """Submit so long before the end, under a key until there is an answer; a negative time is after it."""
    await asyncio.sleep(max(0, left_s(until) - before_s))
    body = {"source": f"print({player!r}, {before_s})\n", "language": "python"}
    named = {**headers, "Idempotency-Key": str(uuid4())}
    while True:
        try:
            answer = await client.post(f"/api/v1/games/{GAME}/bots/{player}/versions", json=body, headers=named)
        except httpx.TransportError:
            minute.again += 1
            continue
        break
    minute.answers[answer.status_code] += 1
    if answer.status_code == CREATED:
        minute.kept.add(answer.json()["id"])


def left_s(until: datetime) -> float:
    return (until - datetime.now(UTC)).total_seconds()


def require_kept(pool: Pool, minute: Minute) -> None:
    with transaction(pool) as connection:
        rows = connection.execute(
            """
            SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
            WHERE players.name LIKE 'pupil%'
            """
        )
        found = {row[0] for row in rows}
    assert found == minute.kept, f"{len(minute.kept)} submissions were answered with 201, {len(found)} are kept"


def figures(minute: Minute, addresses: int) -> Iterator[str]:
    place = f"{PLAYERS} players, {'one address' if addresses == 1 else 'an address each'}"
    others = Counter({status: count for status, count in minute.answers.items() if status not in {CREATED, REFUSED}})
    others += Counter({status: count for status, count in minute.looks.items() if status != 200})
    late, again = minute.answers[REFUSED], minute.again
    yield line("last minute, kept", len(minute.kept), "versions", f"{place}: all that were answered; {late} late")
    yield line(
        "last minute, refused", others.total(), "answers", f"aim: 0 (by status {dict(others)}); {again} sent again"
    )
    by_time = sorted(1000 * one for one in minute.boards_s)
    median, most = statistics.median(by_time), by_time[int(0.95 * len(by_time))]
    yield line("last minute, a board", median, "ms", f"median of {len(by_time):,}; 95 %: {most:,.0f}; aim: under 1,000")
