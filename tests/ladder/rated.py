"""A ladder with a history of ratings, and looking at it whole."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, LiteralString

from ladder.database.connection import Connection, Pool, transaction
from ladder.flows.recording import record
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.ratings.replay import LedgerReport, verify
from tests.fakes import result_of
from tests.ladder.arena import GAME, a_pair, claimed, on_the_board, within

SCORES = ((1, 0), (0, 1), (0, 0))
VERDICTS = (("ok", "ok"), ("ok", "ok"), ("timeout", "ok"), ("ok", "crashed"))


@dataclass(frozen=True)
class History:
    """Versions by the names of their bots, and the matches that they have played, in order."""

    versions: dict[str, VersionId]
    matches: list[MatchId]


def a_history(pool: Pool, battles: int = 6, names: Iterable[str] = ("kraken", "orca", "eel"), seed: int = 1) -> History:
    """Let versions play battles in which anything happens."""
    chance = Random(seed)
    versions = {name: on_the_board(pool, name, name) for name in names}
    played: list[MatchId] = []
    for _ in range(battles):
        first, second = chance.sample(sorted(versions.values()), 2)
        played += a_pair(pool, first, second)
    for match_id in played:
        play(pool, match_id, chance.choice(SCORES), chance.choice(VERDICTS))
    return History(versions, played)


def play(
    pool: Pool, match_id: MatchId, scores: tuple[int, int] = (1, 0), verdicts: tuple[str, str] = ("ok", "ok")
) -> None:
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, scores, verdicts))


def checked(pool: Pool) -> LedgerReport:
    return within(pool, report_of)


def report_of(connection: Connection) -> LedgerReport:
    return verify(connection, leagues.leagues(connection, GAME))


def kinds(report: LedgerReport) -> set[str]:
    return {difference.kind for difference in report.differences}


def change(pool: Pool, statement: LiteralString, *values: Any) -> None:
    with transaction(pool) as connection:
        assert connection.execute(statement, values).rowcount > 0


@contextmanager
def changed_so(pool: Pool, statement: LiteralString, *values: Any) -> Iterator[Connection]:
    """Change rows for the block alone."""
    with transaction(pool) as connection, connection.transaction(force_rollback=True):
        assert connection.execute(statement, values).rowcount > 0
        yield connection


def numbers(pool: Pool) -> tuple[list[Any], list[Any]]:
    return within(pool, numbers_in)


def numbers_in(connection: Connection) -> tuple[list[Any], list[Any]]:
    """Return every number of the ledger, in its order, and of the standings."""
    lines = connection.execute(
        """
        SELECT match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after
        FROM ledger ORDER BY sequence
        """
    ).fetchall()
    rows = connection.execute(
        """
        SELECT version_id, league_id, mu, sigma, score, matches, wins, draws, losses, timeouts, faults,
               first_mu, first_sigma
        FROM standings ORDER BY version_id, league_id
        """
    ).fetchall()
    return lines, rows
