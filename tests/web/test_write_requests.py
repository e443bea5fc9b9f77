"""The gate of writing requests: by whom, how long, under which key; done once, whatever dies in between."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request
from pydantic import Field
from starlette.responses import Response

from engine.errors import UsageFault
from ladder import audit
from ladder.access import Actor, Deed, Role, Scope, Via, require
from ladder.bots.players import player_id
from ladder.database.connection import Pool, transaction
from ladder.ids import VersionId
from ladder.queue import Queue
from ladder.web.identity import ASKING, Asking
from ladder.web.problems import UnforeseenFaults, answer_problems
from ladder.web.site import Site
from ladder.web.writing.write_request import STRICT, WriteAnswer, WriteHere, answer_with, once, read_body
from tests.catalogue import GAMES
from tests.fakes import BrokenQueue, RememberingQueue
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import change
from tests.web.serving import answering

KIM = Actor("kim", Role.PLAYER, Via.TOKEN, frozenset({Scope.PLAY}))


@dataclass(frozen=True)
class Note:
    """What the test's route is sent."""

    __pydantic_config__ = STRICT

    text: str
    times: Annotated[int, Field(ge=1, le=5)] = 1


@dataclass
class Board:
    """An application with one writing route, which adds a line to the audit and asks for a build."""

    app: FastAPI
    queue: RememberingQueue
    client: httpx.Client
    during: Callable[[], None] = lambda: None

    def post(
        self, body: bytes | dict[str, object], key: str | None = None, path: str = "/api/v1/notes"
    ) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        if isinstance(body, bytes):
            return self.client.post(path, content=body, headers=headers)
        return self.client.post(path, json=body, headers=headers)


@pytest.fixture
def board(pool: Pool) -> Iterator[Board]:
    app, queue = FastAPI(), RememberingQueue()
    within(pool, player_id, "kim")
    app.state.site = Site(pool, GAMES, None, queue=lambda: queue)
    answer_problems(app)

    def note(actor: Actor, pool: Pool, queue: Queue, said: Note) -> WriteAnswer:
        with transaction(pool) as connection:
            if said.text == "refuse":
                audit.write(connection, actor, "note", said.text)
                require(actor, Deed.VOID_MATCH)
            audit.write(connection, actor, "note", said.text)
            queue.enqueue_build(VersionId(7))
        made.during()
        if said.text == "break":
            raise RuntimeError("this process dies")
        return answer_with({"noted": said.text}, 201, is_secret=said.text == "secret")

    @app.post("/api/v1/notes")
    @app.post("/api/v1/other")
    def notes(write: WriteHere) -> Response:
        said = read_body(Note, write.body)
        return once(write, lambda actor, pool, queue: note(actor, pool, queue, said))

    @app.middleware("http")
    async def by_kim(request: Request, go_on: Callable[[Request], object]) -> object:
        ASKING.set(Asking("here", None if "nobody" in request.headers else KIM))
        return await go_on(request)  # type: ignore[misc]

    app.add_middleware(UnforeseenFaults)
    with answering(uvicorn.Server(uvicorn.Config(app, log_config=None))) as client:
        made = Board(app, queue, client)
        yield made


def noted(pool: Pool) -> list[str]:
    return [f"{line.action}: {line.target}" for line in reversed(within(pool, audit.latest, 99))]


def test_the_same_key_gives_the_first_answer_again_and_is_forgotten_after_a_day(board: Board, pool: Pool) -> None:
    first, again, other = (board.post({"text": text}, "k1") for text in ("a", "a", "b"))
    assert (first.status_code, first.json()) == (201, {"noted": "a"})
    assert (again.status_code, again.content) == (201, first.content)
    assert (other.status_code, other.json()["exit_status"]) == (422, 2)
    assert "another request" in other.json()["detail"]
    assert board.post({"text": "a"}, "k1", "/api/v1/other").status_code == 422, "another route"
    assert board.post({"text": "a"}, "k2").status_code == 201
    assert board.post({"text": "a"}).status_code == 201, "without a key each request is one of its own"
    assert noted(pool) == ["note: a"] * 3
    assert board.queue.builds == [7, 7, 7]
    change(pool, "UPDATE idempotency SET created_at = now() - interval '24:01' WHERE key = 'k1'")
    assert board.post({"text": "b"}, "k1").status_code == 201
    assert board.post({"text": "b"}, "k2").status_code == 422


