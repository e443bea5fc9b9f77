"""The same commands with the database and with a server: they print the same, also what is followed to its end."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, ClassVar, TypeAlias

import pytest
from cattrs import Converter

from cli.gauntlet.files import write_pairs
from cli.ladders.client import Client, Response, client_of
from cli.ladders.remote import Remote
from cli.ladders.server import Server
from ladder import codec
from ladder.access import Actor, Role, Scope
from ladder.actions.clarifications import announce
from ladder.actions.tokens import WantedToken, create
from ladder.contract import READS, WRITES, function_of, name_of
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept, reject
from ladder.ids import VersionId
from ladder.version import HEADER, VERSION
from ladder.views.leagues import listed
from ladder.web.api import views
from ladder.web.pages.gauntlets import pair_file
from tests.catalogue import GAMES
from tests.conftest import Made, once, url_of
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, claimed_build, on_the_board, play_by, rows_of, within
from tests.ladder.rated import change
from tests.ladder.test_gauntlets import play_out
from tests.web.a_ladder import BusyLadder
from tests.web.commands import Printed, Typist
from tests.web.serving import KEY, Served, serving_players, token_of_kim
from workers.embedded.state_file import Running

COMMANDS = """
board
board --json
board --csv
board --game ocean-of-code --league wood-2
board --game ocean-of-code --limit 2
board --game ocean-of-code --limit 2 --json
board --league nowhere
board --game nothing
board --limit 0
bot list
bot list --json
bot list --all --game ocean-of-code
bot show kraken
bot show kraken --json
bot show kraken@v1
bot show nobody
bot show kraken@v99
bot why kraken
bot why kraken --json
bot why nobody
bot versus kraken
bot versus kraken wahoo --json
bot versus nobody
bot source kraken
bot source nobody
bot diff kraken@v1 kraken@v2
match list
match list --json
match list --bot kraken --lost
match list --bot kraken --json --limit 3
match list --bot nobody
match list --where rubbish
match list --game ocean-of-code --limit 2
match list --won
match show 1
match show 1 --json
match show 1 --turns
match show 999999
match show VOID
match show GAME --turns --json
match show GAME --runner-json /dev/stdout --force
match show VOID --runner-json /dev/stdout --force
match rematch GAME --recorded
match rematch GAME --seat 1
match rematch VOID
match view GAME --json
match view GAME --turn 3
match view --last kraken --json
match transitions GAME
match transitions VOID
match transitions --bot kraken --limit 3
losses wahoo
losses wahoo@v1 --by kind,map,seat --against kraken --json
losses kraken --where "turns > 100000"
losses nobody
match rejudge GAME
match rejudge GAME --policy codingame --json
match requests
match requests --json
gauntlet list
gauntlet list --json --limit 1
gauntlet list --bot kraken
gauntlet list --game ocean-of-code
gauntlet show FINISHED
gauntlet show FINISHED --json
gauntlet show RUNNING
gauntlet show VARIANTS
gauntlet show VARIANTS --json
gauntlet show 999999
gauntlet auto
gauntlet auto kraken
league list
league list --game ocean-of-code --json
league show ocean-of-code
league show nothing
season list
season list --json
season show ocean-of-code
season show ocean-of-code 7
rating verify
rating verify --game ocean-of-code --league wood-2 --json
rating verify --league nowhere
rating recompute --where turns>20
rating recompute --where rubbish
board --where turns>20 --json
board --where bot=nobody
rating settle
rating settle --game ocean-of-code --json
rating settle --league nowhere
deeds
deeds --json
audit --player kim
audit --json --limit 3
player quota
player quota kim --json
player quota nobody
player sessions kim
player sessions kim --json
player sessions nobody
match shares --player kim
contest status ocean-of-code
contest status ocean-of-code --json
contest results ocean-of-code --to RESULTS --season 99
contest results ice-and-fire --to RESULTS
contest results nothing --to RESULTS
""".strip().splitlines()

FIRST_OF_COMMANDS = {" ".join(line.split()[:2]): line for line in reversed(COMMANDS)}.values()
SECRET = "ldr_" + "x" * 43


@pytest.fixture
def direct(busy_ladder_pool: Pool, services: Running) -> Mapping[str, str]:
    return {"LADDER_DATABASE_URL": url_of(services, busy_ladder_pool), "LADDER_BROKER_URL": "redis://127.0.0.1:1"}


@pytest.fixture
def remote(busy_site: Served) -> Mapping[str, str]:
    return {"LADDER_SERVER": busy_site.address, "LADDER_TOKEN": KEY.text}


@pytest.fixture(scope="module")
def served(busy_ladder_pool: Pool) -> Iterator[Mapping[str, str]]:
    token = token_of_kim(busy_ladder_pool)
    with serving_players(busy_ladder_pool) as site:
        yield {"LADDER_SERVER": site.address, "LADDER_TOKEN": token}


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_prints_the_same_from_afar(
    words: str,
    busy_ladder: BusyLadder,
    direct: Mapping[str, str],
    remote: Mapping[str, str],
    served: Mapping[str, str],
    tmp_path: Path,
    typed: Typist,
) -> None:
    ids: dict[str, int | Path] = {name.upper(): number for name, number in busy_ladder.gauntlets.items()}
    ids |= {"VOID": busy_ladder.void[0], "GAME": busy_ladder.small.matches["ocean-of-code"][0], "RESULTS": tmp_path}
    line, words = words, " ".join(str(ids.get(word, word)) for word in words.split())
    here = typed(words, direct)
    assert here.out or here.err
    assert "No such option" not in here.err, "a line with a mistake shows nothing of its command"
    assert typed(words, served) == here, "by a token of a ladder that is served"
    if line in FIRST_OF_COMMANDS:
        assert typed(words, remote) == here, "by the key of one person's ladder, which is shown as its database is"


def test_a_match_is_played_again_from_afar(
    busy_ladder: BusyLadder, direct: Mapping[str, str], remote: Mapping[str, str], typed: Typist
) -> None:
    words = f"match rematch {busy_ladder.small.matches['ocean-of-code'][0]}"
    here, there = (typed(words, environment) for environment in (direct, remote))
    assert here.status == there.status == 0
    assert here.out.splitlines()[-1] == there.out.splitlines()[-1]
    assert " had ended " in there.out


@pytest.mark.parametrize(
    ("rows", "own"), [(READS, codec.converter(GAMES)), (WRITES, codec.new_converter(GAMES))], ids=["views", "actions"]
)
def test_everything_with_a_name_can_be_sent_and_read_again(rows: Mapping[str, Any], own: Converter) -> None:
    assert rows
    for name, row in rows.items():
        function = function_of(row)
        assert name_of(rows, function) == name
        for word in {*codec.parameters(function), "return"} - {codec.games_parameter(function)}:
            hint = codec.types_of(function)[word]
            own.get_unstructure_hook(hint)
            own.get_structure_hook(hint)


def test_a_server_that_cannot_be_meant_is_one_sentence(typed: Typist) -> None:
    for environment, status, sentence in (
        ({"LADDER_SERVER": "http://127.0.0.1:1"}, 4, "http://127.0.0.1:1 does not answer"),
        ({"LADDER_SERVER": "http://arena.example"}, 2, "only https is spoken beyond this machine"),
        ({"LADDER_SERVER": "ftp://arena.example"}, 2, "is not the address of a server"),
        ({"LADDER_SERVER": "https://kim@arena.example"}, 2, "is not the address of a server"),
        ({"LADDER_SERVER": "https://arena.example/ladder"}, 2, "leave out what stands behind the server's name"),
        ({"LADDER_SERVER": "https://arena.example", "LADDER_DATABASE_URL": "postgresql:///x"}, 2, "leave one out"),
        ({"LADDER_SERVER": SECRET}, 2, "a token stands where a server's address is to be"),
        ({"LADDER_SERVER": f"https://{SECRET}@arena.example"}, 2, "a token stands where a server's address is to be"),
        ({"LADDER_SERVER": f"https://arena.example/?t={SECRET}"}, 2, "its place is LADDER_TOKEN"),
    ):
        found = typed("board", environment)
        assert (found.status, found.out) == (status, "")
        assert sentence in found.err
        assert found.err.count("\n") == 1
        assert SECRET not in found.err, "what is printed may be kept where others read it"


def test_a_server_that_does_not_know_the_token_says_so(busy_site: Served, typed: Typist) -> None:
    for token in ("", "wrong"):
        found = typed("board", {"LADDER_SERVER": busy_site.address, "LADDER_TOKEN": token})
        assert found.status == 3
        assert "does not know this machine: put its key or a token into LADDER_TOKEN" in found.err


def test_a_server_that_lets_nobody_in_names_the_login(served: Mapping[str, str], file: Path, typed: Typist) -> None:
    url = served["LADDER_SERVER"]
    for words in ("board", f"submit {file} --game ocean-of-code"):
        for token, why in (("", "show a token"), (SECRET, "this token is unknown")):
            found = typed(words, {"LADDER_SERVER": url, "LADDER_TOKEN": token})
            assert (found.status, found.out, why in found.err) == (3, "", True), found.err
            assert found.err.endswith(f"; log in with `ladder login {url}`\n")


@pytest.mark.parametrize("named_by", ["remote", "served"])
def test_the_status_of_a_server_is_what_waits_there(
    named_by: str, direct: Mapping[str, str], services: Running, request: pytest.FixtureRequest, typed: Typist
) -> None:
    environment = request.getfixturevalue(named_by)
    here = {**direct, "LADDER_BROKER_URL": services.broker_url}
    found, beside = (typed("status", side) for side in (environment, here))
    assert (found.status, found.err) == (beside.status, beside.err) == (0, "")
    where, *lines = found.out.splitlines()
    assert where == f"the ladder at {environment['LADDER_SERVER']}, named by LADDER_SERVER"
    own = ("running: ", "pages: ", "messages in the queue: ", "no worker is alive: ")
    assert lines == [line for line in beside.out.splitlines() if not line.startswith(own)]
    both = [json.loads(typed("status --json", side).out) for side in (environment, here)]
    beside_the_database = {"home", "supervisor", "starting", "worker_ended", "queue", "web", "workers"}
    states = [{name: told for name, told in one.items() if name not in beside_the_database} for one in both]
    assert states[0] == states[1]


def test_what_is_watched_is_sent_again_only_where_it_has_changed(
    busy_site: Served, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = busy_site.get("/api/v1/views/leagues?words=%7B%22game%22%3Anull%7D").content
    answers = {"": (200, {"Content-Type": codec.MEDIA_TYPE, "ETag": '"1"'}, good), "same": (304, {}, b"")}
    monkeypatch.setattr(Stranger, "answers", answers)
    monkeypatch.setattr(Stranger, "known", [])
    slept: list[float] = []
    monkeypatch.setattr("cli.ladders.remote.time.sleep", slept.append)
    remote = Remote(Server(stranger), lambda: GAMES, print)
    first = remote.watch(listed, None)
    monkeypatch.setattr(Stranger, "now", "same")
    assert remote.watch(listed, None) == first
    assert 0 < slept[0] <= 1, "once a second"
    assert Stranger.known == [None, '"1"'], "it says what it has"
    remote.close()


def test_what_a_server_does_not_do_is_refused_and_not_done_here(remote: Mapping[str, str], typed: Typist) -> None:
    for words in ("import ladder.tar", "submit bot.py --game ocean-of-code"):
        found = typed(words, remote)
        assert found.status in {2, 3}
        assert found.out == ""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kraken.py"
    path.write_text("print('SURFACE')\n")
    return path


def test_no_command_reads_the_ladder_of_this_machine(file: Path, remote: Mapping[str, str], typed: Typist) -> None:
    for words, sentence in (
        ("export HERE/ladder.tar", "cannot do this for another machine: type it where its database is"),
        (
            "gauntlet run HERE/kraken.py --against kraken@v1 --local",
            "takes no versions from {server}: name files and bosses with --against ./old.py,boss-gold, and the game ",
        ),
        ("gauntlet run kraken@v1 --vary DEPTH=1,2 --game ocean-of-code --local", "takes no versions from {server}"),
    ):
        found = typed(words.replace("HERE", str(file.parent)), remote)
        assert (found.status, found.out) == (3, "")
        assert sentence.format(server=remote["LADDER_SERVER"]) in found.err
    assert list(file.parent.iterdir()) == [file], "nothing was written"


def test_lost_pairs_from_afar_become_the_same_pages(
    busy_ladder: BusyLadder,
    direct: Mapping[str, str],
    remote: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: Typist,
) -> None:
    monkeypatch.setattr("ladder.views.turns.match.LONG_ENOUGH_S", 0.0)  # so each answer has one match alone
    matches = busy_ladder.small.matches["ice-and-fire"][:4]
    pairs = [*zip(matches[::2], matches[1::2], strict=True)]
    written = []
    for number, environment in enumerate((direct, remote)):
        folder = tmp_path / str(number)
        folder.mkdir()
        context = typed.context(environment)
        write_pairs(context, pairs, folder)
        context.at_end.close()
        assert {file.name for file in folder.iterdir()} == set(map(pair_file, pairs))
        written.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert len(written[0]) == len(pairs) > 1
    assert written[1] == written[0]


def test_a_server_rates_so_many_matches_for_one_request_and_for_one_at_a_time(
    remote: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    monkeypatch.setattr(views, "MOST_MATCHES", 3)
    for words in ("rating verify", "board --where turns>=0"):
        found = typed(words, remote)
        assert (found.status, found.out) == (3, "")
        assert "this takes more than 3 matches, and a server rates no more for one request: ask for less" in found.err
    assert typed("board --where turns>=0 --game ocean-of-code --league wood-1", remote).status == 0
    for most, what in (("MOST_SETTLED_MATCHES", "matches"), ("MOST_SETTLED_VERSIONS", "versions")):
        with monkeypatch.context() as lower:
            lower.setattr(views, most, 1)
            found = typed("rating settle", remote)
            assert (found.status, found.out) == (3, "")
            assert f"{what}, and a server settles 1 for one request at most: ask for less" in found.err
            one = typed("rating settle --game ocean-of-code --league gold", remote)
            assert one.status == 0, "nothing was played there"
    for words in ("rating verify", "rating settle"):
        with views.RATING:
            found = typed(words, remote)
        assert (found.status, found.out) == (4, "")
        assert "rates matches again for somebody else just now: try again in a moment" in found.err


def test_a_server_does_not_send_a_view_again_that_has_not_changed(busy_site: Served) -> None:
    path = "/api/v1/views/boards?words=%7B%22game%22%3Anull%2C%22league%22%3Anull%7D"
    first = busy_site.get(path)
    assert first.status_code == 200, first.text
    again = busy_site.get(path, If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert busy_site.get(path, If_None_Match='W/"another"').content == first.content


class Stranger(BaseHTTPRequestHandler):
    """A server that is not a ladder: it answers with what its path asks for."""

    answers: ClassVar[Mapping[str, tuple[int, dict[str, str], bytes]]] = {}
    asked: ClassVar[list[str]] = []
    known: ClassVar[list[str | None]] = []
    versions: ClassVar[list[str | None]] = []
    now = ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(self.headers.get("Authorization", ""))
        self.known.append(self.headers.get("If-None-Match"))
        self.versions.append(self.headers.get(HEADER))
        status, headers, body = self.answers[self.now]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@pytest.fixture
def stranger() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


SUBMIT = "submit {file} --game ocean-of-code"


NO_LADDERS: list[tuple[str, tuple[int, dict[str, str], bytes], int, str]] = [
    ("board", (200, {}, b"<html>hello</html>"), 4, "is not a ladder: what it answered is not a view"),
    ("board", (200, {"Content-Type": codec.MEDIA_TYPE}, b"<html>hello</html>"), 2, "this is not a view"),
    ("board", (404, {}, b"nothing here"), 4, "is not a ladder: it answered 404"),
    ("board", (502, {}, b""), 4, "does not answer now (502)"),
    ("board", (302, {"Location": "https://elsewhere.example/"}, b""), 3, "leads elsewhere"),
    ("board", (500, {}, b"{"), 4, "is not a ladder: it answered 500"),
    (SUBMIT, (200, {}, b"<html>hello</html>"), 4, "is not a ladder: what it answered is not a view"),
    (SUBMIT, (404, {}, b"nothing here"), 4, "is not a ladder: it answered 404"),
    (SUBMIT, (302, {"Location": "/elsewhere"}, b""), 3, "leads elsewhere, to /elsewhere: name that server"),
    (SUBMIT, (307, {"Location": "https://elsewhere.example/"}, b""), 3, "elsewhere, to https://elsewhere.example/"),
    (SUBMIT, (500, {}, b"{"), 4, "is not a ladder: it answered 500"),
]


def test_a_server_that_is_no_ladder_or_leads_elsewhere_is_one_sentence_and_a_write_is_asked_once(
    stranger: str, file: Path, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    for words, answer, exit_status, sentence in NO_LADDERS:
        monkeypatch.setattr(Stranger, "answers", {"": answer})
        monkeypatch.setattr(Stranger, "asked", [])
        found = typed(words.format(file=file), {"LADDER_SERVER": stranger, "LADDER_TOKEN": "secret"})
        assert (found.status, found.out) == (exit_status, ""), answer
        assert sentence in found.err
        assert words != SUBMIT or Stranger.asked == ["Bearer secret"], "no redirection is followed"


def test_a_server_of_a_ladder_that_is_not_understood_is_one_sentence(
    stranger: str, file: Path, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    for version, sentence in (
        ("9.0.0", f"is Ladder 9.0.0 and this is {VERSION}: this program is too old for it: update it"),
        ("0.0.1", f"is Ladder 0.0.1 and this is {VERSION}: this program is too new for it"),
    ):
        headers = {"Content-Type": codec.MEDIA_TYPE, HEADER: version}
        monkeypatch.setattr(Stranger, "answers", {"": (200, headers, b"[]")})
        for words in ("board", f"submit {file} --game ocean-of-code"):
            monkeypatch.setattr(Stranger, "versions", [])
            found = typed(words, {"LADDER_SERVER": stranger})
            assert (found.status, found.out) == (3, "")
            assert sentence in found.err
            assert Stranger.versions == [VERSION], "it says of which Ladder it is, too"


def test_a_server_tells_a_program_of_a_ladder_that_it_does_not_understand(busy_site: Served) -> None:
    path = "/api/v1/views/leagues?words=%7B%22game%22%3Anull%7D"
    assert busy_site.get(path, Ladder_Version=VERSION).status_code == 200
    for version, words in (("9.0.0", "newer: this server has to be updated first"), ("0.0.1", "older: update")):
        answer = busy_site.get(path, Ladder_Version=version)
        assert (answer.json()["exit_status"], words in answer.json()["detail"]) == (3, True), answer.text


def test_a_read_that_is_put_off_is_asked_again(
    busy_site: Served, remote: Mapping[str, str], stranger: str, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    good = busy_site.get("/api/v1/views/leagues?words=%7B%22game%22%3Anull%7D").content
    answers = {"": (429, {"Retry-After": "0"}, b"{}"), "good": (200, {"Content-Type": codec.MEDIA_TYPE}, good)}
    monkeypatch.setattr(Stranger, "answers", answers)
    monkeypatch.setattr(Stranger, "asked", [])

    def later(_: float) -> None:
        monkeypatch.setattr(Stranger, "now", "good")

    monkeypatch.setattr("cli.ladders.remote.time.sleep", later)
    assert typed("league list", {"LADDER_SERVER": stranger}) == typed("league list", remote)
    assert len(Stranger.asked) == 2


@dataclass
class Clock:
    """A clock of the command alone, on which only its own waits take time."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + 0.01


