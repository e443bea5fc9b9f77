"""Games that no folder of Ladder knows, with a referee here or a program: built, paired, played, rated, shown."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.bot.clock import TimeRule
from engine.boxes import CGROUP
from engine.conversation import NO_ANSWER, OK, UNFAIR, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.errors import Refused
from engine.game import Game, GameLeague, Games
from engine.referees.edition import NewGame, gather, load_edition, new_edition
from engine.referees.program import ProtocolKind
from ladder.access import Actor, Role
from ladder.actions.bots import submit
from ladder.actions.games import add as add_game
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.database.connection import Pool, transaction
from ladder.flows.games import prepare
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission
from ladder.games.catalogue import GamesOfLadder
from ladder.gauntlets import gauntlets
from ladder.gauntlets.execution import begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.matchmaking import demand
from ladder.ratings import ledger, standings
from ladder.views.turns.match import read_match, rejudged
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.ladder.arena import within
from tests.referees.cgroups import NIM
from tests.referees.compiled import referees
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess


def highest_card(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    """Each seat names a number from 0 to 99 that it has not seen; the higher one wins."""
    said: list[int] = []
    for seat in (0, 1):
        answer = yield Ask(seat, (str(seed % 10),), limits.first_ms)
        if answer is None or not answer.isdigit():
            fault = NO_ANSWER if answer is None else SeatVerdict(Verdict.ILLEGAL, "no number")
            return Outcome((-1, 1), "fault", (fault, OK)) if seat == 0 else Outcome((1, -1), "fault", (OK, fault))
        said.append(min(int(answer), 99))
    return Outcome((said[0], said[1]), "shown", (OK, OK))


def saying(number: int) -> str:
    return f"input()\nprint({number}, flush=True)\ninput()\n"


@pytest.fixture
def games(tmp_path: Path) -> Games:
    """The shipped games and a third one with two leagues, two of whose bosses name 10 and 20."""
    folder = tmp_path / "highest-card"
    (folder / "bots").mkdir(parents=True)
    for number in (10, 20):
        (folder / "bots" / f"{number}.py").write_text(saying(number))
    rows = (GameLeague("low", "Low", 1, 3, "10.py"), GameLeague("high", "High", 1, 3, "20.py"))
    third = Game("highest-card", "Highest Card", folder, rows, 0.07, 1, TimeLimits(2000, 500), highest_card)
    return Games((*GAMES.all, third), {})


@pytest.fixture
def worker(process: WorkerProcess, pool: Pool, games: Games) -> WorkerProcess:
    process.games = games
    with transaction(pool) as connection:
        prepare(connection, games)
    return process


class Ladder:
    """A ladder whose queue is emptied by this process."""

    def __init__(self, worker: WorkerProcess, pool: Pool, games: Games) -> None:
        self.worker, self.pool, self.games = worker, pool, games
        self.queue = RememberingQueue()
        self.rounds = 0

    def submit(self, bot: str, source: str) -> VersionId:
        done = submit(Actor("kim"), self.pool, self.queue, Submission("highest-card", bot, source, "python"))
        build_version(self.worker, done.row.id)
        return done.row.id

    def play(self) -> int:
        """Make and play matches once; return how many."""
        self.rounds += 1
        made = schedule(self.pool, self.queue, Random(self.rounds), self.games)
        for match_id in made:
            play_match(self.worker, match_id)
        return len(made)


def test_a_third_game_goes_the_whole_way(worker: WorkerProcess, pool: Pool, games: Games) -> None:
    with transaction(pool) as connection:
        quiet = connection.execute("SELECT id FROM leagues WHERE game <> 'highest-card'").fetchall()
        bosses = [row[0] for row in connection.execute("SELECT id FROM versions WHERE state = 'building' ORDER BY id")]
        own = [
            row[0]
            for row in connection.execute(
                "SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id WHERE bots.game = 'highest-card'"
            )
        ]
    assert len(quiet) == len([league for game in GAMES.all for league in game.leagues])
    for version_id in own:
        build_version(worker, version_id)
    assert set(own) < set(bosses)
    ladder = Ladder(worker, pool, games)
    liar = ladder.submit("liar", "input()\nprint('nine', flush=True)\ninput()\n")
    ace = ladder.submit("ace", saying(90))
    with transaction(pool) as connection:
        assert versions.find_version(connection, liar).state == "rejected"
        assert "no number" in versions.find_version(connection, liar).message
        assert versions.find_version(connection, ace).state == "accepted"
        low, high = leagues.leagues(connection, "highest-card")
        assert ledger.rating_settings(connection, low.id).draw_probability == 0.07
        assert demand.schemes(connection, games.names)[low.id].draw_probability == 0.07
        assert low.id not in demand.schemes(connection, GAMES.names), "no matches of a game that is unknown"
    while ladder.play():
        pass
    with transaction(pool) as connection:
        assert bots.find_bot(connection, "ace", "highest-card").league == "High"
        (row,) = (row for row in standings.board(connection, high.id) if row.version_id == ace)
        assert row.record.matches >= 6
        assert row.sigma < 25 / 3
        gauntlet = begin(connection, spec_of(connection, GauntletRequest("ace", "kim", ("boss",), pairs=2, seed=7)))
    while ladder.play():
        pass
    with transaction(pool) as connection:
        assert gauntlets.find(connection, gauntlet.id).state == "finished"
        assert gauntlets.pairs_of(connection, gauntlet.id)


def test_what_sql_needs_of_a_game_is_and_stays_on_its_leagues(worker: WorkerProcess, pool: Pool, games: Games) -> None:
    with transaction(pool) as connection:
        found = leagues.settings_of(connection, "highest-card")
        assert {league.limits for league in found} == {TimeLimits(2000, 500)}
        short = leagues.leagues(connection, "highest-card")[0].longest_s
        connection.execute("UPDATE leagues SET most_asks_per_seat = 50 WHERE game = 'highest-card'")
        leagues.fit_leases(connection, "highest-card")
        assert leagues.leagues(connection, "highest-card")[0].longest_s > 2 * short
        prepare(connection, games)
        assert leagues.leagues(connection, "highest-card")[0].longest_s == short


WAITER = "import sys\nfor line in sys.stdin:\n    print('WAIT', flush=True)  # {}\n"
TAKES_ONE = "import sys\nfor line in sys.stdin:\n    print(1, flush=True)  # {}\n"


def add(process: WorkerProcess, pool: Pool, new: NewGame, folder: Path) -> None:
    tree = new_edition(new, gather(new.command, [], folder))
    add_game(Actor("olga", Role.OPERATOR), pool, load_edition(tree), tree)
    process.games = replace(process.games, further=GamesOfLadder(lambda: transaction(process.pool)))


def built(process: WorkerProcess, pool: Pool, game: str, name: str, text: str) -> Version:
    version_id = submit(Actor("kim"), pool, RememberingQueue(), Submission(game, name, text, "python")).row.id
    build_version(process, version_id)
    return within(pool, versions.find_version, version_id)


def test_versions_are_tried_paired_and_rated_in_threes(process: WorkerProcess, pool: Pool) -> None:
    add(
        process,
        pool,
        NewGame("foragers", "Foragers", ProtocolKind.BRUTALTESTER, "./foragers", (3,), fault_line="OUT"),
        referees(),
    )
    for name in ("ann", "bob", "cid"):
        assert built(process, pool, "foragers", name, WAITER.format(name)).state == "accepted"
    rejected = built(process, pool, "foragers", "mute", "input()\n")
    assert rejected.state == "rejected"
    assert "in a trial match against itself" in rejected.message
    made = schedule(pool, RememberingQueue(), Random(1), process.games)
    assert made
    for match_id in made[:3]:
        play_match(process, match_id)
    with transaction(pool) as connection:
        rows = connection.execute(
            "SELECT state, players, edition, seed FROM matches WHERE id = ANY(%s)", [made[:3]]
        ).fetchall()
        lines = connection.execute("SELECT count(*) FROM ledger").fetchone()
    edition = process.games.find("foragers").edition
    assert {row[:3] for row in rows} == {("finished", 3, edition)}
    assert lines == (9,)


@pytest.mark.takes_cgroup
def test_one_that_plays_whole_matches_plays_once_its_league_is_trusted(process: WorkerProcess, pool: Pool) -> None:
    add(process, pool, NewGame("nim", "Nim", ProtocolKind.COMMAND, "python3 nim.py {SEED} {PLAYERS}", (2,)), NIM.parent)
    for name in ("ann", "bob"):
        assert built(process, pool, "nim", name, TAKES_ONE.format(name)).state == "accepted", "without any trial match"
    assert schedule(pool, RememberingQueue(), Random(1), process.games) == []
    with transaction(pool) as connection:
        leagues.change_settings(connection, leagues.find_league(connection, "nim", "arena").id, {"trusted": True})
    rejected = built(process, pool, "nim", "cheat", "import sys\nfor line in sys.stdin:\n    print(9, flush=True)\n")
    assert rejected.state == "rejected"
    assert "in a trial match against itself: fault of unknown kind" in rejected.message
    made = schedule(pool, RememberingQueue(), Random(1), process.games)
    play_match(process, made[0])
    with transaction(pool) as connection:
        shown = read_match(connection, process.games, made[0])
        with pytest.raises(Refused, match="another rule for time needs the lines that were said in a match"):
            rejudged(connection, process.games, made[0], TimeRule())
    assert (shown.row.state, shown.row.sandbox, shown.row.caution) == ("finished", CGROUP, UNFAIR)
    assert sorted(one.seat.result or "" for one in shown.seats) == ["loss", "win"]
    assert [one.seat.median_us for one in shown.seats] == [None, None]
    assert [set(one.seat.metrics) for one in shown.seats] == [{"heap", "moves"}] * 2
    assert shown.said == []
