"""`ladder status` of workers, what none can do, and versions that break the referee."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import MachineBusy
from engine.sandbox.choice import open_sandbox
from engine.sandbox.guarantees import Sharing
from engine.toolchains.build import Installed
from ladder.actions.installation import bring_up_to_date
from ladder.bots import bots, versions
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.submission import reject
from ladder.games.referee_faults import FLAGGED
from ladder.ids import MatchId, VersionId
from ladder.matches import claims
from ladder.matches.failures import Blame
from tests.acceptance.conftest import Desk
from tests.fakes import result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, claimed, claimed_build, living_worker, on_the_board, submitted, within
from tests.ladder.rated import change, checked, numbers, play
from tests.web.serving import serving
from workers.commands import embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.processes import Child
from workers.embedded.state_file import Running
from workers.presence import LockHolder, Presence
from workers.worker_process import has_fair_clock

NEVER_THERE = ("sleep", "1000")
"""A worker that starts for as long as anybody looks."""


@pytest.fixture
def home(open_folder: Path) -> Iterator[LadderHome]:
    """A home of which only the supervisor runs, with the servers, and a worker that is never there."""
    home = LadderHome.at(open_folder / "begun")
    control.up(home, [Child(embedded_children(1)[0].name, NEVER_THERE)])
    yield home
    control.destroy(home)
    shutil.rmtree(home.folder, ignore_errors=True)


def test_a_worker_that_has_begun_is_said_to_be_starting_and_where_it_would_say_why_it_is_not(home: LadderHome) -> None:
    desk = Desk(home.folder)
    shown = desk.ok("status")
    assert "no worker is alive yet: one is starting" in shown
    assert str(home.log("worker")) in shown
    assert "`ladder worker` starts one" not in shown
    assert home.log("worker").exists()
    assert desk.json("status")["starting"] is True


def test_without_any_worker_the_message_names_the_command_that_starts_one(services: Running, open_folder: Path) -> None:
    assert services.ready
    desk = Desk(open_folder / "services")
    assert "no worker is alive: `ladder worker` starts one" in desk.ok("status")
    assert desk.json("status")["starting"] is False


def test_a_language_of_no_worker_is_named(pool: Pool, broker_url: str, database_url: str, desk: Desk) -> None:
    for number in range(22):
        on_the_board(pool, f"bot{number:02}", language="ruby")
    on_the_board(pool, "played", language="perl")
    submitted(pool, "minnow", language="rust")
    remedy = "start one where it is installed (`ladder doctor` on a machine says what it lacks)"
    with living_worker(database_url, "python", "perl"):
        shown = desk.ok("status").splitlines()
        told = desk.json("status")["stranded"]
        with living_worker(database_url, "ruby", "rust", "cpp"):
            assert "no worker" not in desk.ok("status")
            assert desk.json("status")["stranded"] == []
    ruby = [f"bot{number:02}@v1" for number in range(22)]
    assert f"no worker plays Ruby: {', '.join(ruby[:20])}, and 2 more; {remedy}" in shown
    assert f"no worker builds Rust: minnow@v1; {remedy}" in shown
    assert told[1:] == [  # before them the bosses in C++
        {"language": "ruby", "work": "plays", "versions": ruby},
        {"language": "rust", "work": "builds", "versions": ["minnow@v1"]},
    ]


def test_a_boss_that_was_rejected_is_named(pool: Pool, broker_url: str, database_url: str, desk: Desk) -> None:
    assert "has no boss" not in desk.ok("status")
    with transaction(pool) as connection:
        boss = bots.find_bot(connection, "boss-gold", GAME)
        (first,) = versions.versions_of(connection, boss.id)
    claim = claimed_build(pool, first.id)
    assert within(pool, reject, claim, "compiling took more than the 30 s that it may\n\x1b[2Jdetails")
    sentence = "ocean-of-code/gold has no boss that plays: boss-gold was rejected; the next start submits it again"
    assert sentence in desk.ok("status")
    (told,) = desk.json("status")["unguarded"]
    assert (told["league"], told["boss"]) == ("gold", "boss-gold")
    bring_up_to_date(database_url)
    assert "has no boss" not in desk.ok("status")
    again, _ = within(pool, versions.versions_of, boss.id)
    assert (again.number, again.state) == (2, "building")


def test_a_league_without_boss_is_named(pool: Pool, broker_url: str, database_url: str, desk: Desk) -> None:
    change(pool, "UPDATE bots SET boss_of = NULL WHERE game = %s AND name IN ('boss-gold', 'boss-legend')", GAME)
    shown = desk.ok("status")
    assert "ocean-of-code/gold has no boss, so no version goes up from it" in shown
    assert "ocean-of-code/legend has no boss" not in shown


def test_a_version_for_whose_turns_the_host_is_always_too_busy_is_named_and_its_void_matches_are_counted(
    pool: Pool, broker_url: str, database_url: str, desk: Desk
) -> None:
    cheat = on_the_board(pool, "cheat")
    for number in range(3):
        first, _ = a_pair(pool, cheat, on_the_board(pool, f"honest{number}"))
        claim = claimed(pool, first)
        within(pool, claims.give_back, claim, "the host left a bot without a CPU", host_busy=True, seat=0)
    assert (
        "cheat@v1 may cheat the clock: within a day the host seemed too busy in 3 of its turns, against 3 different "
        "opponents, and in 0 of theirs"
    ) in desk.ok("status")
    suspect = {"version": "cheat@v1", "own": 3, "opponents": 0, "against": 3}
    assert desk.json("status")["suspects"] == [suspect]
    shown = " ".join(desk.ok("bot", "show", "cheat").split())
    assert "cheat@v1: the host was too busy in 3 of its turns and in 0 of its opponents'" in shown
    (counted,) = desk.json("bot", "show", "honest0")["host_faults"]
    assert (counted["own"], counted["opponents"], counted["void"]) == (0, 1, 0)


def test_a_machine_that_cannot_keep_the_fair_clock_is_named_and_each_of_its_matches_says_so(
    pool: Pool,
    broker_url: str,
    database_url: str,
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Such a kernel shows no waits."""
    matches = a_pair(pool, on_the_board(pool, "manta"), on_the_board(pool, "orca"))
    keeps = []
    for match, wait_ns in zip(matches, (50_000_000, 0), strict=True):
        shared = Sharing(100_000_000, 50_000_000, wait_ns, 25)
        monkeypatch.setattr("workers.worker_process.share_a_core", lambda _, shared=shared: shared)
        keeps.append(has_fair_clock(open_sandbox()))
        holder = LockHolder(database_url, fair_clock=keeps[-1])
        presence = Presence(holder, lambda: Installed(("python",), ("python",)))
        claim = claimed(pool, match, presence.worker_id())
        assert within(pool, record, claim, result_of(claim, (1, 0)))
        sentence = f"{socket.gethostname()} cannot keep the fair clock, as its kernel does not show how long"
        assert (sentence in desk.ok("status")) == (wait_ns == 0)
        presence.close()
        holder.close()
    assert keeps == [True, False]
    assert capsys.readouterr().err.startswith("ladder: no fair clock here: these do not add up")
    fair, unfair = (desk.ok("match", "show", str(match)) for match in matches)
    assert "time by the fair clock, policy strict" in fair
    assert "time by the fair clock (which its machine cannot keep), policy strict" in unfair
    assert desk.json("match", "show", str(matches[1]))["fair_clock"] is False