def test_a_read_that_is_put_off_for_more_than_half_a_minute_in_all_is_refused(
    stranger: str, monkeypatch: pytest.MonkeyPatch, typed: Typist
) -> None:
    body = b'{"title": "too many", "detail": "too many requests", "exit_status": 3}'
    for wait_s, asked in ((31, 1), (10, 3)):
        monkeypatch.setattr(Stranger, "answers", {"": (429, {"Retry-After": str(wait_s)}, body)})
        monkeypatch.setattr(Stranger, "asked", [])
        monkeypatch.setattr("cli.ladders.remote.time", Clock())
        assert typed("league list", {"LADDER_SERVER": stranger}) == Printed(3, "", "ladder: too many requests\n")
        assert len(Stranger.asked) == asked


GAME = "ocean-of-code"
Two: TypeAlias = tuple[VersionId, VersionId]


@dataclass
class Follower:
    """Somebody who follows a ladder on a server. `versions`: two of kraken's; `statuses`: of all answers."""

    pool: Pool
    queue: RememberingQueue
    environment: dict[str, str]
    versions: Two
    monkeypatch: pytest.MonkeyPatch
    typed: Typist
    statuses: list[int] = field(default_factory=list[int])

    def follow(self, words: str, module: str, *meanwhile: Callable[[], None]) -> Printed:
        """Type a command that looks again and again; each time before it does, something happens, at last nothing."""
        left = list(meanwhile)

        def sleep(_: float) -> None:
            if left:
                left.pop(0)()

        self.monkeypatch.setattr(f"{module}.time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
        self.monkeypatch.setattr("cli.ladders.remote.client_of", self.listening)
        return self.typed(words, self.environment)

    def listening(self, server: Server) -> Client:
        client = client_of(server)
        request = client.request

        def noted(*asked: Any) -> Response:
            answer = request(*asked)
            self.statuses.append(answer.status_code)
            return answer

        self.monkeypatch.setattr(client, "request", noted)
        return client


def two_of_kraken_without_a_boss(pool: Pool) -> Two:
    change(pool, "UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
    return on_the_board(pool, "kraken", "print(1)"), on_the_board(pool, "kraken", "print(2)")


made = once(two_of_kraken_without_a_boss)


@pytest.fixture
def follower(made: Made[Two], pool: Pool, monkeypatch: pytest.MonkeyPatch, typed: Typist) -> Iterator[Follower]:
    token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ, Scope.SUBMIT, Scope.PLAY}))).secret
    queue = RememberingQueue()
    with serving_players(pool, lambda: queue) as site:
        environment = {"LADDER_SERVER": site.address, "LADDER_TOKEN": token}
        yield Follower(pool, queue, environment, made.found, monkeypatch, typed)


