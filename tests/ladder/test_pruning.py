"""What is let go when, and that nothing else changes, on a real database."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Refused, Unavailable, UnknownName
from ladder import actions
from ladder.access import Actor, Role
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import NotAllowed, RecordPruned
from ladder.fleet.workers import fleet_of
from ladder.flows import pruning
from ladder.flows.pruning import PrunedAmount as LetGo
from ladder.flows.pruning import Pruning, prune_some
from ladder.flows.recording import record
from ladder.gauntlets.execution import advance, begin, stop
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches import claims, match_rows
from ladder.matches.local_matches import ARCHIVED, LocalMatches, LocalName
from ladder.matchmaking.requests import ask
from ladder.names import NamedVersion
from ladder.ratings import replay
from ladder.retention import LONGER, Retention
from ladder.transfer.exporting import export
from ladder.views.timing import latest_played
from ladder.views.turns.match import read_match, read_stored, rejudged, stderr_of, watch_match
from tests.catalogue import GAMES
from tests.fakes import result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, board, claimed, insert_battle, league_named, on_the_board, rows_of, within
from tests.ladder.rated import History, change, checked, numbers

OLGA, KIM = Actor("olga", Role.OPERATOR), Actor("kim")
SOON = Retention(stderr_days=30, record_days=100, newest=0)


def pruned(pool: Pool, retention: Retention = SOON, **others: Any) -> LetGo:
    return actions.matches.prune(OLGA, pool, retention, **others)


def aged(pool: Pool, days: int, match_ids: Collection[MatchId] = ()) -> None:
    change(
        pool,
        """
        UPDATE matches SET finished_at = finished_at - make_interval(days => %s)
        WHERE finished_at IS NOT NULL AND (id = ANY(%s) OR %s)
        """,
        days,
        list(match_ids),
        not match_ids,
    )


def with_record(pool: Pool) -> set[MatchId]:
    return {row[0] for row in rows_of(pool, "SELECT id FROM matches WHERE record IS NOT NULL")}


def with_stderr(pool: Pool) -> set[MatchId]:
    return {row[0] for row in rows_of(pool, "SELECT match_id FROM seats WHERE stderr <> ''")}


def played(pool: Pool, match_ids: Sequence[MatchId], verdicts: tuple[str, str] = ("ok", "ok")) -> None:
    for match_id in match_ids:
        claim = claimed(pool, match_id)
        assert within(pool, record, claim, result_of(claim, (1, 0), verdicts))


def test_stderr_goes_first_then_the_turns_and_faults_are_kept_longer(pool: Pool, history: History) -> None:
    seats = within(pool, match_rows.seats_of, history.matches)
    faulty = {seat.match_id for seat in seats if seat.verdict != "ok"}
    sound = set(history.matches) - faulty
    assert faulty
    assert sound
    assert pruned(pool) == LetGo()
    aged(pool, 31)
    assert (pruned(pool).stderr, with_stderr(pool)) == (len(sound), faulty)
    assert with_record(pool) == set(history.matches)
    aged(pool, 70)
    assert (pruned(pool).records, with_record(pool)) == (len(sound), faulty)
    aged(pool, LONGER * 30)
    assert pruned(pool).stderr == len(faulty)
    assert not with_stderr(pool)
    aged(pool, LONGER * 100)
    assert pruned(pool).records == len(faulty)
    assert not with_record(pool)
    assert pruned(pool) == LetGo()


def test_who_lets_turns_go_early_keeps_no_stderr_without_them(pool: Pool, history: History) -> None:
    aged(pool, 1000)
    done = pruned(pool, Retention(stderr_days=None, record_days=7, newest=0))
    assert done.records == done.stderr == len(history.matches)


def test_by_default_turns_stay_for_ever_and_so_do_each_versions_newest(pool: Pool, history: History) -> None:
    aged(pool, 10_000)
    assert pruned(pool, Retention()) == LetGo(), "all are among the newest"
    newest = 3
    assert pruned(pool, Retention(newest=newest)).records == 0
    with transaction(pool) as connection:
        for version_id in history.versions.values():
            rows = connection.execute(
                "SELECT match_id FROM seats WHERE version_id = %s ORDER BY match_id DESC LIMIT %s", [version_id, newest]
            ).fetchall()
            assert {row[0] for row in rows} <= with_stderr(pool)
    assert with_stderr(pool) < set(history.matches)


def test_what_somebody_asked_for_is_kept_longer(pool: Pool) -> None:
    kraken, orca = on_the_board(pool, "kraken"), on_the_board(pool, "orca")
    with transaction(pool) as connection:
        request = ask(connection, [NamedVersion("kraken"), NamedVersion("orca")], 1, "mia")
        wood = leagues.find_league(connection, GAME, "wood-2").id
        asked = insert_battle(connection, wood, (kraken, orca), 7, request_id=request.id)
    played(pool, [*asked, *a_pair(pool, kraken, orca)])
    aged(pool, 101)
    assert pruned(pool).records == 2
    assert with_record(pool) == set(asked)
    aged(pool, LONGER * 100)
    assert pruned(pool) == LetGo(), "the request is not over"
    change(pool, "UPDATE requests SET made = battles")
    assert pruned(pool).records == 2


def test_an_unknown_gauntlet_is_not_let_go(pool: Pool) -> None:
    with pytest.raises(UnknownName, match="there is no gauntlet 99"):
        pruned(pool, gauntlet=GauntletId(99))


def test_of_a_gauntlet_nothing_is_let_go_while_it_runs_and_then_at_once_and_alone_where_it_is_named(pool: Pool) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name)
    with transaction(pool) as connection:
        running = begin(connection, spec_of(connection, GauntletRequest("kraken@v1", "kim", ("orca",), pairs=40)))
        made = advance(connection, fleet_of(connection))
    played(pool, made)
    aged(pool, 10_000)
    assert pruned(pool) == LetGo()
    with pytest.raises(Refused, match=f"gauntlet {running.id} is still running and needs its matches: .*stop it by"):
        pruned(pool, gauntlet=running.id)
    assert with_record(pool) == set(made)
    others = a_pair(pool, on_the_board(pool, "eel"), on_the_board(pool, "cod"))
    played(pool, others)
    within(pool, stop, running.id)
    assert pruned(pool, gauntlet=running.id).records > 0
    assert with_record(pool) == set(others)


def test_ratings_boards_and_exports_are_the_same_before_and_after(pool: Pool, history: History, tmp_path: Path) -> None:
    def everything(name: str) -> dict[str, Any]:
        within(pool, export, tmp_path / name)
        files = {file.name: file.read_text() for file in (tmp_path / name).iterdir() if file.suffix == ".jsonl"}
        rows = {table: [json.loads(line) for line in words.splitlines()] for table, words in files.items()}
        for row in [*rows["matches.jsonl"], *rows["seats.jsonl"]]:
            for column in ("record", "stderr", "record_pruned_at", "stderr_pruned_at"):
                row.pop(column, None)
        del rows["audit.jsonl"]
        return rows

    aged(pool, 10_000)
    before = numbers(pool), board(pool), everything("before")
    done = pruned(pool)
    assert done.records == done.stderr == len(history.matches)
    assert done.bytes > 0
    assert (numbers(pool), board(pool), everything("after")) == before
    assert checked(pool).differences == []
    again = within(pool, replay.recompute, [league_named(pool, "wood-2").id])
    assert [(one.changed_lines, one.changed_standings) for one in again] == [(0, 0)]
    assert numbers(pool) == before[0]


def test_a_pruned_match_says_what_is_gone_and_since_when(pool: Pool, history: History) -> None:
    number = history.matches[0]
    aged(pool, 10_000)
    pruned(pool)
    with transaction(pool) as connection:
        found = read_match(connection, GAMES, number)
        assert found.row.record_pruned_at is not None
        assert f"let go on {found.row.record_pruned_at:%Y-%m-%d}" in found.row.pruned_words
        assert found.row.turns == 2
        assert found.said == []
        assert all(seat.seat.charged_us is not None for seat in found.seats)
        for read in (
            lambda: watch_match(connection, GAMES, number),
            lambda: read_stored(connection, GAMES, number),
            lambda: rejudged(connection, GAMES, number, found.rule),  # type: ignore[arg-type]
            lambda: stderr_of(connection, number, 0),
        ):
            with pytest.raises(
                RecordPruned, match=f"of match {number} its turns and what its bots wrote to stderr were let go"
            ):
                read()
        assert latest_played(connection, next(iter(history.versions.values()))) == []
    assert within(pool, claims.claim_match, number, arena.dead_worker(pool)) is None, "a message for it plays nothing"


def test_a_dry_run_says_the_same_and_changes_nothing_and_players_may_not(pool: Pool, history: History) -> None:
    with pytest.raises(NotAllowed):
        actions.matches.prune(KIM, pool, SOON)
    aged(pool, 10_000)
    would = pruned(pool, is_dry_run=True)
    assert with_record(pool) == set(history.matches)
    assert would == pruned(pool) != LetGo()


class TestTheArchive:
    def test_has_each_match_whole_before_any_is_let_go(self, pool: Pool, history: History, tmp_path: Path) -> None:
        folder = tmp_path / "old" / "matches"
        with transaction(pool) as connection:
            before = {number: match_rows.seats_of(connection, [number]) for number in history.matches}
            rows = {number: match_rows.find_match(connection, number) for number in history.matches}
        aged(pool, 31)
        pruned(pool, replace(SOON, archive=folder))
        aged(pool, 10_000 - 31)
        with pytest.raises(Refused, match="is not match"):  # their times are others by now, as of another ladder
            pruned(pool, replace(SOON, archive=folder))
        aged(pool, 31 - 10_000)
        store = LocalMatches(folder, ARCHIVED, most=None)
        assert store.numbers()
        for number in store.numbers():
            _, match = store.read(LocalName(number, ARCHIVED, folder))
            row = arena.present(rows[MatchId(number)])
            assert match.head.players == tuple(seat.version for seat in before[MatchId(number)])
            assert match.stderr == tuple(seat.stderr for seat in before[MatchId(number)])
            assert (match.head.seed, match.head.turns, match.head.reason) == (row.seed, row.turns, row.reason)
            assert len(match.result(GAMES.find(match.head.game)).turns) == row.turns

    def test_a_folder_without_room_leaves_all_as_it_was(self, pool: Pool, history: History, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        aged(pool, 10_000)
        with pytest.raises(Unavailable, match=r"cannot be written: .*; what is not there was not let go"):
            pruned(pool, replace(SOON, archive=tmp_path / "file" / "below"))
        assert with_record(pool) == set(history.matches)


def test_it_waits_for_nobody_and_nobody_waits_for_it(pool: Pool, history: History) -> None:
    aged(pool, 10_000)
    held, *others = history.matches
    fresh = a_pair(pool, history.versions["kraken"], history.versions["orca"])
    claim = claimed(pool, fresh[0])
    with transaction(pool) as somebody, transaction(pool) as round_of_today:
        somebody.execute("SELECT FROM matches WHERE id = %s FOR UPDATE", [held])
        round_of_today.execute("SET LOCAL lock_timeout = '1ms'")
        found, _ = prune_some(round_of_today, Pruning(SOON), 0)
        assert found.records == len(others)
        with transaction(pool) as recording:
            recording.execute("SET LOCAL lock_timeout = '1ms'")
            assert record(recording, claim, result_of(claim, (1, 0)))
    assert with_record(pool) == {held, fresh[0]}


def in_a_year(connection: Connection, versions: Sequence[VersionId], days: range, matches_a_day: int) -> None:
    """Add the matches of some days, as long ago as they would be at the end of the year."""
    connection.execute(
        """
        WITH played AS (
            INSERT INTO matches (league_id, pair_id, seed, state, record, turns, time_policy, clock, created_at,
                                 finished_at)
            SELECT (SELECT id FROM leagues WHERE game = %(game)s AND name = 'wood-2'), number, number, 'finished',
                   (SELECT record FROM matches WHERE record IS NOT NULL LIMIT 1), 2, 'strict', 'fair',
                   now() - make_interval(days => 365 - day), now() - make_interval(days => 365 - day)
            FROM unnest(%(days)s) AS day, generate_series(1, %(matches)s) AS number
            RETURNING id)
        INSERT INTO seats (match_id, seat, version_id, score, result, verdict, stderr)
        SELECT id, seat, (%(versions)s::bigint[])[1 + (id + seat) %% cardinality(%(versions)s::bigint[])],
               0, 'draw', 'ok', decode(repeat('ab', 500), 'hex')
        FROM played, generate_series(0, 1) AS seat
        """,
        {"game": GAME, "days": list(days), "matches": matches_a_day, "versions": list(versions)},
    )


def test_a_year_of_a_busy_league_stays_within_its_bound(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 50)
    versions = [on_the_board(pool, name) for name in ("kraken", "orca", "eel")]
    played(pool, a_pair(pool, versions[0], versions[1]))
    kept, a_day = Retention(stderr_days=10, record_days=50, newest=5), 4
    largest = 0
    for day in range(0, 365, 5):
        within(pool, in_a_year, versions, range(day, day + 5), a_day)
        # The year is played in a moment: a round on a day sees what is as old as it would be on that day.
        today = replace(kept, stderr_days=365 - day - 5 + 10, record_days=365 - day - 5 + 50)
        pruned(pool, today)
        largest = max(largest, len(with_stderr(pool)))
        assert len(with_stderr(pool)) <= 10 * a_day + len(versions) * kept.newest + a_day
        assert len(with_record(pool)) <= 50 * a_day + len(versions) * kept.newest + a_day
    assert largest > 5 * a_day, "something was kept all the while"
    ((matches_played, records_pruned),) = rows_of(pool, "SELECT count(*), count(record_pruned_at) FROM matches")
    assert matches_played == 365 * a_day + 2
    assert records_pruned == matches_played - len(with_record(pool))
