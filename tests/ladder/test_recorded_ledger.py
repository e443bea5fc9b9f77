"""A league of two-player matches as it was rated when matches could have no more: nothing of it may ever change.

`two-player-ledger.json` holds every digit of its ledger and standings, by both rating systems, and what is shown of
them. To record it anew, which only another definition of ratings, or of what is
shown of them, can justify: `RECORD=1 pytest` with this file.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.bots import bots
from ladder.database.connection import Connection, Pool, transaction
from ladder.flows.games import apply_league_file
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.matches.filters import parse
from ladder.ratings.explanation import explanation_of, versus
from ladder.ratings.replay import verify
from ladder.ratings.settled_fit import settled_board
from ladder.views.encoding import plain
from ladder.views.ratings import board_of
from tests.ladder.arena import GAME, on_the_board
from tests.ladder.rated import a_history

RECORDED = Path(__file__).with_name("two-player-ledger.json")
DIGITS_OF_A_FIT = 6
"""A fit of all matches is found by libraries whose last digits depend on the machine."""


@pytest.fixture
def played(pool: Pool) -> list[MatchId]:
    on_the_board(pool, "idle", "idle")
    return a_history(pool, 20, ("kraken", "orca", "eel", "krait"), seed=7).matches


def everything(connection: Connection, played: Sequence[MatchId]) -> dict[str, Any]:
    """Return all that ratings are, and all that is shown of them, with matches by their numbers from 0."""
    league = leagues.find_league(connection, GAME, "wood-2")
    number = {match_id: place for place, match_id in enumerate(played)}
    kraken = bots.find_bot(connection, "kraken", GAME)
    ids = [row[0] for row in connection.execute("SELECT id FROM versions WHERE bot_id = %s", [kraken.id])]
    others = [row[0] for row in connection.execute("SELECT id FROM versions WHERE bot_id <> %s", [kraken.id])]
    lines = connection.execute(
        """
        SELECT match_id, version_name(version_id), mu_before, sigma_before, mu_after, sigma_after
        FROM ledger ORDER BY sequence
        """
    ).fetchall()
    standings = connection.execute(
        """
        SELECT version_name(version_id), mu, sigma, score, matches, wins, draws, losses, timeouts, faults, boss_wins,
               counted_from, first_mu, first_sigma
        FROM standings WHERE league_id = %s ORDER BY score DESC
        """,
        [league.id],
    ).fetchall()
    found: dict[str, Any] = {
        "ledger": [[number[match_id], *rest] for match_id, *rest in lines],
        "standings": standings,
        "explanation": plain(explanation_of(connection, ids[0], league.id)),
        "versus": plain(versus(connection, "kraken", ids, others)),
        "without time-outs": [
            {key: value for key, value in row.items() if key not in {"game", "league"}}
            for row in plain(board_of(connection, league, parse("fault != timeout")))
        ],
        "settled": rounded(plain(settled_board(connection, league))),
    }
    as_read: dict[str, Any] = json.loads(json.dumps(with_numbers(found, number)))
    return as_read


def with_numbers(found: Any, number: dict[MatchId, int]) -> Any:
    """Return the same with the numbers of matches for their ids, which depend on what was played before."""
    if isinstance(found, dict):
        return {
            key: number[value] if key in {"match_id", "latest_match"} else with_numbers(value, number)
            for key, value in found.items()
        }
    return [with_numbers(one, number) for one in found] if isinstance(found, list) else found


def rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: round(value, DIGITS_OF_A_FIT) if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]


def test_a_ladder_of_two_player_matches_is_rated_and_shown_as_ever(pool: Pool, played: list[MatchId]) -> None:
    with transaction(pool) as connection:
        found = {"trueskill": everything(connection, played)}
        apply_league_file(connection, LeagueFile(GAME, {"wood-2": {"rating_system": "openskill"}}))
        found["openskill"] = everything(connection, played)
        assert verify(connection, leagues.leagues(connection, GAME)).is_clean
    if "RECORD" in os.environ:
        RECORDED.write_text(json.dumps(found) + "\n", "utf-8")
    assert found == json.loads(RECORDED.read_text("utf-8"))
