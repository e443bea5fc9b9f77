"""Writing by programs: done once, whatever dies in between; what each route does, refuses, and how often."""

import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

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
from ladder.leagues import leagues
from ladder.names import read_name
from ladder.queue import Queue
from ladder.views.bots import read_source
from ladder.web.identity import ASKING, Asking
from ladder.web.problems import UnforeseenFaults, answer_problems
from ladder.web.site import Site
from ladder.web.writing.write_request import STRICT, WriteAnswer, WriteHere, answer_with, once, read_body
from tests.catalogue import GAMES
from tests.fakes import BrokenQueue, RememberingQueue
from tests.ladder.arena import moved_to, rows_of, within
from tests.ladder.rated import change
from tests.web.a_ladder import BusyLadder
from tests.web.everybody import GAME, Everybody
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


def test_keys_and_people_have_to_be_known(board: Board) -> None:
    assert board.post({"text": "a"}, "two words").status_code == 422
    nobody = board.client.post("/api/v1/notes", json={"text": "a"}, headers={"nobody": "1"})
    assert (nobody.status_code, nobody.json()["exit_status"]) == (401, 3)


def test_a_broken_queue_is_noticed(board: Board, pool: Pool) -> None:
    board.app.state.site = Site(pool, GAMES, None, queue=BrokenQueue)
    assert board.post({"text": "a"}, "k1").status_code == 201


BOTS = f"/api/v1/games/{GAME}/bots"
GAUNTLETS = f"/api/v1/games/{GAME}/gauntlets"


FOLDER = {"squid/ladder.toml": 'language = "python"\nsource = "main.py"\n', "squid/main.py": "# in a folder\n"}


