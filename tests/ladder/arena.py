"""Shortcuts for tests of the ladder: versions on the board without building them, matches without playing them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, Concatenate, LiteralString, ParamSpec, TypeAlias, TypeVar

from psycopg.rows import TupleRow

from engine.toolchains.params import NO_PARAMS
from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.bots import bots, builds
from ladder.bots.builds import BuildClaim
from ladder.choices import MoveKind
from ladder.database.connection import Connection, Pool, connect, one, transaction
from ladder.fleet import workers
from ladder.flows.games import apply_league_file
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule, sweep
from ladder.flows.submission import Submission, accept
from ladder.ids import MatchId, VersionId, WorkerId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.leagues.leagues import League
from ladder.leagues.settings import Value
from ladder.matches import claims, match_rows, matches
from ladder.matches.claims import MatchClaim
from ladder.matches.failures import REST_S
from ladder.promotions.lifecycle import make_move
from ladder.promotions.rules import Move
from ladder.ratings import standings
from ladder.ratings.standings import Standing
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.patience import wait_until

GAME = "ocean-of-code"
DRIFTER = (GAMES.find(GAME).bots_folder / "drifter_v1.py").read_text("utf-8")
"""A quick bot that ships with the game."""
Words = ParamSpec("Words")
Found = TypeVar("Found")
Versions: TypeAlias = list[VersionId]
ByName: TypeAlias = dict[str, VersionId]
"""Versions by the names of their bots."""


def within(
    pool: Pool, work: Callable[Concatenate[Connection, Words], Found], *words: Words.args, **named: Words.kwargs
) -> Found:
    """Do something in a transaction of its own."""
    with transaction(pool) as connection:
        return work(connection, *words, **named)


def present(value: Found | None) -> Found:
    assert value is not None
    return value


def rows_of(pool: Pool, query: LiteralString, *values: Any) -> list[TupleRow]:
    with transaction(pool) as connection:
        return connection.execute(query, values).fetchall()


def drifter(in_each_turn: str, beforehand: str) -> str:
    """Return that bot with a statement that it runs in each turn but the first, and statements that it begins with."""
    last_read = "next(sys.stdin)  # the opponent's orders"
    rest = DRIFTER.partition("from __future__ import annotations")[2]
    return f"{beforehand}\n\n{rest.replace(last_read, f'next(sys.stdin); {in_each_turn}')}"


def a_submission(
    bot: str = "kraken",
    source: str = "print(7, 7)",
    *,
    game: str = GAME,
    leaves_rival: bool = False,
    language: str = "python",
    note: str = "",
    params: Mapping[str, str] = NO_PARAMS,
) -> Submission:
    return Submission(game, bot, source, language, leaves_rival=leaves_rival, note=note, params=params)


def submitted(
    pool: Pool, bot: str = "kraken", source: str = "print(7, 7)", player: str = "kim", **more: Any
) -> VersionId:
    """Submit a version. `more`: what else `a_submission` takes."""
    return submit(Actor(player), pool, RememberingQueue(), a_submission(bot, source, **more)).row.id


def claimed_build(pool: Pool, version_id: VersionId) -> BuildClaim:
    with transaction(pool) as connection:
        return present(builds.claim_build(connection, version_id, enlisted_dead(connection)))


def on_the_board(pool: Pool, bot: str, source: str = "print(7, 7)", player: str = "kim", **more: Any) -> VersionId:
    version_id = submitted(pool, bot, source, player, **more)
    assert within(pool, accept, claimed_build(pool, version_id))
    return version_id


def kims_and_mias_bots(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b", player="mia")


def accept_bosses(pool: Pool) -> None:
    """Let all bosses onto their boards."""
    waiting = [row[0] for row in rows_of(pool, "SELECT id FROM versions WHERE state = 'building' ORDER BY id")]
    for version_id in waiting:
        within(pool, accept, claimed_build(pool, version_id))


def keep_one_boss(connection: Connection) -> None:
    """Reject all bosses but the lowest one of the first game: each that is built plays a trial and then its battles."""
    connection.execute(
        """
        UPDATE versions SET state = 'rejected', message = 'not in this test'
        WHERE state = 'building' AND id NOT IN (SELECT min(id) FROM versions)
        """
    )


def league_named(pool: Pool, name: str) -> League:
    return within(pool, leagues.find_league, GAME, name)


def insert_battle(connection: Connection, *battle: Any, **more: Any) -> list[MatchId]:
    """Insert what `NewBattle` is made of, and return its matches."""
    return matches.insert_battles(connection, [matches.NewBattle(*battle, **more)])


def a_pair(pool: Pool, first: VersionId, second: VersionId, league: str = "wood-2") -> list[MatchId]:
    return within(pool, insert_battle, league_named(pool, league).id, (first, second), seed=-5)


def moved_to(pool: Pool, version_id: VersionId, league: str) -> None:
    """Let a version of Wood 2 go on in another league, as if it had earned that."""
    move = Move(version_id, MoveKind.PROMOTION, league_named(pool, "wood-2"), league_named(pool, league))
    within(pool, make_move, move)


def dead_worker(pool: Pool) -> WorkerId:
    return within(pool, enlisted_dead)


def enlisted_dead(connection: Connection, host: str = "gone") -> WorkerId:
    query = "INSERT INTO workers (host, pid) VALUES (%(host)s, 1) RETURNING id"
    return WorkerId(one(connection, query, {"host": host})[0])


@contextmanager
def living_worker(
    database_url: str, *languages: str, games: Sequence[str] | None = None, fair_clock: bool | None = None
) -> Iterator[WorkerId]:
    """Let a worker live for the block that has told these languages, or nothing if there are none; give its id.

    `games`: those that it says it has; None: it says nothing of games. `fair_clock`: whether its machine can keep it.

    After the block PostgreSQL has seen that it is gone, which takes a moment.
    """
    with connect(database_url, autocommit=True) as connection:
        able = languages or None
        worker_id = workers.enlist(connection, "somewhere", 1, able, able, games, fair_clock=fair_clock)
        yield worker_id
    with connect(database_url, autocommit=True) as connection:
        dead = "SELECT %(id)s NOT IN (SELECT id FROM live_workers)"
        wait_until(lambda: one(connection, dead, {"id": worker_id})[0], "the end of the worker's session", 0.005)


def claimed(pool: Pool, match_id: MatchId, worker_id: WorkerId | None = None) -> MatchClaim:
    with transaction(pool) as connection:
        return present(claims.claim_match(connection, match_id, worker_id or enlisted_dead(connection)))


def state_of(pool: Pool, match_id: MatchId) -> str:
    return present(within(pool, match_rows.find_match, match_id)).state


def promoted(connection: Connection, version_id: VersionId) -> None:
    """Let a version of the lowest league go on in the next one, as it would stand written."""
    low, high = leagues.leagues(connection, GAME)[:2]
    bot = bots.bot_of_version(connection, version_id)
    connection.execute("UPDATE standings SET on_board = false WHERE version_id = %s", [version_id])
    standings.enter(connection, version_id, high.id, on_board=True)
    bots.move_bot(connection, bot.id, high.id)
    bots.write_down_move(connection, version_id, "promotion", low.id, high.id)


def scheduled(pool: Pool, chance: int = 1) -> list[MatchId]:
    return schedule(pool, RememberingQueue(), Random(chance), GAMES)


def columns_of(pool: Pool, schema: str) -> dict[str, list[str]]:
    query = """
        SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns
        WHERE table_schema = %s GROUP BY table_name
        """
    return dict(rows_of(pool, query, schema))


def players(pool: Pool) -> set[str]:
    return {row[0] for row in rows_of(pool, "SELECT name FROM players")}


def rest_is_over(pool: Pool) -> None:
    """Let so much time have passed that no match rests any more because its worker was lost."""
    with transaction(pool) as connection:
        connection.execute("UPDATE failed_attempts SET failed_at = failed_at - make_interval(secs => %s)", [REST_S])


def play_all(pool: Pool, stronger: VersionId) -> int:
    return play_by(pool, lambda claim: claim.version_ids.index(stronger) if stronger in claim.version_ids else None)


def play_by(pool: Pool, winner_of: Callable[[MatchClaim], int | None]) -> int:
    """Schedule and play until nothing is left; return how many matches were played.

    `winner_of` says which seat wins; where it says None, the seats win in turns.
    """
    played = 0
    queue = RememberingQueue()
    while schedule(pool, queue, Random(played), GAMES):
        while queue.plays:
            claim = claimed(pool, queue.plays.pop(0))
            winner = winner_of(claim)
            won_by_first = (played % 2 if winner is None else winner) == 0
            assert within(pool, record, claim, result_of(claim, (1, 0) if won_by_first else (0, 1)))
            played += 1
    return played


def league_of(pool: Pool, bot: str) -> str:
    return within(pool, bots.find_bot, bot).league


def set_up(pool: Pool, league: str, **values: Value) -> None:
    within(pool, apply_league_file, LeagueFile(GAME, {league: values}))


def board(pool: Pool, league: str = "wood-2") -> dict[str, Standing]:
    rows = within(pool, standings.board, league_named(pool, league).id)
    return {row.name: row for row in rows if row.player != "house"}


def takes_match(
    pool: Pool, match_id: int, worker_id: WorkerId, claim: Callable[..., object] = claims.claim_match
) -> bool:
    """Say whether that worker gets the match, or what else it claims; it is taken from it again."""
    with transaction(pool) as connection:
        taken = claim(connection, match_id, worker_id) is not None
        connection.rollback()
    return taken


def rung_for_by_sweeping(pool: Pool) -> list[MatchId]:
    sweep(pool, queue := RememberingQueue())
    return queue.plays