def test_a_gauntlet_is_followed_to_its_verdict(follower: Follower) -> None:
    older, newer = follower.versions
    undecided = "cannot tell kraken@v2 and kraken@v1 apart: "
    verdicts = ((newer, 0, "passed: kraken@v2 "), (older, 1, "failed: kraken@v2 "), (None, 6, undecided))
    for winner, status, verdict in verdicts:

        def play(winner: VersionId | None = winner) -> None:
            won = play_out(follower.pool, lambda claim: None if winner is None else claim.version_ids.index(winner))
            assert won == 12

        words = "gauntlet run kraken@v2 --against kraken@v1 --pairs 6 --seed 3"
        found = follower.follow(words, "cli.gauntlet.output", lambda: None, play)
        assert (found.status, verdict in found.out) == (status, True), found


def test_a_submission_is_followed_until_it_has_its_rank(follower: Follower, tmp_path: Path) -> None:
    source = tmp_path / "squid.py"
    source.write_text("print('SURFACE')")

    def build() -> None:
        claim = claimed_build(follower.pool, follower.queue.builds[-1])
        with transaction(follower.pool) as connection:
            connection.execute("UPDATE leagues SET battles = 1")
            assert accept(connection, claim)

    def play() -> None:
        assert play_by(follower.pool, lambda _: None) > 0

    found = follower.follow(f"submit {source} --game {GAME} --watch", "cli.submit", build, play)
    assert found.out.startswith("submitted squid@v1;")
    assert (found.status, "squid@v1 ranks " in found.out) == (0, True), found