def test_a_machine_that_is_too_busy_to_show_whether_its_clock_is_fair_says_that_it_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept_from_it(_: object) -> Sharing:
        raise MachineBusy("too busy")

    monkeypatch.setattr("workers.worker_process.share_a_core", kept_from_it)
    assert has_fair_clock(open_sandbox()) is None
    assert capsys.readouterr().err == "ladder: it is not known whether the clock is fair here: too busy\n"


def test_a_game_that_no_worker_has_is_named(pool: Pool, broker_url: str, database_url: str, desk: Desk) -> None:
    a_pair(pool, on_the_board(pool, "ann"), on_the_board(pool, "bob"))
    with transaction(pool) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = '' WHERE state = 'building'")
        connection.execute("UPDATE leagues SET battles = 1")
    sentence = (
        f"no worker has the game {GAME}, and 2 matches wait: start one with the game's folder in LADDER_GAMES, or "
        "where its package is installed"
    )
    with living_worker(database_url, "python", games=["ice-and-fire"]):
        assert sentence in desk.ok("status")
        (told,) = desk.json("status")["unplayable"]
        assert told == {"game": GAME, "needs": None, "matches": 2, "builds": 0}
        with living_worker(database_url, "python", games=[GAME]):
            assert "no worker has the game" not in desk.ok("status")


FLAG = f"void, as the referee broke after its answer; {FLAGGED} of them among its latest 100: flagged"
WARNING = f"breaker@v1 may have found how to break the referee: of its latest 100 matches {FLAGGED} are void"


def break_after_answer(pool: Pool, match_id: MatchId, version_id: VersionId) -> None:
    for _ in range(3):
        claim = claimed(pool, match_id)
        seat = claim.version_ids.index(version_id)
        within(pool, claims.give_back, claim, "it broke", answered_seat=seat, blame=Blame.CERTAIN)


def test_a_third_void_match_flags_its_version(desk: Desk, pool: Pool, broker_url: str) -> None:
    breaker, other = on_the_board(pool, "breaker"), on_the_board(pool, "honest")
    first, second = a_pair(pool, breaker, other)
    for match_id in (first, a_pair(pool, other, breaker)[0]):
        break_after_answer(pool, match_id, breaker)
    play(pool, second, (0, 1))
    rated = numbers(pool)
    assert "may have found how to break" not in desk.ok("status")
    assert "breaker@v1: 2 matches void, as the referee broke after its answer" in shown(desk, "bot", "show", "breaker")
    with serving(pool) as site:
        assert "break the referee" not in site.get("/operations").text
        ((match_id,),) = arena.rows_of(pool, "SELECT id FROM matches WHERE state = 'queued'")
        break_after_answer(pool, match_id, breaker)
        assert WARNING in site.get("/operations").text
    advice = "as the referee broke after its answer; `ladder match show` of those has what it answered"
    assert f"{WARNING}, {advice}" in shown(desk, "status")
    assert desk.json("status")["breakers"] == [{"version": "breaker@v1", "void": 3, "lately": 3}]
    assert f"breaker@v1: 3 matches {FLAG}" in shown(desk, "bot", "show", "breaker")
    assert "flagged" not in desk.ok("bot", "show", "honest")
    assert numbers(pool) == rated, "it is not a loss of either"
    assert checked(pool).is_clean
    change(pool, "UPDATE standings SET on_board = false WHERE version_id = %s", breaker)
    assert "may have found how to break" not in desk.ok("status"), "what has left the board breaks no more"


def shown(desk: Desk, *words: str) -> str:
    return " ".join(desk.ok(*words).split())
