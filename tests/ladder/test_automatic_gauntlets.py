"""Gauntlets that are played by themselves, and versions that come onto the board only when they have passed."""

from dataclasses import replace
from random import Random

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder.access import Actor
from ladder.bots import bots, versions
from ladder.choices import GauntletVerdict
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept
from ladder.gauntlets import automatic_gauntlets as standing
from ladder.gauntlets import execution
from ladder.gauntlets import gauntlets as stored
from ladder.gauntlets.automatic_gauntlets import GauntletTerms, Target
from ladder.gauntlets.execution import put_automatic as ask_for
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.lineup import LineupWords
from ladder.gauntlets.plan import CONTEXT, OPPONENTS
from ladder.ids import MatchId, VersionId
from ladder.promotions import lifecycle
from ladder.promotions.lifecycle import leave_board
from ladder.ratings import standings
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.progress import VersionProgress, version_progress
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, accept_bosses, league_named, on_the_board, rows_of, scheduled, submitted, within
from tests.ladder.rated import change

PAIRS = 6


def ask(
    pool: Pool,
    *against: str,
    context: tuple[str, ...] = (),
    bot: str | None = "kraken",
    gate: bool = False,
    test: SprtSettings | None = None,
) -> None:
    """Let a gauntlet stand for a bot, or with None for Wood 2."""
    with transaction(pool) as connection:
        target = (
            Target("Wood 2", GAME, league_id=league_named(pool, "wood-2").id)
            if bot is None
            else Target(bot, GAME, bot_id=bots.find_bot(connection, bot, GAME).id)
        )
        terms = GauntletTerms(LineupWords(against or ("prior:5",), context), PAIRS, test, gate, "kim")
        ask_for(connection, target, terms)


def of_version(pool: Pool, version_id: VersionId) -> list[Gauntlet]:
    return [found for found in within(pool, stored.latest, 50) if found.candidate_id == version_id]


def on_boards(pool: Pool, bot: str = "kraken") -> list[str]:
    with transaction(pool) as connection:
        stays = standings.stays_of(connection, bots.find_bot(connection, bot, GAME).id)
        return [versions.find_version(connection, stay.version_id).name for stay in stays if stay.on_board]


def play_gauntlets(pool: Pool, *winners: VersionId | None) -> None:
    """Let gauntlets go on to their ends. A match is won by the first of the winners who plays it, or else by seat 0.

    Nobody else plays.
    """
    queue = RememberingQueue()
    while True:
        schedule(pool, queue, Random(1), GAMES)
        of_gauntlets = [match_id for match_id in queue.plays if is_of_a_gauntlet(pool, match_id)]
        queue.plays.clear()
        if not of_gauntlets:
            return
        for match_id in of_gauntlets:
            claim = arena.claimed(pool, match_id)
            won_by = [version_id for version_id in winners if version_id in claim.version_ids]
            seat = claim.version_ids.index(won_by[0]) if won_by and won_by[0] is not None else 0
            assert within(pool, record, claim, result_of(claim, (1, 0) if seat == 0 else (0, 1)))


def is_of_a_gauntlet(pool: Pool, match_id: MatchId) -> bool:
    query = "SELECT gauntlet_id IS NOT NULL AND state = 'queued' FROM matches WHERE id = %s"
    return bool(rows_of(pool, query, match_id)[0][0])


def look(pool: Pool, version_id: VersionId) -> VersionProgress:
    return within(pool, version_progress, version_id)


