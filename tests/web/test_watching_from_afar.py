"""What is followed from afar to its end, on a real server: with the exit status that it has beside the database."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from cli.ladders.client import Client, Response, client_of
from cli.ladders.server import Server
from ladder.access import Actor, Role, Scope
from ladder.actions.clarifications import announce
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept, reject
from ladder.ids import VersionId
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, claimed_build, on_the_board, play_by, rows_of, within
from tests.ladder.rated import change
from tests.ladder.test_gauntlets import play_out
from tests.web.commands import Printed, Typist
from tests.web.serving import serving_players

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
    for winner, status, verdict in ((newer, 0, "passed"), (older, 1, "failed"), (None, 6, "undecided")):

        def play(winner: VersionId | None = winner) -> None:
            won = play_out(follower.pool, lambda claim: None if winner is None else claim.version_ids.index(winner))
            assert won == 12

        words = "gauntlet run kraken@v2 --against kraken@v1 --pairs 6 --seed 3"
        found = follower.follow(words, "cli.gauntlet.output", lambda: None, play)
        assert (found.status, f"{verdict}: kraken@v2 " in found.out) == (status, True), found


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
        claim = claimed_build(follower.pool, follower.queue.builds[-1])
        assert within(follower.pool, reject, claim, "it said nothing")

    words = f"submit {source} --game {GAME} --watch"
    found = follower.follow(words, "cli.submit", announced, lambda: None, build)
    assert [line for line in found.err.splitlines() if "announcement" in line] == [
        "announcement 2: Submissions close at 18:00."
    ]
    assert found.out.startswith("submitted squid@v1;")
    assert (found.status, "squid@v1 is rejected: it said nothing" in found.err) == (3, True), found


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