def test_what_dies_on_the_way_has_changed_nothing_and_can_be_asked_again(board: Board, pool: Pool) -> None:
    assert board.post({"text": "break"}, "k1").status_code == 500
    assert (noted(pool), board.queue.builds) == ([], [])
    assert board.post({"text": "well"}, "k1").status_code == 201, "nothing is known of the key"


def test_while_the_first_is_at_it_another_is_told_so(board: Board, pool: Pool) -> None:
    meanwhile: list[httpx.Response] = []
    board.during = lambda: meanwhile.append(board.post({"text": "a"}, "k1"))
    first = board.post({"text": "a"}, "k1")
    (second,) = meanwhile
    assert first.status_code == 201
    assert (second.status_code, second.headers["retry-after"], second.json()["exit_status"]) == (409, "1", 4)
    assert noted(pool) == ["note: a"]


def test_many_at_once_with_one_key_do_it_once(board: Board, pool: Pool) -> None:
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda _: board.post({"text": "a"}, "k1"), range(50)))
    assert {answer.status_code for answer in answers} <= {201, 409, 503}
    assert 201 in {answer.status_code for answer in answers}
    assert noted(pool) == ["note: a"]


def test_a_refused_deed_of_operators_is_written_down_and_nothing_else(board: Board, pool: Pool) -> None:
    refused = board.post({"text": "refuse"}, "k1")
    assert (refused.status_code, refused.json()["exit_status"]) == (403, 3)
    assert noted(pool) == ["refused: void a match"]
    assert board.post({"text": "refuse"}, "k1").status_code == 403, "a refusal is judged anew"


def test_a_secret_is_answered_once_and_not_stored(board: Board, pool: Pool) -> None:
    assert board.post({"text": "secret"}, "k1").status_code == 201
    again = board.post({"text": "secret"}, "k1")
    assert (again.status_code, again.json()["exit_status"]) == (409, 3)
    assert rows_of(pool, "SELECT body FROM idempotency") == [(None,)]
    assert noted(pool) == ["note: secret"]


def test_a_body_that_is_none_gets_one_sentence() -> None:
    for body, words in (
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object with text and times"),
        (b'{"text": "a", "text": "b"}', "the key text twice"),
        (b'{"text": "a", "loud": 1}', "unknown key loud"),
        (b'{"text": "\xff"}', "not UTF-8: byte 11"),
        (b'{"text": "\\ud800"}', "half a sign"),
        (b'{"text": 1}', "text is 1"),
        (b'{"times": 1}', "text is missing"),
        (b'{"text": "a", "times": 6}', "times is 6; it must be at most 5"),
        (b'{"text": "a", "times": "1"}', "whole number"),
        (b'{"text": "a", "times": true}', "whole number"),
        (b'{"text": "a", "times": NaN}', "NaN is not a number"),
        (b'{"text": "a", "times": 1' + b"0" * 5000 + b"}", "which 64 bits do not hold"),
        (b'{"text": "a", "times": 9223372036854775808}', "which 64 bits do not hold"),
        (b'{"text": "a", "times": 1e999}', "the number 1e999, which is too large"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"text": "a\\u0000"}', "character 0"),
    ):
        with pytest.raises(UsageFault) as refused:
            read_body(Note, body)
        assert words in str(refused.value), body


def test_a_body_that_is_too_long_is_not_read(board: Board) -> None:
    read = []

    def parts() -> Iterator[bytes]:
        for number in range(100):
            read.append(number)
            yield b" " * 50_000

    for answer in (board.post(b" " * 500_000), board.client.post("/api/v1/notes", content=parts())):
        assert (answer.status_code, answer.json()["exit_status"]) == (413, 2)
        assert "410,000 bytes at most" in answer.json()["detail"]


def test_keys_and_people_have_to_be_known_and_a_broken_queue_is_noticed(board: Board, pool: Pool) -> None:
    assert board.post({"text": "a"}, "two words").status_code == 422
    nobody = board.client.post("/api/v1/notes", json={"text": "a"}, headers={"nobody": "1"})
    assert (nobody.status_code, nobody.json()["exit_status"]) == (401, 3)
    board.app.state.site = Site(pool, GAMES, None, queue=BrokenQueue)
    assert board.post({"text": "a"}, "k1").status_code == 201
