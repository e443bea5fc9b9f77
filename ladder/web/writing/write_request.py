"""What every writing request of a program goes through: by whom, how long, under which key; and it is done once.

How this works. A handler takes a `WriteRequest`, reads its body, and hands `once` a function that calls one action.
That function is given a pool and a queue in place of the real ones. All that the action does, and the answer that is
stored under the request's key, is one transaction; messages go out when it is committed. So a lost answer or a killed
process never makes a write happen twice. A refusal has changed nothing, so it is not stored: it is judged anew.

JSON that a program sends is read without doubts: no key twice, none that is unknown, nothing out of range.
"""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from pydantic import ConfigDict, TypeAdapter, ValidationError
from starlette.responses import Response

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import listed, shortened
from engine.toolchains.source import MOST_BYTES_OF_A_CHARACTER
from ladder.access import Actor
from ladder.accounts import idempotency
from ladder.audit import written_down
from ladder.database.connection import Connection, Pool, Within, transaction
from ladder.errors import QueueDown, TooLong
from ladder.ids import LARGEST_ID, MatchId, VersionId
from ladder.queue import Backlog, Queue
from ladder.views.encoding import to_json
from ladder.web.identity import ASKING, not_logged_in
from ladder.web.problems import misuse_sentence
from ladder.web.site import Site, site_of