def packed(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def last_line(pool: Pool) -> tuple[str, str, str, str | None]:
    (line,) = within(pool, audit.latest, 1)
    return line.actor, line.action, line.target, line.token


def test_a_version_is_submitted_once_and_its_build_asked_for(everybody: Everybody) -> None:
    new = {"source": "# by a program", "language": "python", "keep": True, "note": "by  night"}
    first = everybody.ask("submit", "post", f"{BOTS}/squid/versions", new)
    assert (first.status_code, first.json()["version"], first.json()["note"]) == (201, "squid@v1", "by night")
    assert last_line(everybody.pool) == ("kim", "submit", f"squid@v1 ({GAME})", "submit")
    assert everybody.queue.builds[-1] == first.json()["id"]
    again = everybody.ask("submit", "post", f"{BOTS}/squid/versions", new)
    assert (again.status_code, again.json()["exit_status"]) == (409, 3)
    assert "it is squid@v1" in again.json()["detail"]


def test_an_archive_a_program_and_a_source_come_in_as_files(everybody: Everybody) -> None:
    for file_name, content, language, files in (
        ("squid.zip", packed(FOLDER), "python", ["ladder.toml", "main.py"]),
        ("wahoo", b"#!/bin/sh\nexec cat\n", "program", ["ladder.toml", "wahoo"]),
        ("squid.py", b"# by its ending\n", "python", []),
    ):
        file = {"file": b64encode(content).decode(), "file_name": file_name}
        done = everybody.ask("submit", "post", f"{BOTS}/squid/versions", file)
        assert done.status_code == 201, done.text
        found = within(everybody.pool, read_source, read_name(done.json()["version"]), GAME)
        assert (found.language, found.files) == (language, files), file_name
        assert found.text == ("" if files else content.decode()), file_name


def test_what_cannot_be_a_version_is_refused_in_a_sentence(everybody: Everybody) -> None:
    for bot, body, status, words in (
        ("squid", {"source": "x", "language": "klingon"}, 404, "unknown language"),
        ("squid", {"source": " ", "language": "python"}, 422, "the source is empty"),
        ("squid", {"source": "x" * 100_001, "language": "python"}, 413, "the limit is 100,000"),
        ("squid", {"source": "x" * 15_000_000, "language": "python"}, 413, "14,680,064 bytes at most"),
        ("squid", {"source": "x"}, 422, "say language, or file_name"),
        ("squid", {"language": "python"}, 422, "say either source"),
        ("squid", {"source": "x", "file": "eA==", "language": "python"}, 422, "say either source"),
        ("squid", {"file": "eA=", "file_name": "squid.py"}, 422, "Base64 decoding error"),
        ("squid", {"file": "eA==", "file_name": "squid.zip"}, 422, "squid.zip: it cannot be unpacked"),
        ("squid", {"file": "eA==", "language": "program"}, 422, "is not a program"),
        ("squid", {"source": "x", "language": "python", "boss_of": "wood-2"}, 422, "unknown key boss_of"),
        ("squid", {"source": "a\0b", "language": "python"}, 422, "the character 0"),
        ("squid", {"source": "x", "language": "python", "params": {"A B": "1"}}, 422, "A B"),
        ("x" * 40, {"source": "x", "language": "python"}, 422, "a bot's name"),
        ("x\u202ey", {"source": "x", "language": "python"}, 422, "a bot's name"),
        ("boss-wood-2", {"source": "x", "language": "python"}, 403, "belongs to house"),
    ):
        answer = everybody.ask("submit", "post", f"{BOTS}/{bot}/versions", body)
        assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text
        of_a_source = words in {"the source is empty", "the limit is 100,000"}
        assert answer.json()["exit_status"] in ({3} if of_a_source else {2, 3}), bot


def test_a_gauntlet_is_begun_stopped_and_resumed(everybody: Everybody) -> None:
    wanted = {"candidate": "kraken@v2", "against": ["kraken@v1"], "pairs": 4, "elo0": 0, "elo1": 20, "context": []}
    made = everybody.ask("play", "post", GAUNTLETS, wanted)
    assert (made.status_code, made.json()["candidate"], made.json()["opponents"]) == (201, "kraken@v2", ["kraken@v1"])
    number = made.json()["gauntlet"]
    for verb, state in (("stop", "stopped"), ("resume", "running"), ("stop", "stopped")):
        changed = everybody.ask("play", "post", f"/api/v1/gauntlets/{number}/{verb}")
        assert changed.json() == {"gauntlet": number, "state": state}
        assert last_line(everybody.pool)[:2] == ("kim", f"gauntlet {verb}")
    assert everybody.ask("play", "post", f"/api/v1/gauntlets/{number}/stop").status_code == 409
    half = everybody.ask("play", "post", GAUNTLETS, {"candidate": "kraken", "elo0": 1})
    assert (half.status_code, half.json()["detail"]) == (422, "elo0 and elo1 go together: give both, or neither")


def test_minutes_of_a_gauntlet_stand_for_its_bounds(everybody: Everybody) -> None:
    for more, status, words in (
        ({}, 409, "--minutes 20 needs to know how long matches take"),
        ({"elo0": 0, "elo1": 20}, 422, "minutes choose the bounds of the test: leave elo0, elo1 and variants out"),
        ({"minutes": 0}, 422, "minutes"),
    ):
        asked = everybody.ask(
            "play", "post", GAUNTLETS, {"candidate": "kraken@v2", "against": ["kraken@v1"], "minutes": 20} | more
        )
        assert (asked.status_code, words in asked.json()["detail"]) == (status, True), asked.text


def test_gauntlets_by_themselves_are_set_and_taken_back(everybody: Everybody) -> None:
    place = f"{BOTS}/wahoo/gauntlet"
    put = everybody.ask("play", "put", place, {"elo0": -5, "elo1": 0, "gate": True})
    assert (put.status_code, put.json()["gauntlet"]["gates"], put.json()["name"]) == (200, True, "wahoo")
    assert everybody.ask("play", "delete", place).json() == {"for": "wahoo", "game": GAME, "off": True}
    assert everybody.ask("play", "delete", place).status_code == 409


def test_battles_are_asked_for_and_taken_back(everybody: Everybody) -> None:
    asked = everybody.ask("play", "post", f"/api/v1/games/{GAME}/requests", {"versions": ["kraken", "wahoo"]})
    assert (asked.status_code, asked.json()["asked_by"]) == (201, "kim")
    place = f"/api/v1/requests/{asked.json()['id']}"
    assert everybody.ask("another player", "delete", place).status_code == 403
    assert everybody.ask("play", "delete", place).status_code == 200
    assert everybody.ask("play", "delete", place).status_code == 409


def test_a_token_is_made_shown_once_used_and_revoked(everybody: Everybody) -> None:
    wanted = {"name": "ci", "scopes": ["submit"], "bot": "kraken", "days": 30}
    everybody.headers["browser"] = everybody.headers["session"] | {"Idempotency-Key": "make-it"}
    made = everybody.ask("browser", "post", "/api/v1/tokens", wanted)
    assert made.status_code == 201
    again = everybody.ask("browser", "post", "/api/v1/tokens", wanted)
    assert (again.status_code, made.json()["secret"] in again.text) == (409, False)
    everybody.headers["ci"] = {"Authorization": f"Bearer {made.json()['secret']}"}
    me = everybody.ask("ci", "get", "/api/v1/me").json()
    assert (me["player"], me["token"], me["scopes"], me["bot"]) == ("kim", "ci", ["submit"], "kraken")
    listed = everybody.ask("owner", "get", "/api/v1/tokens")
    assert "ci" in {token["name"] for token in listed.json()["items"]}
    assert made.json()["secret"] not in listed.text
    assert everybody.ask("owner", "delete", f"/api/v1/tokens/{made.json()['id']}").status_code == 200
    gone = everybody.ask("ci", "get", "/api/v1/me")
    assert (gone.status_code, "revoked" in gone.json()["detail"]) == (401, True)


def test_from_a_page_of_another_site_nothing_is_written(everybody: Everybody) -> None:
    wanted = {"name": "theirs", "scopes": ["play"]}
    for header in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        everybody.headers["lured"] = everybody.headers["session"] | header
        assert everybody.ask("lured", "post", "/api/v1/tokens", wanted).status_code == 403
    names = {token["name"] for token in everybody.ask("owner", "get", "/api/v1/tokens").json()["items"]}
    assert "theirs" not in names


def test_operators_let_players_in_and_shut_accounts(everybody: Everybody) -> None:
    invited = everybody.ask("operator", "post", "/api/v1/players", {"name": "lee"})
    assert invited.status_code == 201
    assert invited.json()["link"].startswith("http://localhost:8210/join/")
    assert "lee" in {one["player"] for one in everybody.ask("operator", "get", "/api/v1/invitations").json()["items"]}
    shut: Any = everybody.ask("operator", "patch", "/api/v1/players/lee", {"disabled": True, "why": "a test"})
    assert (shut.status_code, shut.json()["player"]) == (200, "lee")
    assert last_line(everybody.pool)[:3] == ("olga", "player disable", "lee: a test")
    assert everybody.ask("operator", "patch", "/api/v1/players/lee", {"disabled": False}).status_code == 200
    last = everybody.ask("operator", "patch", "/api/v1/players/olga", {"role": "player"})
    assert last.status_code == 409, "the last operator"
    for body in ({}, {"disabled": True}, {"role": "player", "disabled": False}, {"role": "king"}):
        assert everybody.ask("operator", "patch", "/api/v1/players/lee", body).status_code == 422


def test_leagues_are_changed_or_only_tried(everybody: Everybody) -> None:
    place, wanted = f"/api/v1/games/{GAME}/leagues", {"wood-2": {"title": "Driftwood"}}
    tried = everybody.ask("operator", "put", place, {"leagues": wanted, "dry_run": True})
    assert (tried.status_code, tried.json()["applied"]) == (200, False), tried.text
    assert "Driftwood" not in everybody.ask("owner", "get", f"/api/v1/games/{GAME}").text
    assert everybody.ask("operator", "put", place, {"leagues": wanted}).json()["applied"]
    assert "Driftwood" in everybody.ask("owner", "get", f"/api/v1/games/{GAME}").text
    assert everybody.ask("operator", "put", place, {"leagues": {"wood-9": {}}}).status_code == 404


def test_a_locked_game_takes_no_versions_of_players(everybody: Everybody) -> None:
    place = f"/api/v1/games/{GAME}/lock"
    assert everybody.ask("operator", "put", place, {"why": "final until Sunday"}).json()["why"] == "final until Sunday"
    late = everybody.ask("submit", "post", f"{BOTS}/squid/versions", {"source": "# late", "language": "python"})
    assert (late.status_code, "final until Sunday" in late.json()["detail"]) == (409, True), late.text
    assert everybody.ask("operator", "delete", place).json() == {"game": GAME}


def test_a_quota_that_is_used_up_says_when_it_is_possible_again(everybody: Everybody) -> None:
    quotas = {"versions_per_hour": 1, "tokens": None}
    changed = everybody.ask("operator", "patch", "/api/v1/players/pat", {"quotas": quotas})
    assert changed.status_code == 200, changed.text
    place = f"{BOTS}/patbot/versions"
    first, second = (
        everybody.ask("another player", "post", place, {"source": f"# {n}", "language": "python"}) for n in (1, 2)
    )
    assert first.status_code == 201
    assert (second.status_code, second.json()["exit_status"], int(second.headers["retry-after"]) > 0) == (429, 3, True)
    assert everybody.ask("operator", "patch", "/api/v1/players/pat", {"quotas": {"naps": 1}}).status_code == 422


def test_a_season_is_planned_and_closed(everybody: Everybody) -> None:
    place = f"/api/v1/games/{GAME}/seasons"
    planned = everybody.ask("operator", "post", place, {"submit_until": "2999-01-01T18:00:00Z", "series": 4})
    assert planned.status_code == 200, planned.text
    everybody.headers["closing"] = everybody.headers["operator"] | {"Idempotency-Key": "close-it"}
    closed = everybody.ask("closing", "post", place, {"number": 1})
    assert (closed.status_code, closed.json()["number"]) == (200, 1), closed.text
    assert everybody.ask("closing", "post", place, {"number": 1}).content == closed.content
    assert last_line(everybody.pool)[:2] == ("olga", "season close")
    assert everybody.ask("operator", "post", place, {"number": 1}).status_code == 409
    for body in (
        {"top": 3},
        {"submit_until": "2999-01-01T18:00:00"},
        {"submit_until": "2999-01-01T18:00Z", "number": 2},
    ):
        assert everybody.ask("operator", "post", place, body).status_code == 422


def test_a_match_is_shown_by_a_link_and_no_more(everybody: Everybody) -> None:
    made = everybody.ask("read", "post", "/api/v1/matches/1/shares", {"expires_in_s": 3600})
    assert (made.status_code, made.json()["match_id"]) == (201, 1), made.text
    assert everybody.ask("nobody", "get", made.json()["path"]).status_code == 200
    place = f"/api/v1/shares/{made.json()['id']}"
    assert everybody.ask("another player", "delete", place).status_code == 404
    assert everybody.ask("read", "delete", place).status_code == 200
    assert everybody.ask("nobody", "get", made.json()["path"]).status_code in {303, 401, 403, 404}


def test_a_hook_is_added_tried_and_removed_by_its_player(everybody: Everybody) -> None:
    body: dict[str, object] = {"url": "https://example.org/hook/abcdefgh", "events": ["accepted", "promoted"]}
    made = everybody.ask("owner", "post", "/api/v1/hooks", body)
    assert made.status_code == 201, made.text
    assert len(made.json()["secret"]) > 40
    assert "abcdefgh" not in made.text
    place = f"/api/v1/hooks/{made.json()['id']}"
    assert everybody.ask("another player", "delete", place).status_code == 403
    assert everybody.ask("owner", "post", f"{place}/test").json()["player"] == "kim"
    assert everybody.ask("owner", "delete", place).status_code == 200
    assert everybody.ask("owner", "delete", place).status_code == 404
    for key, wrong in (("events", ["won"]), ("events", []), ("url", "ftp://example.org"), ("form", "mail")):
        assert everybody.ask("owner", "post", "/api/v1/hooks", {**body, key: wrong}).status_code == 422, wrong


def test_a_match_is_taken_back_and_its_ratings_with_it(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    match = busy_ladder.small.matches[GAME][0]
    board = f"/api/v1/games/{GAME}/leagues/wood-2/board"
    before = everybody.ask("owner", "get", board).json()["items"]
    done = everybody.ask("operator", "post", f"/api/v1/matches/{match}/void", {"why": "a  broken host"})
    assert done.status_code == 200, done.text
    shown = everybody.ask("owner", "get", f"/api/v1/matches/{match}").json()
    assert (shown["state"], shown["void_by"], shown["reason"]) == ("void", "olga", "a broken host")
    assert everybody.ask("owner", "get", board).json()["items"] != before
    assert last_line(everybody.pool)[1] == "match void"
    assert everybody.ask("operator", "post", f"/api/v1/matches/{match}/void", {"why": "again"}).status_code == 409


def test_what_a_machine_played_of_a_gauntlet_is_taken_back(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    number = busy_ladder.gauntlets["finished"]
    place, played = f"/api/v1/gauntlets/{number}", {"host": "slow-one", "why": "too busy"}
    assert everybody.ask("operator", "post", f"{place}/purge", played).status_code == 409, "it has played none of it"
    change(everybody.pool, "UPDATE matches SET host = 'slow-one' WHERE gauntlet_id = %s AND slot < 2", number)
    before = everybody.ask("owner", "get", place).json()
    done = everybody.ask("operator", "post", f"{place}/purge", played)
    assert (done.json()["pairs"], done.json()["state"]) == (2, "running"), done.text
    after = everybody.ask("owner", "get", place).json()
    assert (before["state"], before["pairs_played"] - after["pairs_played"]) == ("finished", 2)
    assert last_line(everybody.pool)[:2] == ("olga", "gauntlet purge")


def test_a_bot_goes_back_to_the_league_that_is_named(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    place, wahoo = f"{BOTS}/wahoo", busy_ladder.small.versions["wahoo@v1"]
    assert everybody.ask("play", "post", f"{place}/rewind", {"to": "wood-2"}).status_code == 409, "it is there"
    moved_to(everybody.pool, wahoo, "bronze")
    assert everybody.ask("play", "post", f"{place}/rewind", {"to": "tin"}).status_code == 404
    done = everybody.ask("play", "post", f"{place}/rewind", {"to": "wood-2"}).json()
    titles = [league.title for league in within(everybody.pool, leagues.leagues, GAME)]
    assert (done["version"], done["from_league"], done["to_league"]) == ("wahoo@v1", "Bronze", titles[0])
    moved_to(everybody.pool, wahoo, "bronze")
    assert everybody.ask("play", "post", f"{place}/rewind", {}).json()["to_league"] == titles[1], "the one below"


def test_sources_are_shown_to_all_and_hidden_again(everybody: Everybody) -> None:
    source = {"words": json.dumps({"named": {"bot": "kraken", "number": 1}})}

    def seen() -> int:
        return everybody.ask("another player", "get", "/api/v1/views/source", query=source).status_code

    assert seen() == 403
    for is_public, status in ((True, 200), (False, 403)):
        done = everybody.ask("play", "patch", f"{BOTS}/kraken", {"source_is_public": is_public})
        assert (done.status_code, done.json()["source_is_public"], seen()) == (200, is_public, status), done.text