def test_a_submission_is_followed_until_it_is_rejected_and_what_is_announced_meanwhile_is_printed_once(
    follower: Follower, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "squid.py"
    source.write_text("print('SURFACE')")
    monkeypatch.setattr("cli.submit.NEWS_EVERY_S", 0.0)
    olga = Actor("olga", Role.OPERATOR)
    announce(olga, follower.pool, "Known before.")

    def announced() -> None:
        announce(olga, follower.pool, "Submissions close at 18:00.", GAME)
        announce(olga, follower.pool, "Not of this game.", "ice-and-fire")

    def build() -> None:
        assert within(follower.pool, reject, claimed_build(follower.pool, follower.queue.builds[-1]), "it said nothing")

    found = follower.follow(f"submit {source} --game {GAME} --watch", "cli.submit", announced, lambda: None, build)
    assert [line for line in found.err.splitlines() if "announcement" in line] == [
        "announcement 2: Submissions close at 18:00."
    ]
    assert found.out.startswith("submitted squid@v1;")
    assert (found.status, "squid@v1 is rejected: it said nothing" in found.err) == (3, True), found


def test_a_token_that_may_not_read_is_said_to_be_why_a_submission_cannot_be_followed(
    follower: Follower, tmp_path: Path
) -> None:
    (tmp_path / "squid.py").write_text("print('SURFACE')")
    submits = create(Actor("kim"), follower.pool, WantedToken("submits", frozenset({Scope.SUBMIT})))
    follower.environment["LADDER_TOKEN"] = submits.secret
    found = follower.follow(f"submit {tmp_path / 'squid.py'} --game {GAME} --watch", "cli.submit")
    assert (found.status, "with this token, which lacks the scope read" in found.err) == (3, True), found


def test_battles_that_are_asked_for_are_followed_until_they_are_played(follower: Follower) -> None:
    on_the_board(follower.pool, "orca")

    def play() -> None:
        schedule(follower.pool, RememberingQueue(), Random(1), GAMES)
        rows = rows_of(follower.pool, "SELECT id FROM matches WHERE request_id IS NOT NULL")
        assert len(rows) == 2
        for (match_id,) in rows:
            claim = claimed(follower.pool, match_id)
            assert within(follower.pool, record, claim, result_of(claim, (1, 0)))

    found = follower.follow("match request kraken orca --watch", "cli.match.request", play)
    assert (found.status, "2 matches" in found.out) == (0, True), found


def test_a_board_is_kept_up_to_date_until_ctrl_c(follower: Follower) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    found = follower.follow(
        f"board --game {GAME} --watch", "cli.board", lambda: None, lambda: newcomer(follower), interrupt
    )
    assert (found.status, "newcomer@v1" in found.out) == (130, True), found
    assert Counter(follower.statuses) == {200: 3, 304: 3}, "what has not changed is not sent again"


def newcomer(follower: Follower) -> None:
    on_the_board(follower.pool, "newcomer")