JSON = "application/json"
MOST_BYTES_BESIDE_A_SOURCE = 10_000
"""Of a body."""
MOST_BYTES_OF_A_BOT = 14 * 2**20
"""Likewise: an archive of the largest bot, written as text."""
KEY = "Idempotency-Key"
KEYS = re.compile(r"[\x21-\x7e]{1,100}")
T = TypeVar("T")
MOST_DIGITS = 30
"""More of a number say nothing new: 64 bits hold no number of so many."""
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""Nothing is taken for something else."""


@immutable
class WriteRequest:
    """A request that changes something. `key`: None where it is sent once only; `route`: method and path."""

    site: Site
    actor: Actor
    route: str
    body: bytes
    key: str | None


@immutable
class WriteAnswer:
    """What a write answers. `is_secret`: the body is shown once, so it is not stored."""

    status: int
    body: str
    is_secret: bool = False


Act = Callable[[Actor, Pool, Queue], WriteAnswer]


def answer_with(value: object, status: int = 200, *, is_secret: bool = False) -> WriteAnswer:
    return WriteAnswer(status, to_json(value, compact=True), is_secret)


def most_bytes_at(site: Site, least: int = 0) -> int:
    """Return how many bytes a body can have: the longest source, in UTF-8, and what goes with it; or `least`."""
    return max(least, MOST_BYTES_OF_A_CHARACTER * site.source_chars + MOST_BYTES_BESIDE_A_SOURCE)


async def write_here(request: Request) -> WriteRequest:
    return await write_of(request, most_bytes_at(site_of(request)))


async def write_of_bot(request: Request) -> WriteRequest:
    return await write_of(request, most_bytes_at(site_of(request), MOST_BYTES_OF_A_BOT))


async def write_of(request: Request, most_bytes: int) -> WriteRequest:
    """Return what a request asks to be changed. `most_bytes`: of its body, which is not read where it is longer.

    Raises NotLoggedIn, TooLong, UsageFault for a key that is none.
    """
    site = site_of(request)
    actor = require_actor(site)
    key = request.headers.get(KEY)
    if key is not None and not KEYS.fullmatch(key):
        raise UsageFault(f"{KEY} must be 1 to 100 visible signs of ASCII")
    body = await read_at_most(request, most_bytes)
    return WriteRequest(site, actor, f"{request.method} {request.url.path}", body, key)


def require_actor(site: Site) -> Actor:
    actor = ASKING.get().actor
    if actor is None:
        raise not_logged_in(site.web)
    return actor


WriteHere = Annotated[WriteRequest, Depends(write_here)]
"""The parameter of a handler that changes something."""
WriteOfBot = Annotated[WriteRequest, Depends(write_of_bot)]
"""Likewise, where a whole bot is sent."""


async def read_at_most(request: Request, most_bytes: int) -> bytes:
    """Read the body of a request. Raises TooLong before it is read, or as soon as it is."""
    fault = TooLong(f"the body of this request can have {most_bytes:,} bytes at most")
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdecimal() and (len(declared) > 15 or int(declared) > most_bytes):
        raise fault
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            raise fault
    return bytes(body)


def once(
    write: WriteRequest, act: Act, media_type: str = JSON, begin: Callable[[Connection], None] | None = None
) -> Response:
    """Do what a request asks for, or give its first answer again. `begin`: what has to come first in the transaction.

    Raises what `act` raises, StillAtIt, UsageFault where its key was used for another request, Refused where the
    first answer held a secret.
    """
    later = DelayedQueue(write.site.queue())
    with written_down(write.actor, write.site.pool), transaction(write.site.pool) as connection:
        if begin is not None:
            begin(connection)
        keyed = (
            None
            if write.key is None
            else idempotency.KeyedWrite(write.actor.player, write.key, write.route, write.body)
        )
        first = None if keyed is None else idempotency.claim(connection, keyed)
        if first is not None:
            if first.body is None:
                raise Refused(
                    "this was done already, and the secret that it answered with is shown once: make another one"
                )
            return answer(first.status, first.body, media_type)
        outcome = act(write.actor, Within(connection), later)
        if keyed is not None:
            idempotency.keep(
                connection, keyed, idempotency.Answered(outcome.status, None if outcome.is_secret else outcome.body)
            )
    later.send()
    return answer(outcome.status, outcome.body, media_type)


def answer(status: int, body: str, media_type: str) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, media_type=media_type)


@dataclass
class DelayedQueue:
    """A queue whose messages wait until what they are about is committed. Its rows say what is true meanwhile."""

    queue: Queue
    waiting: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def enqueue_build(self, version_id: VersionId) -> None:
        self.queue.backlog()
        self.waiting.append(lambda: self.queue.enqueue_build(version_id))

    def enqueue_matches(self, match_ids: Sequence[MatchId], *, first: bool = False) -> None:
        self.waiting.append(lambda: self.queue.enqueue_matches(match_ids, first=first))

    def enqueue_schedule(self) -> None:
        self.waiting.append(self.queue.enqueue_schedule)

    def backlog(self) -> Backlog:
        return self.queue.backlog()

    def send(self) -> None:
        """Send them; where the broker does not answer, the sweep finds the rows later."""
        with suppress(QueueDown):
            for message in self.waiting:
                message()


class Body:
    """What the dataclasses of bodies have in common."""

    __slots__ = ()
    __pydantic_config__ = STRICT


def read_body(kind: type[T], body: bytes) -> T:
    sent = read_object(body, names_of(kind))
    unknown = sorted(sent.keys() - set(names_of(kind)))
    if unknown:
        raise UsageFault(f"the body has the unknown key {shortened(unknown[0])}; it can have {listed(names_of(kind))}")
    try:
        return TypeAdapter(kind).validate_json(body)
    except ValidationError as error:
        raise UsageFault(misuse_sentence(error.errors(), 0)) from error


def read_object(body: bytes, names: Sequence[str] = ()) -> dict[str, Any]:
    """Read a JSON object, whose texts a database can hold. `names`: the keys that it can have. Raises UsageFault."""
    value = read_json(body)
    if not isinstance(value, dict):
        raise UsageFault(f"the body must be a JSON object{f' with {listed(names)}' if names else ''}")
    if holds_nul(value):
        raise UsageFault("the body holds the character 0, which no text of a ladder can hold")
    return value


def names_of(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def read_json(body: bytes) -> Any:
    """Read JSON in UTF-8, in which no key comes twice. Raises UsageFault."""
    try:
        text = body.decode()
        parsers: dict[str, Any] = {
            "parse_constant": refuse_constant,
            "parse_int": whole_number,
            "parse_float": real_number,
        }
        value = json.loads(text, object_pairs_hook=without_doubles, **parsers)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise UsageFault(f"the body is not UTF-8: byte {error.start + 1} cannot stand there") from error
    except UnicodeEncodeError as error:
        raise UsageFault("the body holds half a sign, which no text in UTF-8 can hold") from error
    except json.JSONDecodeError as error:
        raise UsageFault(f"the body is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise UsageFault("the body is nested too deep") from error
    return value


def holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return holds_nul(list(value)) or holds_nul(list(value.values()))
    return isinstance(value, list) and any(map(holds_nul, value))


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise UsageFault(f"the body has the key {shortened(key)} twice")
        members[key] = value
    return members


def whole_number(digits: str) -> int:
    number = int(digits[:MOST_DIGITS])
    if not -LARGEST_ID - 1 <= number <= LARGEST_ID:
        raise UsageFault(f"the body holds the number {shortened(digits)}, which 64 bits do not hold")
    return number


def real_number(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise UsageFault(f"the body holds the number {shortened(digits)}, which is too large")
    return number


def refuse_constant(word: str) -> Any:
    raise UsageFault(f"the body is not JSON: {word} is not a number")
