"""The same writing commands with the database and with a server, and answers that are lost on the way."""

import json
import re
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from cli.ladders.remote import command_for
from engine.errors import Refused
from ladder import audit
from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts, sessions
from ladder.actions import seasons
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool, one, transaction
from ladder.errors import QueueDown
from ladder.queue import Backlog
from ladder.web.identity import SESSION, form_token
from ladder.web.writing.write_request import MOST_BYTES_OF_A_BOT
from tests.conftest import cloned, opened, url_of
from tests.fakes import BrokenQueue
from tests.ladder.arena import living_worker, rows_of, within
from tests.ladder.rated import change
from tests.patience import patience_s
from tests.web.a_ladder import BusyLadder
from tests.web.commands import Printed, Typist
from tests.web.serving import KEY, Served, serving_players, token_of_kim
from workers.embedded.state_file import Running

COMMANDS = """
submit NEW --game ocean-of-code
submit NEW --game ocean-of-code
submit NEW --game ocean-of-code --bot octopus --note twice --param DEPTH=3 --rival
submit OTHER --game ocean-of-code --bot new --json
submit EMPTY --game ocean-of-code
submit NEW --game nothing
submit NOWHERE --game ocean-of-code
submit NEW --game ocean-of-code --bot a/b
submit NEW --game ocean-of-code --player house
submit NEW --game ocean-of-code --player
bot activate kraken@v1
bot activate kraken@v1
bot activate kraken@v99
bot activate nobody@v1
bot activate new@v1
bot rewind kraken
bot rename octopus squid
bot rename squid kraken
bot rename nobody else
bot retire squid --json
bot retire squid
bot disqualify new --why copied
bot disqualify new --why copied
bot reinstate new --json
match request kraken wahoo --battles 2
match request kraken wahoo --battles 2 --seed 7 --json
match request kraken nobody
match request kraken kraken@v1 --battles 0
match cancel 1
match cancel 1
match cancel 999
match void GAME --why broken
match void GAME --why broken
match void 999999 --why broken
gauntlet run kraken@v2 --against kraken@v1 --seed 5 --pairs 3 --detach
gauntlet run kraken@v2 --against kraken@v1 --seed 5 --pairs 3 --detach --json
gauntlet run kraken@v2 --against nobody --detach
gauntlet run kraken@v2 --sprt 0,10 --vary DEPTH=4,6 --seed 3 --detach
gauntlet run nobody --detach
gauntlet stop RUNNING
gauntlet stop RUNNING
gauntlet stop FINISHED --json
gauntlet resume RUNNING --json
gauntlet resume 999
gauntlet purge FINISHED --host nowhere --why slow
gauntlet purge FINISHED --host slow-one --why slow --json
gauntlet auto kraken --against kraken --pairs 5
gauntlet auto kraken --off
gauntlet auto kraken --off --json
league apply LEAGUES --dry-run
league apply LEAGUES --json
league apply EMPTY
rating recompute --game ocean-of-code
rating recompute --game ocean-of-code --league wood-2 --json
season plan ocean-of-code --submit-until 2001-01-01
season plan ocean-of-code --submit-until 2099-01-01 --series 3
season plan ocean-of-code --cancel --json
season plan ocean-of-code --cancel
season close ocean-of-code --series 3 --top 1 --yes
season close ocean-of-code --now --yes --json
season close ocean-of-code --now --yes
season close nothing --now --yes
contest open ocean-of-code --until 2001-01-01
contest open ocean-of-code --until 2099-01-01 --leagues 2 --series 3
contest open ocean-of-code --until 2099-01-01 --from 2099-01-01
contest open ocean-of-code --until 2099-01-01 --from 2098-01-01 --title Cup
contest open ocean-of-code --until 2099-01-01 --one-bot
board --game ocean-of-code
gauntlet list
bot show new --json
""".strip().splitlines()
ACCOUNTS = """
hooks list
match shares
match share GAME --expires 7d
match share GAME --json
match share GAME --expires never
match share 999999
match shares
match shares --json
match unshare 1
match unshare 1
match unshare 999
token list
token list --json
token revoke old
token revoke old
token revoke nothing --json
token create --name more --scope rubbish
token create --name more --scope read --expires never
player list
player list --json
player invite mia
player invite mia --json
player invite a/b
player invite house
player invite kim --operator
player reset mia
player reset nobody
player join-code --uses 3
player join-code --uses 0
player disable mia --why spam
player disable mia --why spam
player disable kim --why spam
player disable nobody --why spam
player disable mia
player enable mia --json
player enable mia
player role mia operator
player role mia nothing
player role nobody player
player quota kim --versions-per-day none --tokens 7
player quota kim --tokens many
player quota kim --reset
player quota kim --reset
player quota --gauntlets 4 --json
player quota nobody --tokens 3
match unshare 1
game lock ocean-of-code --why over
game lock ocean-of-code --why again --json
bot activate kraken@v2
game unlock ocean-of-code
game unlock ocean-of-code
game lock nothing --why over
board --game ocean-of-code --frozen-from 2099-01-01
board --game ocean-of-code --frozen-from 2001-01-01 --json
board --game ocean-of-code --frozen-from 2002-01-01
board --game ocean-of-code --thaw
board --game ocean-of-code --thaw
board --game ocean-of-code
gauntlet list
bot show new --json
player role mia player
player role kim player
deeds
""".strip().splitlines()
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?(\+00:00|Z)?)?")
SECRET = re.compile(r'(/join/|/r/|"last_four": ")[\w-]+|(?<=ldr_[.]{3})[\w-]{4}')


