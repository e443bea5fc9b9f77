"""Quotas and locks on a real database: what comes through the web is limited, and only that."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.errors import Refused, UsageFault
from ladder import actions
from ladder.access import Actor, Role, Scope, Via
from ladder.accounts.accounts import find_account
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import NotAllowed, QuotaUsed
from ladder.fleet.workers import fleet_of
from ladder.flows import submission
from ladder.gauntlets import gauntlets
from ladder.gauntlets.automatic_gauntlets import GauntletTerms, held_by
from ladder.gauntlets.execution import advance
from ladder.gauntlets.lineup import GauntletRequest, LineupWords
from ladder.gauntlets.rendering import state_of, waiting_sentence
from ladder.ids import GauntletId, MatchId
from ladder.names import NamedVersion
from ladder.quotas import quotas
from ladder.quotas.rules import Quota
from tests.conftest import once
from tests.fakes import RememberingQueue
from tests.ladder.arena import GAME, a_submission, claimed_build, kims_and_mias_bots, on_the_board, submitted, within
from tests.ladder.rated import change

KIM, OLGA = Actor("kim", via=Via.TOKEN), Actor("olga", Role.OPERATOR)
AT_ONCE = 50


made = once(kims_and_mias_bots)
pytestmark = pytest.mark.usefixtures("made")


def limited(pool: Pool, **limits: int | None) -> None:
    actions.accounts.change_quotas(OLGA, pool, "kim", {Quota[name.upper()]: limit for name, limit in limits.items()})


def submit(actor: Actor, pool: Pool, source: str) -> object:
    return actions.bots.submit(actor, pool, RememberingQueue(), a_submission(source=source))


def begin(actor: Actor, pool: Pool, pairs: int = 5) -> GauntletId:
    request = GauntletRequest("kraken@v1", "", ("orca",), pairs=pairs)
    return actions.gauntlets.begin(actor, pool, RememberingQueue(), request).gauntlet


def use_cpu_s(pool: Pool, seconds: int, hours_ago: int) -> None:
    change(
        pool,
        """
        INSERT INTO usage (player_id, hour, cpu_us, matches)
        SELECT id, date_trunc('hour', now()) - %s, %s, 1 FROM players WHERE name = 'kim'
        """,
        timedelta(hours=hours_ago),
        seconds * 1_000_000,
    )


def test_of_many_submissions_at_once_with_one_left_one_is_accepted(pool: Pool) -> None:
    limited(pool, versions_per_hour=2)

    def accepted(number: int) -> bool:
        try:
            submit(KIM, pool, f"print({number})")
        except QuotaUsed:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(accepted, range(AT_ONCE))) == 1
    with pytest.raises(QuotaUsed) as refusal:
        submit(KIM, pool, "c")
    assert refusal.value.again_at is not None
    assert 0 < (refusal.value.wait_s or 0) <= 3600
    with transaction(pool) as connection:
        assert quotas.usage_of(connection, find_account(connection, "kim"), Quota.VERSIONS_PER_DAY).much == 2


def test_rejected_versions_count_and_old_ones_do_not(pool: Pool) -> None:
    limited(pool, versions_per_hour=2)
    claim = claimed_build(pool, submitted(pool, source="broken"))
    assert within(pool, submission.reject, claim, "it does not compile")
    with pytest.raises(QuotaUsed, match="kim may submit 2 versions an hour; 2 are used, and it is possible again in"):
        submit(KIM, pool, "c")
    change(pool, "UPDATE versions SET submitted_at = now() - interval '61 minutes' WHERE id = %s", claim.version_id)
    submit(KIM, pool, "c")


def test_the_database_is_no_way_that_has_limits(pool: Pool) -> None:
    limited(pool, **dict.fromkeys((quota.value for quota in Quota), 0))
    direct = Actor("kim", Role.OPERATOR)
    submit(direct, pool, "c")
    begin(direct, pool)
    create(direct, pool, WantedToken("ci", frozenset({Scope.READ})))
    with transaction(pool) as connection:
        assert advance(connection, fleet_of(connection)), "it does not wait, either"


ONE_TOO_MANY: dict[str, Callable[[Pool], object]] = {
    "versions_per_day": lambda pool: submit(KIM, pool, "c"),
    "battles_per_day": lambda pool: actions.matches.request(
        KIM, pool, (NamedVersion("kraken"), NamedVersion("orca")), 3, GAME
    ),
    "gauntlets_running": lambda pool: begin(KIM, pool),
    "cpu_s_per_day": lambda pool: begin(KIM, pool),
    "tokens": lambda pool: create(Actor("kim", via=Via.SESSION), pool, WantedToken("ci", frozenset({Scope.READ}))),
    "questions_per_hour": lambda pool: actions.clarifications.ask_question(KIM, pool, "Why?"),
}


def test_each_quota_is_kept(pool: Pool) -> None:
    for quota, act in ONE_TOO_MANY.items():
        limited(pool, **{quota: 2 if quota == "battles_per_day" else 0})
        with pytest.raises(QuotaUsed, match="kim may"):
            act(pool)
        limited(pool, **{quota: 3})
        act(pool)


def test_battles_that_are_taken_back_before_they_are_made_do_not_count(pool: Pool) -> None:
    limited(pool, battles_per_day=10)
    sides = (NamedVersion("kraken"), NamedVersion("orca"))
    asked = actions.matches.request(KIM, pool, sides, 8, GAME)
    with pytest.raises(QuotaUsed, match="8 are used and 3 more are asked for"):
        actions.matches.request(KIM, pool, sides, 3, GAME)
    actions.matches.cancel(KIM, pool, asked.id)
    actions.matches.request(KIM, pool, sides, 10, GAME)


def test_a_stopped_gauntlet_is_resumed_only_where_there_is_room_and_who_may_not_is_told_that_first(pool: Pool) -> None:
    limited(pool, gauntlets_running=1)
    first, of_orca = begin(KIM, pool), replace(KIM, bot="orca")
    actions.gauntlets.stop(KIM, pool, first)
    second = begin(KIM, pool)
    for act in (begin, lambda actor, pool: actions.gauntlets.resume(actor, pool, first)):
        with pytest.raises(NotAllowed, match="orca"):
            act(of_orca, pool)
    with pytest.raises(QuotaUsed, match="when one of them has ended"):
        actions.gauntlets.resume(KIM, pool, first)
    actions.gauntlets.stop(KIM, pool, second)
    actions.gauntlets.resume(KIM, pool, first)


def test_a_gauntlet_waits_and_says_so_while_its_player_is_over_budget_and_nobody_waits_for_it(pool: Pool) -> None:
    limited(pool, cpu_s_per_day=100)
    kims, mias = begin(KIM, pool), begin(Actor("mia", via=Via.TOKEN), pool)
    use_cpu_s(pool, 60, hours_ago=20)
    use_cpu_s(pool, 60, hours_ago=2)
    with transaction(pool) as connection:
        assert gauntlets_of(connection, advance(connection, fleet_of(connection))) == {mias}
        waiting = gauntlets.find(connection, kims)
        assert state_of(waiting) == "waits"
        assert "waits: kim has used up the CPU time of the day; it goes on at 2" in waiting_sentence(waiting)
        (until,) = connection.execute("SELECT date_trunc('hour', now()) + interval '4 hours'").fetchone() or (None,)
        assert waiting.waits_until == until, "when the first of the two hours counts no more"
    with pytest.raises(QuotaUsed, match="kim may use 100 CPU seconds a day for what is asked for; 120 are used"):
        begin(KIM, pool)
    limited(pool, cpu_s_per_day=None)
    with transaction(pool) as connection:
        assert gauntlets_of(connection, advance(connection, fleet_of(connection))) == {kims}
        assert state_of(gauntlets.find(connection, kims)) == "running"


def gauntlets_of(connection: Connection, match_ids: list[MatchId]) -> set[GauntletId]:
    rows = connection.execute("SELECT DISTINCT gauntlet_id FROM matches WHERE id = ANY(%s)", [match_ids])
    return {row[0] for row in rows}


def test_an_automatic_gauntlet_waits_too_and_makes_no_match_for_a_player_who_may_have_none_run(pool: Pool) -> None:
    terms = GauntletTerms(LineupWords(("orca",)), 5, None, gates=False, asked_by="")
    actions.gauntlets.automate(KIM, pool, "kraken", None, GAME, terms)
    on_the_board(pool, "kraken", "c")
    for limits in ({"cpu_s_per_day": 0}, {"cpu_s_per_day": None, "gauntlets_running": 0}):
        limited(pool, **limits)
        with transaction(pool) as connection:
            assert advance(connection, fleet_of(connection)) == [], limits
    with transaction(pool) as connection:
        connection.execute("UPDATE gauntlets SET is_limited = false")
        assert advance(connection, fleet_of(connection)), "what was asked for beside the database does not wait"


def test_automatic_gauntlets_beyond_those_that_may_run_wait_in_order_and_their_gates_stay_closed(pool: Pool) -> None:
    terms = GauntletTerms(LineupWords(("prior:1",)), 1, None, gates=True, asked_by="")
    actions.gauntlets.automate(KIM, pool, "kraken", None, GAME, terms)
    limited(pool, gauntlets_running=1)
    for source in "cd":
        on_the_board(pool, "kraken", source)
    with transaction(pool) as connection:
        first, second = gauntlets.running(connection)
        assert gauntlets_of(connection, advance(connection, fleet_of(connection))) == {first.id}
        waiting = gauntlets.find(connection, second.id)
        assert (state_of(gauntlets.find(connection, first.id)), state_of(waiting)) == ("running", "waits")
        assert waiting_sentence(waiting).startswith(
            "waits: more gauntlets of kim run than may at once; it goes on when"
        )
        assert waiting.gates
        assert [*held_by(connection, [waiting.candidate_id])] == [waiting.candidate_id]
    with pytest.raises(QuotaUsed, match="kim may have 1 gauntlets run at once; 2 are used"):
        begin(KIM, pool)
    actions.gauntlets.stop(KIM, pool, first.id)
    with transaction(pool) as connection:
        assert gauntlets_of(connection, advance(connection, fleet_of(connection))) == {second.id}
        assert state_of(gauntlets.find(connection, second.id)) == "running"


def test_a_player_has_everybodys_quotas_until_it_has_its_own(pool: Pool) -> None:
    actions.accounts.change_quotas(OLGA, pool, None, {Quota.TOKENS: 7})
    limited(pool, cpu_s_per_day=50_000)
    actions.accounts.change_quotas(OLGA, pool, None, {Quota.TOKENS: 8})
    with transaction(pool) as connection:
        found = {name: quotas.quotas_of(connection, find_account(connection, name).id) for name in ("kim", "mia")}
        assert (found["kim"].tokens, found["kim"].cpu_s_per_day) == (7, 50_000)
        assert (found["mia"].tokens, found["mia"].cpu_s_per_day) == (8, 20_000)
        shown = quotas.of_player(connection, "KIM")
    assert (shown.player, shown.is_own) == ("kim", True)
    first = shown.lines[0]
    assert (first.words, first.limit, first.used) == ("versions an hour", 20, 1)
    assert not actions.accounts.reset_quotas(OLGA, pool, "kim").is_own
    with pytest.raises(Refused, match="kim has the quotas by default already"):
        actions.accounts.reset_quotas(OLGA, pool, "kim")
    with pytest.raises(UsageFault, match="a quota is 0 to 1,000,000,000, or none, not -1"):
        limited(pool, tokens=-1)


def test_a_locked_game_takes_no_versions_and_no_other_ones_while_play_goes_on(pool: Pool) -> None:
    on_the_board(pool, "kraken", "c")
    late = submitted(pool, source="d")
    actions.games.lock(OLGA, pool, GAME, "final until Sunday")
    for actor in (KIM, Actor("kim", Role.OPERATOR)):
        with pytest.raises(Refused, match=r"ocean-of-code is locked, .* \(final until Sunday\); play goes on"):
            submit(actor, pool, "e")
        with pytest.raises(Refused, match="is locked"):
            actions.bots.activate(actor, pool, "kraken", 1, GAME)
    with pytest.raises(Refused, match=r"is locked already by olga \(final until Sunday\)"):
        actions.games.lock(OLGA, pool, GAME, "another reason")
    assert within(pool, submission.accept, claimed_build(pool, late)), "it was submitted before"
    begin(KIM, pool)
    assert actions.games.unlock(OLGA, pool, GAME).game == GAME
    submit(KIM, pool, "e")
    with pytest.raises(Refused, match="is not locked"):
        actions.games.unlock(OLGA, pool, GAME)


def test_a_season_that_is_being_played_to_its_end_takes_no_other_versions(pool: Pool) -> None:
    on_the_board(pool, "kraken", "c")
    change(
        pool,
        """
        INSERT INTO season_plans (game, number, submit_until, series_battles, series_top, planned_by)
        VALUES (%s, 1, now() - interval '1 second', 0, 0, 'olga')
        """,
        GAME,
    )
    with pytest.raises(Refused, match="season 1 is being played to its end"):
        actions.bots.activate(KIM, pool, "kraken", 1, GAME)