class TestByItself:
    def test_it_begins_when_the_version_is_accepted_and_neither_before_nor_otherwise(self, pool: Pool) -> None:
        first, second = on_the_board(pool, "kraken", "a"), on_the_board(pool, "kraken", "b")
        ask(pool, "prior:5", test=SprtSettings(-5, 0))
        third = submitted(pool, source="c")
        assert of_version(pool, third) == []
        claim = arena.claimed_build(pool, third)
        assert not within(pool, accept, replace(claim, attempt=claim.attempt - 1))
        assert of_version(pool, third) == []
        assert within(pool, accept, claim)
        (made,) = of_version(pool, third)
        assert made.opponent_ids == [second, first]
        assert (made.elo0, made.elo1, made.pairs, made.gates, made.asked_by) == (-5, 0, PAIRS, False, "kim")
        assert on_boards(pool) == ["kraken@v3"], "it does not gate"

    def test_a_leagues_is_for_all_its_bots_but_not_for_its_boss(self, pool: Pool) -> None:
        on_the_board(pool, "kraken", "a")
        ask(pool, "board:top3", bot=None)
        accept_bosses(pool)
        (boss,) = [row for row in within(pool, standings.board, league_named(pool, "wood-2").id) if row.is_boss]
        assert of_version(pool, boss.version_id) == []
        (made,) = of_version(pool, on_the_board(pool, "orca"))
        assert set(made.opponents) == {"kraken@v1", "boss-wood-2@v1"}

    @pytest.mark.parametrize(
        ("earlier", "of_bot", "later", "opponent"),
        [("orca", None, "prior:1", "kraken@v1"), ("prior:1", "kraken", "orca", "orca@v1")],
        ids=["a bot's own before its league's", "a later one before an earlier one"],
    )
    def test_one_counts(self, pool: Pool, earlier: str, of_bot: str | None, later: str, opponent: str) -> None:
        on_the_board(pool, "orca")
        on_the_board(pool, "kraken", "a")
        ask(pool, earlier, bot=of_bot)
        ask(pool, later)
        (made,) = of_version(pool, on_the_board(pool, "kraken", "b"))
        assert made.opponents == [opponent]

    def test_nothing_is_played_once_it_is_taken_back(self, pool: Pool) -> None:
        on_the_board(pool, "kraken", "a")
        ask(pool)
        with transaction(pool) as connection:
            bot_id = bots.find_bot(connection, "kraken").id
            assert standing.remove(connection, bot_id, None)
            assert not standing.remove(connection, bot_id, None)
        assert of_version(pool, on_the_board(pool, "kraken", "b")) == []

    def test_a_version_is_accepted_even_if_opponents_are_gone_by_then(self, pool: Pool) -> None:
        on_the_board(pool, "kraken", "a")
        orca = on_the_board(pool, "orca")
        ask(pool, "orca", "boss", "prior:5")
        within(pool, leave_board, orca)
        (made,) = of_version(pool, on_the_board(pool, "kraken", "b"))
        assert made.opponents == ["kraken@v1"]


def second_of_kraken_before_a_gate(pool: Pool) -> VersionId:
    on_the_board(pool, "kraken", "a")
    ask(pool, gate=True)
    return on_the_board(pool, "kraken", "b")


made = once(second_of_kraken_before_a_gate)