class AwayQueue(BrokenQueue):
    """A queue whose broker does not answer at all, as that of the commands beside the database."""

    def backlog(self) -> Backlog:
        raise QueueDown("the broker does not answer")


class Far:
    """A ladder behind a server, and how commands reach its database beside that."""

    def __init__(self, services: Running, pool: Pool, url: str, token: str) -> None:
        self.remote = {"LADDER_SERVER": url, "LADDER_TOKEN": token, "LADDER_PLAYER": "somebody-else"}
        self.direct = {
            "LADDER_DATABASE_URL": url_of(services, pool),
            "LADDER_BROKER_URL": "redis://127.0.0.1:1",
            "LADDER_WEB_MODE": "served",
            "LADDER_PUBLIC_URL": url,
            "LADDER_PLAYER": "kim",
        }
        self.url = url
        self.pool = pool


@pytest.fixture
def far(services: Running, with_busy_ladder: tuple[str, BusyLadder]) -> Iterator[Far]:
    template, busy = with_busy_ladder
    with cloned(services, template) as name, opened(services, name, 8) as pool:
        token = made_ready(pool, busy)
        with serving_players(pool, AwayQueue) as site:
            yield Far(services, pool, site.address, token)


@pytest.fixture
def near(services: Running, with_busy_ladder: tuple[str, BusyLadder], far: Far) -> Iterator[dict[str, str]]:
    """How commands reach the database of another ladder like that."""
    template, busy = with_busy_ladder
    with cloned(services, template) as name:
        with opened(services, name) as pool:
            made_ready(pool, busy)
            address = url_of(services, pool)
        yield {**far.direct, "LADDER_DATABASE_URL": address}


def made_ready(pool: Pool, busy: BusyLadder) -> str:
    """Return a token of kim, and make another one that nobody uses; let a machine have played pairs of a gauntlet."""
    token = token_of_kim(pool)
    create(Actor("kim"), pool, WantedToken("old", frozenset({Scope.READ})))
    change(pool, "UPDATE tokens SET last_used_at = now(), last_used_from = '127.0.0.1' WHERE name = 'ci'")
    with transaction(pool) as connection:
        query = "UPDATE matches SET host = 'slow-one' WHERE gauntlet_id = %s AND slot < 2"
        connection.execute(query, [busy.gauntlets["finished"]])
    return token


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {"NEW": "new.py", "OTHER": "other.py", "EMPTY": "empty.py", "LEAGUES": "leagues.toml"}
    paths = {word: tmp_path / name for word, name in made.items()}
    paths["NEW"].write_text("print('MOVE N')\n")
    paths["OTHER"].write_text("print('SURFACE')\n")
    paths["EMPTY"].write_text("")
    paths["LEAGUES"].write_text('game = "ocean-of-code"\n[leagues.wood-2]\nbattles = 44\ntitle = "Wood two"\n')
    return {word: str(path) for word, path in paths.items()} | {"NOWHERE": str(tmp_path / "nowhere.py")}


@pytest.mark.parametrize(("lines", "fewest"), [(COMMANDS, 20), (ACCOUNTS, 12)], ids=["play", "accounts"])
def test_a_command_writes_the_same_from_afar(
    lines: list[str],
    fewest: int,
    near: dict[str, str],
    far: Far,
    files: dict[str, str],
    busy_ladder: BusyLadder,
    typed: Typist,
) -> None:
    """Each finds what those before it have done, so that they are typed one after the other."""
    ids = {name.upper(): str(number) for name, number in busy_ladder.gauntlets.items()}
    ids["GAME"] = str(busy_ladder.small.matches["ocean-of-code"][0])
    wrong = {}
    wrote = 0
    for line in lines:
        words = " ".join((ids | files).get(word, word) for word in line.split())
        both = (typed(words, side) for side in (near, far.remote))
        here, there = (Printed(one.status, plain_text(one.out), plain_text(one.err)) for one in both)
        named = f"on {far.url}\n"
        assert here.out or here.err
        assert "No such option" not in here.err, f"{line}: a line with a mistake shows nothing of its command"
        wrote += named in there.err
        there = Printed(there.status, there.out, there.err.replace(named, ""))
        if here != there:
            wrong[line] = (here, there)
    assert not wrong, "\n".join(f"{line}\n  {here}\n  {there}" for line, (here, there) in wrong.items())
    assert wrote >= fewest, "where something is written, the server is named"


def plain_text(text: str) -> str:
    return SECRET.sub(r"\1SECRET", MOMENT.sub("MOMENT", text))


def test_what_a_token_may_not_do(far: Far, typed: Typist) -> None:
    for words, sentence in (
        ("bot retire kraken --player mia", "you are kim here, so nothing is done in the name of mia"),
        ("token create --name x --scope read", "a token may not create a token"),
    ):
        found = typed(words, far.remote)
        assert (found.status, found.out, sentence in found.err) == (3, "", True), found.err


def test_who_may_read_what_concerns_others(far: Far, typed: Typist) -> None:
    mia = Actor("mia")
    with transaction(far.pool) as connection:
        sessions.begin(connection, player_id(connection, "mia"), "a browser of mia")
    hers = {**far.remote, "LADDER_TOKEN": create(mia, far.pool, WantedToken("hers", frozenset({Scope.READ}))).secret}
    in_between = ("player quota kim", "player sessions kim", "match shares --player kim")
    for words in ("player list", "audit", "deeds", "token list", "audit --player mia", *in_between):
        assert typed(words, far.remote).status == 0, words
    for words in ("player list", "deeds", "token list --player kim", "audit --player kim", *in_between):
        found = typed(words, hers)
        assert (found.status, found.out) == (3, ""), words
    refused = [line.target for line in within(far.pool, audit.latest, 10, "mia") if line.action == "refused"]
    may_do = "change what others may do"
    assert refused == [*["read what others did"] * 2, may_do], "of all players; not lists of others' own"
    shown = [typed("contest status ocean-of-code", environment) for environment in (far.remote, hers)]
    assert [(one.status, "logs in" in one.out) for one in shown] == [(0, True), (0, False)]
    rows = json.loads(typed("contest status ocean-of-code --json", hers).out)["players"]
    assert {row["player"] for row in rows} >= {"kim"}
    assert {row["logs_in"] for row in rows} == {None}
    for words in ("player quota mia", "player sessions mia", "player quota", "match shares"):
        assert typed(words, hers).status == 0, words
    assert "a browser of mia" in typed("player sessions mia", far.remote).out
    assert "hers" in typed("token list", hers).out
    assert "token create" in typed("audit --player mia", hers).out
    own = json.loads(typed("audit --limit 5 --json", hers).out)
    assert {line["actor"] for line in own} == {"mia"}, "a player who names nobody means the own lines"
    everybodys = json.loads(typed("audit --json", far.remote).out)
    assert {line["actor"] for line in everybodys} >= {"kim", "mia"}