class TestGates:
    @pytest.fixture
    def held(self, made: Made[VersionId]) -> VersionId:
        """A second version of kraken that waits for its gauntlet."""
        return made.found

    def test_it_waits_for_its_verdict_also_where_a_scheduler_is_killed(self, pool: Pool, held: VersionId) -> None:
        assert on_boards(pool) == ["kraken@v1"]
        now = look(pool, held)
        assert now.version.state == "accepted"
        assert now.held_by is not None
        assert not now.is_settled
        with transaction(pool) as connection:
            (gauntlet,) = stored.running(connection)
            stored.end(connection, gauntlet.id, "finished", GauntletVerdict.PASSED)
        assert not look(pool, held).is_settled, "it is about to come"
        scheduled(pool)
        assert on_boards(pool) == ["kraken@v2"]

    @pytest.mark.parametrize(("winner", "verdict"), [("kraken@v1", "failed"), (None, "undecided")])
    def test_other_verdicts_keep_the_old(self, pool: Pool, held: VersionId, winner: str | None, verdict: str) -> None:
        with transaction(pool) as connection:
            before = versions.versions_of(connection, bots.find_bot(connection, "kraken").id)[-1]
        play_gauntlets(pool, before.id if winner else None)
        assert of_version(pool, held)[0].verdict == verdict
        assert on_boards(pool) == ["kraken@v1"]
        now = look(pool, held)
        assert now.is_settled
        assert now.held_by is not None
        assert now.held_by.verdict == verdict

    def test_a_stopped_gauntlet_holds_it_until_it_is_resumed_and_passed(self, pool: Pool, held: VersionId) -> None:
        (gauntlet,) = of_version(pool, held)
        within(pool, execution.stop, gauntlet.id)
        scheduled(pool)
        assert on_boards(pool) == ["kraken@v1"]
        assert look(pool, held).is_settled
        within(pool, execution.resume, gauntlet.id)
        assert not look(pool, held).is_settled
        play_gauntlets(pool, held)
        assert on_boards(pool) == ["kraken@v2"]
        assert look(pool, held).held_by is None

    def test_its_player_can_put_it_on_the_board_all_the_same(self, pool: Pool, held: VersionId) -> None:
        assert not within(pool, lifecycle.activate, Actor("kim"), "kraken", 2).was_there
        assert on_boards(pool) == ["kraken@v2"]
        play_gauntlets(pool, held)
        assert of_version(pool, held)[0].verdict == "passed", "the gauntlet goes on"
        assert on_boards(pool) == ["kraken@v2"]

    def test_the_boss_keeps_no_version_out_that_beats_the_one_before(self, pool: Pool, bosses: None) -> None:
        on_the_board(pool, "kraken", "a")
        ask(pool, *OPPONENTS, context=CONTEXT, gate=True)
        better = on_the_board(pool, "kraken", "b")
        (made,) = of_version(pool, better)
        assert (made.deciding, made.context) == (["kraken@v1"], ["boss-wood-2@v1"])
        (boss,) = made.context_ids
        play_gauntlets(pool, boss, better)
        assert of_version(pool, better)[0].verdict == "passed"
        assert on_boards(pool) == ["kraken@v2"]

    def test_a_version_is_compared_with_the_one_on_the_board_and_not_with_one_that_failed(self, pool: Pool) -> None:
        """The second version fails against the first, so the third would replace the first."""
        first = on_the_board(pool, "kraken", "a")
        ask(pool, *OPPONENTS, context=CONTEXT, gate=True)
        on_the_board(pool, "kraken", "b")
        play_gauntlets(pool, first)
        third = on_the_board(pool, "kraken", "c")
        (made,) = of_version(pool, third)
        assert (made.deciding, made.context) == (["kraken@v1"], ["kraken@v2"])
        play_gauntlets(pool, third)
        assert on_boards(pool) == ["kraken@v3"]

    def test_a_first_version_is_let_in_at_once_although_there_is_a_boss(self, pool: Pool, bosses: None) -> None:
        """It was to be compared with earlier versions, and there is none yet; the boss it plays all the same."""
        submitted(pool, "orca", "never accepted")
        ask(pool, *OPPONENTS, context=CONTEXT, bot="orca", gate=True)
        (made,) = of_version(pool, on_the_board(pool, "orca", "other"))
        assert (made.opponents, made.gates) == (["boss-wood-2@v1"], False)
        assert on_boards(pool, "orca") == ["orca@v2"]

    def test_a_gate_of_the_boss_alone_holds_a_first_version(self, pool: Pool, bosses: None) -> None:
        submitted(pool, "eel", "never accepted")
        ask(pool, "boss", bot="eel", gate=True)
        on_the_board(pool, "eel", "other")
        assert on_boards(pool, "eel") == []

    def test_a_first_version_has_no_opponent_and_is_let_in_at_once(self, pool: Pool) -> None:
        submitted(pool, "orca", "never accepted")
        ask(pool, bot="orca", gate=True)
        assert of_version(pool, on_the_board(pool, "orca", "other")) == []
        assert on_boards(pool, "orca") == ["orca@v2"]

    def test_a_later_version_that_fails_does_not_keep_an_earlier_one_out(self, pool: Pool, held: VersionId) -> None:
        """Both wait at the same time, and the earlier one beats the other and everybody else."""
        later = on_the_board(pool, "kraken", "c")
        play_gauntlets(pool, held)
        assert [of_version(pool, version)[0].verdict for version in (held, later)] == ["passed", "failed"]
        assert on_boards(pool) == ["kraken@v2"]

    def test_an_earlier_version_that_passes_late_replaces_no_later_one(self, pool: Pool, held: VersionId) -> None:
        with transaction(pool) as connection:
            standing.remove(connection, bots.find_bot(connection, "kraken").id, None)
        on_the_board(pool, "kraken", "c")
        play_gauntlets(pool, held)
        assert of_version(pool, held)[0].verdict == "passed"
        assert on_boards(pool) == ["kraken@v3"]
        assert look(pool, held).is_settled


def test_unknown_rejected_and_other_games_opponents_are_refused_and_the_earlier_gauntlet_stays(pool: Pool) -> None:
    on_the_board(pool, "kraken")
    on_the_board(pool, "orca")
    ask(pool, "prior:2")
    change(pool, "UPDATE versions SET state = 'rejected' WHERE id = %s", submitted(pool, "kraken", "bad"))
    change(
        pool,
        """
        UPDATE bots SET game = 'ice-and-fire', league_id = (
            SELECT id FROM leagues WHERE game = 'ice-and-fire' ORDER BY position LIMIT 1)
        WHERE name = 'orca'
        """,
    )
    refusals: tuple[tuple[tuple[str, ...], type[Exception], str | None], ...] = (
        (("nessie",), UnknownName, None),
        (("kraken@v9",), UnknownName, None),
        (("kraken@vx",), UsageFault, "names no version"),
        (("kraken@v2",), Refused, "kraken@v2 was rejected"),
        (("orca@v1",), Refused, "orca@v1 plays ice-and-fire"),
        (("prior:2", "last:3"), UsageFault, None),
    )
    for words, kind, sentence in refusals:
        with pytest.raises(kind, match=sentence):
            ask(pool, *words)
    (found,) = within(pool, standing.all_of)
    assert found.opponents == ["prior:2"]