WRITTEN_AT = re.compile("<footer>.*</footer>")
"""When a page was written as a file, to the second."""


def test_the_results_of_a_contest_are_the_same_from_afar(
    far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    seasons.close(Actor("kim", Role.OPERATOR), far.pool, "ocean-of-code")
    monkeypatch.chdir(tmp_path)

    def written(environment: Mapping[str, str]) -> tuple[Printed, dict[str, str]]:
        done = typed("contest results ocean-of-code --to results", environment)
        texts = {str(path): path.read_text("utf-8") for path in Path("results").rglob("*") if path.is_file()}
        shutil.rmtree("results", ignore_errors=True)
        return done, {path: WRITTEN_AT.sub("", text) for path, text in texts.items()}

    here = written(far.direct)
    assert (here[0].status, "results/players/kim.html" in here[1]) == (0, True), here[0]
    assert written(far.remote) == here


def test_class_lists_are_for_operators_and_of_players_themselves(far: Far, tmp_path: Path, typed: Typist) -> None:
    (tmp_path / "class.csv").write_text("name,real name,email\nmia,Mia Zqx,mia@zqx.example\nkim,Kim Zqx,\n", "utf-8")
    words = f"contest open ocean-of-code --until 2126-01-01 --players {tmp_path}/class.csv --links {tmp_path}/links.csv"
    assert typed(words, far.remote).status == 0
    seasons.close(Actor("kim", Role.OPERATOR), far.pool, "ocean-of-code")
    asked = "contest results ocean-of-code --grades --csv"
    rows = typed(asked, far.remote).out.splitlines()
    assert rows[0].startswith("player,team,real_name,group,email,external_id,version,league,rank,late,points,handed_in")
    assert [row.startswith(own) for row, own in zip(rows[1:], ("kim,Kim Zqx,", "mia,Mia Zqx,,mia@zqx"), strict=True)]
    hers = create(Actor("mia"), far.pool, WantedToken("hers", frozenset({Scope.READ}))).secret
    others = create(Actor("mia"), far.pool, WantedToken("plays", frozenset({Scope.PLAY}))).secret
    refused = typed(asked, {**far.remote, "LADDER_TOKEN": hers})
    assert (refused.status, refused.out) == (3, "")
    for secret, own in ((hers, "Mia Zqx"), (others, None)):
        found = json.loads(typed("contest status ocean-of-code --json", {**far.remote, "LADDER_TOKEN": secret}).out)
        assert {row["player"]: row.get("real_name") for row in found["players"]} == {"mia": own, "kim": None}
    bearer = {"Authorization": f"Bearer {hers}"}
    for path in ("players/kim", "games/ocean-of-code/seasons/1"):
        answer = httpx.get(f"{far.url}/api/v1/{path}", headers=bearer, timeout=patience_s())
        assert (answer.status_code, "zqx" in answer.text.lower()) == (200, False), path


def test_of_machines_and_processes_players_see_numbers_alone(far: Far, typed: Typist) -> None:
    within(far.pool, player_id, "mia")
    secret = create(Actor("mia"), far.pool, WantedToken("hers", frozenset({Scope.READ}))).secret
    hers = {**far.remote, "LADDER_TOKEN": secret}
    with living_worker(far.direct["LADDER_DATABASE_URL"]) as worker_id:
        lines, operators = (typed("status", side).out for side in (hers, far.remote))
        assert "workers: 1 process on 1 machine, 0 at work\n" in lines
        assert f"worker {worker_id}:" not in lines
        assert re.search(rf"worker {worker_id}: [^,]+, process \d+, idle", operators)
        bearer = {"Authorization": f"Bearer {secret}"}
        by_command = json.loads(typed("status --json", hers).out)
        for found in (by_command, httpx.get(f"{far.url}/api/v1/status", headers=bearer, timeout=patience_s()).json()):
            assert found["fleet"] == {"machines": 1, "processes": 1, "at_work": 0}
            assert "workers" not in found
        room = httpx.get(f"{far.url}/operations", headers=bearer, timeout=patience_s()).text
        assert "<dd>1 process on 1 machine, 0 at work</dd>" in room
        assert "<dt>failed attempts</dt>" in room
        assert "<h2>Workers</h2>" not in room
        assert socket.gethostname() not in room


def test_the_status_beside_a_served_ladder_names_its_public_address(far: Far, typed: Typist) -> None:
    served = {**far.direct, "LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://arena.example"}
    assert "pages:" not in typed("status", {**far.direct, "LADDER_WEB_MODE": "local", "LADDER_PUBLIC_URL": ""}).out
    assert "pages: https://arena.example\n" in typed("status", served).out
    assert json.loads(typed("status --json", served).out)["web"] == "https://arena.example"


def test_own_rows_of_a_board_are_those_of_the_player_whom_the_server_knows(
    far: Far, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    own = "\x1b[1;36mkraken@v"
    words = "board --game ocean-of-code"
    assert own in typed(words, far.remote).out
    assert own in typed(words, far.direct).out
    within(far.pool, player_id, "mia")
    hers = create(Actor("mia"), far.pool, WantedToken("hers", frozenset({Scope.READ}))).secret
    other = typed(words, {**far.remote, "LADDER_TOKEN": hers, "LADDER_PLAYER": "kim"}).out
    assert ("kraken@v" in other, own in other) == (True, False)


def test_links_and_tokens_are_looked_for_in_their_lists() -> None:
    lists = {"share-match": "match shares", "revoke-share": "match shares", "revoke-token": "token list"}
    for action, command in lists.items():
        assert command_for(action, {}) == f"ladder {command}"


class Losing(BaseHTTPRequestHandler):
    """A proxy that loses each n-th answer, after the server has given it."""

    to: ClassVar[str]
    lost_of: ClassVar[frozenset[int]] = frozenset()
    asked: ClassVar[Iterator[int]] = count()

    def do_POST(self) -> None:
        self.passed_on(self.rfile.read(int(self.headers["Content-Length"])))

    def do_GET(self) -> None:
        self.passed_on(None)

    def passed_on(self, body: bytes | None) -> None:
        kept = {"authorization", "idempotency-key", "content-type", "ladder-version"}
        headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
        found = httpx.request(self.command, self.to + self.path, headers=headers, content=body, timeout=patience_s())
        if body is not None and next(self.asked) in self.lost_of:
            self.close_connection = True
            return
        self.send_response(found.status_code)
        for name in ("Content-Type", "Ladder-Version", "Retry-After"):
            if name in found.headers:
                self.send_header(name, found.headers[name])
        self.send_header("Content-Length", str(len(found.content)))
        self.end_headers()
        self.wfile.write(found.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@contextmanager
def losing(to: str, lost: frozenset[int], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Losing, "to", to, raising=False)
    monkeypatch.setattr(Losing, "lost_of", lost)
    monkeypatch.setattr(Losing, "asked", count())
    monkeypatch.setattr("cli.ladders.remote.WAITS_S", (0.01, 0.01, 0.01))
    with ThreadingHTTPServer(("127.0.0.1", 0), Losing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def rows(pool: Pool) -> tuple[int, ...]:
    counts = "(SELECT count(*) FROM versions), (SELECT count(*) FROM gauntlets), (SELECT count(*) FROM idempotency)"
    return rows_of(pool, f"SELECT {counts}")[0]


def test_an_answer_that_is_lost_makes_nothing_twice(
    far: Far, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    before = rows(far.pool)
    with losing(far.url, frozenset({0, 1, 3}), monkeypatch) as proxy:
        through = {**far.remote, "LADDER_SERVER": proxy}
        found = typed(f"submit {files['NEW']} --game ocean-of-code", through)
        assert (found.status, found.out.startswith("submitted new@v1;")) == (0, True), found.err
        assert typed("gauntlet run kraken@v2 --against kraken@v1 --pairs 2 --detach", through).status == 0
    after = rows(far.pool)
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 2]


def test_where_no_answer_comes_the_command_says_how_to_find_out(
    far: Far, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    with losing(far.url, frozenset(range(9)), monkeypatch) as proxy:
        through = {**far.remote, "LADDER_SERVER": proxy}
        found = typed(f"submit {files['NEW']} --game ocean-of-code", through)
        assert (found.status, found.out) == (4, "")
        assert "so it is not known whether this was done: `ladder bot show new` shows it" in found.err
        assert next(Losing.asked) == 4, "asked once, and again three times"
        assert "v1" in typed("bot show new", through).out
    gone = typed(f"submit {files['OTHER']} --game ocean-of-code", through)
    assert (gone.status, "not known" in gone.err) == (4, False), "nothing was sent"


def test_a_league_boss_is_not_submitted_from_afar(far: Far) -> None:
    words = {"game": "ocean-of-code", "bot": "mine", "source": {"text": "print()"}, "language": "python"}
    body = {"submission": words | {"boss_of": "wood-1", "leaves_rival": False, "note": "", "params": {}}}
    with httpx.Client(
        base_url=far.url, headers={"Authorization": f"Bearer {far.remote['LADDER_TOKEN']}"}, timeout=patience_s()
    ) as client:
        assert client.post("/api/v1/acts/submit", json=body).status_code == 200
        assert client.post("/api/v1/acts/nothing", json=body).json()["exit_status"] == 2
        assert client.post("/api/v1/acts/submit", content=b"\xff").status_code == 422
        old = client.post("/api/v1/acts/submit", json=body, headers={"Ladder-Version": "0.0.9"}).json()
        assert (old["exit_status"], "older: update that program" in old["detail"]) == (Refused.exit_status, True)
    assert within(far.pool, one, "SELECT boss_of IS NULL FROM bots WHERE name = 'mine'", {})[0]


@pytest.mark.parametrize(("most", "chars", "status"), [(50, 60, 3), (150_000, 140_000, 0)])
def test_the_longest_source_is_that_of_the_server(
    pool: Pool, most: int, chars: int, status: int, tmp_path: Path, typed: Typist
) -> None:
    with transaction(pool) as connection:
        player_id(connection, "kim")
        browser = sessions.begin(connection, accounts.find_account(connection, "kim").id, "a test")
    token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.SUBMIT}))).secret
    sources = [f"{name:#<{chars}}" for name in ("one", "two", "three")]
    (tmp_path / "long.py").write_text(sources[0])
    refusal = f"the source has {chars:,} characters, the limit is {most:,}"
    with serving_players(pool, AwayQueue, LADDER_SOURCE_CHARS=str(most)) as site:
        remote = {"LADDER_SERVER": site.address, "LADDER_TOKEN": token}
        found = typed(f"submit {tmp_path / 'long.py'} --game ocean-of-code", remote)
        assert (found.status, refusal in found.err) == (status, status == 3), found.err
        versions = f"{site.address}/api/v1/games/ocean-of-code/bots/long/versions"
        bearer = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(
            versions, json={"source": sources[1], "language": "python"}, headers=bearer, timeout=patience_s()
        )
        assert answer.status_code == (413 if status else 201), answer.text
        too_long = httpx.post(versions, content=b" " * (MOST_BYTES_OF_A_BOT + 1), headers=bearer, timeout=patience_s())
        assert (too_long.status_code, f"{MOST_BYTES_OF_A_BOT:,} bytes at most" in too_long.text) == (413, True)
        form = {"form_token": form_token(browser), "bot": "long", "text": sources[2], "language": "python"}
        parts: Any = {name: (None, text) for name, text in form.items()}
        page = f"{site.address}/games/ocean-of-code/submit"
        sent = httpx.post(page, files=parts, headers={"Cookie": f"{SESSION}={browser}"}, timeout=patience_s())
        assert (sent.status_code, refusal in sent.text) == ((413, True) if status else (303, False)), sent.text


def test_one_persons_ladder_is_only_read_from_afar(busy_site: Served, files: Mapping[str, str], typed: Typist) -> None:
    remote = {"LADDER_SERVER": busy_site.address, "LADDER_TOKEN": KEY.text}
    for words in (f"submit {files['NEW']} --game ocean-of-code", "game lock ocean-of-code --why over"):
        found = typed(words, remote)
        assert (found.status, found.out) == (3, "")
        assert "is one person's ladder, which can only be read from here" in found.err
