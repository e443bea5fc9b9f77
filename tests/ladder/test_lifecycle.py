"""How versions come and go, also at once: replaced or left as rivals, put back, promoted, never in two places."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from random import Random

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder.access import Actor, Role
from ladder.actions import bots as actions
from ladder.actions.installation import bring_up_to_date
from ladder.bots import bots, versions
from ladder.bots.bots import find_bot
from ladder.database.connection import Connection, Pool, connect, one, transaction
from ladder.errors import DuplicateSource, NotYourBot
from ladder.flows.games import apply_league_file
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission, accept, insert, reject
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.leagues.settings import Value
from ladder.matches import claims
from ladder.matches.claims import MatchClaim
from ladder.promotions.lifecycle import Activation, Rewind, activate, boards, rewind
from ladder.ratings import standings
from ladder.views.progress import progress, version_progress
from ladder.views.summary import rises, summary
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import (
    GAME,
    a_pair,
    board,
    claimed,
    claimed_build,
    dead_worker,
    league_named,
    league_of,
    on_the_board,
    play_all,
    play_by,
    present,
    rows_of,
    scheduled,
    set_up,
    submitted,
    within,
)
from tests.ladder.rated import History, change, checked
from tests.patience import patience_s, wait_until


def the_boss(pool: Pool) -> VersionId:
    rows = within(pool, standings.board, league_named(pool, "wood-2").id)
    return next(row.version_id for row in rows if row.is_boss)


def stays(pool: Pool, bot: str) -> dict[tuple[int, str], standings.LeagueStay]:
    with transaction(pool) as connection:
        found = standings.stays_of(connection, bots.find_bot(connection, bot).id)
    return {(stay.version_id, stay.league): stay for stay in found}


def activated(pool: Pool, number: int, player: str = "kim", bot: str = "kraken") -> Activation:
    return within(pool, activate, Actor(player), bot, number, GAME)


def rewound(pool: Pool, to_league: str | None = None, player: str = "kim", bot: str = "kraken") -> Rewind:
    return within(pool, rewind, Actor(player), bot, GAME, to_league=to_league)


def is_quiet(pool: Pool) -> bool:
    return within(pool, progress).is_quiet


def everything(pool: Pool) -> list[object]:
    with transaction(pool) as connection:
        return [
            connection.execute(query).fetchall()
            for query in (
                "SELECT * FROM standings ORDER BY version_id, league_id",
                "SELECT * FROM bots ORDER BY id",
                "SELECT * FROM leagues ORDER BY id",
                "SELECT * FROM moves ORDER BY id",
            )
        ]


# Keeping


def test_versions_that_leave_rivals_stand_beside_them_and_one_that_does_not_clears_the_board(arena: Pool) -> None:
    for number in range(3):
        on_the_board(arena, "kraken", f"source {number}", leaves_rival=True)
    rivals = {"kraken@v1": True, "kraken@v2": True, "kraken@v3": False}
    assert {name: row.is_rival for name, row in board(arena).items()} == rivals
    on_the_board(arena, "kraken", "the last")
    assert list(board(arena)) == ["kraken@v4"]


def test_a_kept_version_is_rated_but_never_promoted_and_stays_when_its_bot_goes_up(arena: Pool) -> None:
    first = on_the_board(arena, "kraken", "a")
    second = on_the_board(arena, "kraken", "b", leaves_rival=True)
    play_by(
        arena, lambda claim: next((claim.version_ids.index(v) for v in (first, second) if v in claim.version_ids), 0)
    )
    rival = board(arena)["kraken@v1"]
    assert rival.record.matches >= 6
    assert rival.record.wins == rival.record.matches
    assert league_of(arena, "kraken") != "Wood 2"
    assert is_quiet(arena)


def test_a_kept_version_of_a_boss_is_no_boss(arena: Pool) -> None:
    on_the_board(arena, "boss-wood-2", "a new idea", player="house", leaves_rival=True)
    rows = within(arena, standings.board, league_named(arena, "wood-2").id)
    assert {row.name: row.is_boss for row in rows} == {"boss-wood-2@v1": False, "boss-wood-2@v2": True}


# Activating


def test_an_activated_version_takes_the_place_of_the_present_one_and_its_rating_goes_on(arena: Pool) -> None:
    on_the_board(arena, "kraken", "a")
    play_all(arena, stronger=the_boss(arena))
    before = board(arena)["kraken@v1"]
    on_the_board(arena, "kraken", "b")
    assert activated(arena, 1) == Activation("kraken@v1", "Wood 2", was_active=False)
    assert board(arena) == {"kraken@v1": before}
    assert before.record.matches > 0


def test_a_version_that_never_played_in_its_bots_league_begins_there_afresh(arena: Pool) -> None:
    first = on_the_board(arena, "kraken", "a")
    play_all(arena, stronger=on_the_board(arena, "kraken", "b"))
    assert league_of(arena, "kraken") == "Legend"
    activated(arena, 1)
    row = board(arena, "legend")["kraken@v1"]
    assert (row.version_id, row.record.matches, row.mu) == (first, 0, 25.0)
    assert not is_quiet(arena), "it has its battles to play"


def test_a_kept_version_that_is_activated_plays_for_its_bot_again_and_is_activated_once(arena: Pool) -> None:
    on_the_board(arena, "kraken", "a")
    on_the_board(arena, "kraken", "b", leaves_rival=True)
    assert not activated(arena, 1).was_active
    assert {name: row.is_rival for name, row in board(arena).items()} == {"kraken@v1": False}
    before = everything(arena)
    assert activated(arena, 1).was_active
    assert everything(arena) == before


def test_a_rejected_an_unfinished_an_unknown_and_somebody_elses_version_are_refused(arena: Pool) -> None:
    on_the_board(arena, "kraken", "a")
    within(arena, reject, claimed_build(arena, submitted(arena, source="b")), "no compiler")
    submitted(arena, source="c")
    before = everything(arena)
    with pytest.raises(Refused, match="kraken@v2 was rejected, so it cannot play"):
        activated(arena, 2)
    with pytest.raises(Refused, match="kraken@v3 is still being built"):
        activated(arena, 3)
    with pytest.raises(UnknownName, match="unknown version of kraken 'v9'; known: v1, v2, v3"):
        activated(arena, 9)
    with pytest.raises(NotYourBot, match="belongs to kim"):
        activated(arena, 1, player="ben")
    assert everything(arena) == before


# Going back


def kraken_in_legend(pool: Pool) -> VersionId:
    within(pool, leagues.set_battles, GAME, 3)
    kraken = on_the_board(pool, "kraken", "a")
    play_all(pool, stronger=kraken)
    return kraken


made, climber = once_found(kraken_in_legend, among_bosses=True)


def test_a_bot_that_went_back_keeps_its_rating_has_its_battles_again_and_rises(pool: Pool, climber: VersionId) -> None:
    gold = stays(pool, "kraken")[climber, "Gold"]
    legend = stays(pool, "kraken")[climber, "Legend"]
    assert rewound(pool) == Rewind("kraken@v1", "Legend", "Gold")
    row = board(pool, "gold")["kraken@v1"]
    assert (row.mu, row.sigma, row.record.matches) == (gold.mu, gold.sigma, gold.record.matches)
    assert (row.counted, row.eligible_at) == (0, None)
    with transaction(pool) as connection:
        assert not progress(connection).is_quiet
        assert progress(connection).moving == 0, "its rank alone does not promote it"
        assert not version_progress(connection, climber).is_settled
    play_all(pool, stronger=climber)
    again = stays(pool, "kraken")
    assert league_of(pool, "kraken") == "Legend"
    assert again[climber, "Gold"].record.matches >= gold.record.matches + 6
    assert again[climber, "Legend"].record.matches >= legend.record.matches + 6, "there too it has its battles again"
    with transaction(pool) as connection:
        assert [rise.promotions for rise in rises(connection)] == [6]
        assert summary(connection).is_complete


def test_a_bot_can_go_back_several_leagues_and_its_next_version_enters_there(pool: Pool, climber: VersionId) -> None:
    assert rewound(pool, "bronze").to_league == "Bronze"
    on_the_board(pool, "kraken", "next")
    assert list(board(pool, "bronze")) == ["kraken@v2"]


def test_a_refused_rewind_says_why_and_changes_nothing(pool: Pool, climber: VersionId) -> None:
    on_the_board(pool, "minnow")
    submitted(pool, "eel")
    with transaction(pool) as connection:
        bots.move_bot(connection, bots.find_bot(connection, "eel").id, league_named(pool, "gold").id)
    change(pool, "UPDATE leagues SET opens_at = now() + interval '1 day' WHERE name = 'gold'")
    before = everything(pool)
    with pytest.raises(Refused, match="Gold is not open yet"):
        rewound(pool)
    with pytest.raises(Refused, match="eel has no version on a board"):
        rewound(pool, bot="eel")
    with pytest.raises(Refused, match="minnow plays in Wood 2, which is the lowest league already"):
        rewound(pool, bot="minnow")
    with pytest.raises(Refused, match=r"only to a lower league: wood-2, wood-1, bronze, silver, gold$"):
        rewound(pool, "legend")
    with pytest.raises(UnknownName, match="unknown league of ocean-of-code 'tin'"):
        rewound(pool, "tin")
    with pytest.raises(NotYourBot, match="belongs to kim"):
        rewound(pool, player="ben")
    with pytest.raises(UnknownName, match="unknown bot 'nessie'"):
        rewound(pool, bot="nessie")
    with pytest.raises(Refused, match="is the boss of Gold and stays there"):
        rewound(pool, bot="boss-gold", player="house")
    assert everything(pool) == before


# Leagues that open later


def test_the_eligible_wait_for_a_league_to_open_and_go_up_then_whatever_became_of_their_rank(arena: Pool) -> None:
    change(arena, "UPDATE leagues SET opens_at = now() + interval '1 day' WHERE name = 'wood-1'")
    kraken = on_the_board(arena, "kraken")
    play_all(arena, stronger=kraken)
    waiting = board(arena)["kraken@v1"]
    assert waiting.eligible_at is not None
    assert is_quiet(arena), "who waits for a league to open keeps nobody busy"
    with transaction(arena) as connection:
        assert version_progress(connection, kraken).is_settled
        connection.execute("UPDATE standings SET score = -99 WHERE version_id = %s", [kraken])
    scheduled(arena)
    assert board(arena)["kraken@v1"].eligible_at == waiting.eligible_at
    change(arena, "UPDATE leagues SET opens_at = now() WHERE name = 'wood-1'")
    assert not is_quiet(arena)
    scheduled(arena)
    assert league_of(arena, "kraken") == "Wood 1"


def waits_for_wood_1(pool: Pool) -> int:
    """Let kim's kraken earn its promotion while the league above is not open yet; return its version."""
    change(pool, "UPDATE leagues SET opens_at = now() + interval '1 day' WHERE name = 'wood-1'")
    kraken = on_the_board(pool, "kraken", "a")
    play_all(pool, stronger=kraken)
    assert board(pool)["kraken@v1"].eligible_at is not None
    return kraken


def open_wood_1(pool: Pool) -> None:
    """Let the day come, and the scheduler see it."""
    change(pool, "UPDATE leagues SET opens_at = now() WHERE name = 'wood-1'")
    scheduled(pool)


@pytest.mark.parametrize("leaves_rival", [False, True])
def test_a_new_version_has_the_promotion_that_its_bot_waits_for_and_goes_up(arena: Pool, leaves_rival: bool) -> None:
    waits_for_wood_1(arena)
    earned_at = board(arena)["kraken@v1"].eligible_at
    on_the_board(arena, "kraken", "b", leaves_rival=leaves_rival)
    assert (board(arena)["kraken@v2"].eligible_at, board(arena)["kraken@v2"].record.matches) == (earned_at, 0)
    scheduled(arena)
    assert league_of(arena, "kraken") == "Wood 2", "it still waits"
    open_wood_1(arena)
    assert league_of(arena, "kraken") == "Wood 1"
    assert list(board(arena, "wood-1")) == ["kraken@v2"]
    assert list(board(arena)) == (["kraken@v1"] if leaves_rival else [])
    assert not within(arena, version_progress, board(arena, "wood-1")["kraken@v2"].version_id).is_settled
    assert board(arena, "wood-1")["kraken@v2"].eligible_at is None, "there it has its placement and earns the next"


def test_a_version_that_is_put_back_has_the_promotion_that_its_bot_waits_for(arena: Pool) -> None:
    waits_for_wood_1(arena)
    on_the_board(arena, "kraken", "b")
    change(arena, "UPDATE standings SET eligible_at = NULL WHERE NOT on_board")
    activated(arena, 1)
    assert board(arena)["kraken@v1"].eligible_at is not None
    open_wood_1(arena)
    assert list(board(arena, "wood-1")) == ["kraken@v1"]


def test_a_bot_that_goes_back_has_to_earn_its_promotion_again_by_whichever_version(arena: Pool) -> None:
    waits_for_wood_1(arena)
    on_the_board(arena, "kraken", "b")
    open_wood_1(arena)
    rewound(arena)
    assert {name: row.eligible_at for name, row in board(arena).items()} == {"kraken@v2": None}
    assert not [stay for (_, league), stay in stays(arena, "kraken").items() if league == "Wood 2" and stay.eligible_at]


def test_a_version_that_comes_after_a_later_one_takes_no_promotion_from_it(arena: Pool) -> None:
    waits_for_wood_1(arena)
    early = claimed_build(arena, submitted(arena, source="b"))
    on_the_board(arena, "kraken", "c")
    assert within(arena, accept, early)
    found = stays(arena, "kraken")
    assert [stay.eligible_at is not None for stay in found.values() if stay.on_board] == [True]
    assert found[early.version_id, "Wood 2"].eligible_at is None


# Promotion by wins against the boss


def test_only_wins_against_the_leagues_boss_count_for_promotion_by_boss_wins(arena: Pool) -> None:
    set_up(arena, "wood-2", promotion="boss_wins", boss_wins=2)
    boss = the_boss(arena)
    kraken, orca = on_the_board(arena, "kraken", "a"), on_the_board(arena, "orca", "b")
    play_battle(arena, kraken, orca, (1, 0))
    play_battle(arena, kraken, boss, (0, 1))
    play_battle(arena, kraken, boss, (0, 0))
    assert {name: row.boss_wins for name, row in board(arena).items()} == {"kraken@v1": 0, "orca@v1": 0}
    scheduled(arena)
    assert league_of(arena, "kraken") == "Wood 2"
    play_battle(arena, kraken, boss, (1, 0))
    assert board(arena)["kraken@v1"].boss_wins == 2
    scheduled(arena)
    assert league_of(arena, "kraken") == "Wood 1"


def play_battle(pool: Pool, first: VersionId, second: VersionId, scores: tuple[int, int]) -> None:
    """Let two versions play both matches of a battle, with those scores for the first and the second."""
    for match_id in a_pair(pool, first, second):
        claim = claimed(pool, match_id)
        in_seats = scores if claim.version_ids[0] == first else (scores[1], scores[0])
        assert within(pool, record, claim, result_of(claim, in_seats))


def test_without_enough_wins_against_the_boss_the_first_rank_is_not_enough(arena: Pool) -> None:
    set_up(arena, "wood-2", promotion="boss_wins", boss_wins=1)
    change(arena, "UPDATE leagues SET boss_wins = 100")
    play_all(arena, stronger=on_the_board(arena, "kraken"))
    assert next(iter(board(arena))) == "kraken@v1"
    assert is_quiet(arena)


# Demotion


def test_a_version_too_weak_above_and_too_strong_below_goes_back_once_and_then_stays(arena: Pool) -> None:
    """It must not go up and down for ever: the ladder comes to rest."""
    set_up(arena, "wood-1", demotion=True)
    kraken = on_the_board(arena, "kraken")
    wood = league_named(arena, "wood-2").id

    def wins_in_the_lowest_league(claim: MatchClaim) -> int | None:
        if kraken not in claim.version_ids:
            return None
        seat = claim.version_ids.index(kraken)
        return seat if claim.league_id == wood else 1 - seat

    play_by(arena, wins_in_the_lowest_league)
    moves = rows_of(arena, "SELECT kind FROM moves WHERE version_id = %s ORDER BY id", kraken)
    assert [kind for (kind,) in moves] == ["promotion", "demotion", "promotion"]
    assert league_of(arena, "kraken") == "Wood 1"
    assert is_quiet(arena)


def test_by_default_no_version_goes_back_by_itself(arena: Pool) -> None:
    kraken = on_the_board(arena, "kraken")
    wood = league_named(arena, "wood-2").id
    play_by(
        arena,
        lambda claim: (
            None
            if kraken not in claim.version_ids
            else abs(claim.version_ids.index(kraken) - int(claim.league_id != wood))
        ),
    )
    assert league_of(arena, "kraken") == "Wood 1"
    assert stays(arena, "kraken")[kraken, "Wood 1"].record.losses >= 6


# Bosses


def bosses(pool: Pool) -> dict[str, Value]:
    return {league.name: league.values["boss"] for league in within(pool, leagues.settings_of, GAME)}


def test_another_bot_can_guard_a_league_and_an_upgrade_leaves_it_there(arena: Pool, database_url: str) -> None:
    on_the_board(arena, "kraken")
    set_up(arena, "silver", boss="KRAKEN")
    bring_up_to_date(database_url)
    assert bosses(arena)["silver"] == "kraken"
    rows = within(arena, standings.board, league_named(arena, "silver").id)
    assert {row.name: row.is_boss for row in rows} == {"kraken@v1": True, "boss-silver@v1": False}
    assert board(arena) == {}
    on_the_board(arena, "kraken", "next")
    assert board(arena, "silver")["kraken@v2"].is_boss


def test_a_boss_is_never_promoted_even_if_it_wins_everything(arena: Pool) -> None:
    kraken = on_the_board(arena, "kraken")
    set_up(arena, "wood-1", boss="kraken")
    play_all(arena, stronger=kraken)
    assert league_of(arena, "kraken") == "Wood 1"
    assert is_quiet(arena)


def test_the_highest_league_can_be_without_a_boss_and_an_upgrade_leaves_it_so(arena: Pool, database_url: str) -> None:
    set_up(arena, "legend", boss=None)
    bring_up_to_date(database_url)
    assert bosses(arena)["legend"] is None
    play_all(arena, stronger=on_the_board(arena, "kraken"))
    assert league_of(arena, "kraken") == "Legend"


def test_a_boss_that_cannot_be_is_refused_and_the_file_changes_nothing(arena: Pool) -> None:
    submitted(arena, "eel")
    before = everything(arena)
    for boss, kind, sentence in (
        ("nessie", UnknownName, "unknown bot 'nessie'"),
        ("boss-gold", UsageFault, "boss-gold would be the boss of silver and of gold; a bot can guard one league"),
        ("eel", Refused, "eel has no accepted version"),
        (None, UsageFault, "no version could go up from silver to gold"),
    ):
        with pytest.raises(kind, match=sentence):
            set_up(arena, "silver", boss=boss, battles=9)
        assert everything(arena) == before


def test_bosses_can_change_places_in_one_file(arena: Pool) -> None:
    swap = {"gold": {"boss": "boss-silver"}, "silver": {"boss": "boss-gold"}}
    within(arena, apply_league_file, LeagueFile(GAME, swap))
    assert (bosses(arena)["gold"], bosses(arena)["silver"]) == ("boss-silver", "boss-gold")
    assert within(arena, bots.find_bot, "boss-silver", GAME).league == "Gold"


def test_a_promotion_decided_before_another_version_took_the_place_is_not_made(arena: Pool, database_url: str) -> None:
    on_the_board(arena, "kraken", "a")
    second = on_the_board(arena, "kraken", "b")
    change(arena, "UPDATE standings SET eligible_at = now() WHERE version_id = %s", second)
    with ThreadPoolExecutor(1) as thread, connect(database_url) as open_transaction:
        activate(open_transaction, Actor("kim"), "kraken", 1)
        scheduling = thread.submit(schedule, arena, RememberingQueue(), Random(1), GAMES)
        wait_until(lambda: rows_of(arena, "SELECT 1 FROM pg_locks WHERE NOT granted"), "one that waits for a lock")
        open_transaction.commit()
        scheduling.result(timeout=patience_s())
    assert league_of(arena, "kraken") == "Wood 2"
    assert "kraken@v1" in board(arena)


def test_whatever_happens_at_once_a_bot_plays_by_one_version_and_every_match_is_rated(arena: Pool) -> None:
    names = ["kraken", "orca", "eel"]
    for name in names:
        for number in range(3):
            on_the_board(arena, name, f"{name} {number}", leaves_rival=number == 2)
    chance = Random(5)
    worker = dead_worker(arena)

    def wish(action: Callable[[Connection], object]) -> None:
        with suppress(Refused, DuplicateSource, UnknownName), transaction(arena) as connection:
            action(connection)

    def play_what_waits() -> None:
        scheduled(arena, 7)
        for (match_id,) in rows_of(arena, "SELECT id FROM matches WHERE state = 'queued' ORDER BY id LIMIT 8"):
            claim = within(arena, claims.claim_match, match_id, worker)
            if claim is not None:
                within(arena, record, claim, result_of(claim, (1, 0) if match_id % 3 else (0, 1)))

    def random_action(number: int) -> Callable[[], object]:
        name = names[number % 3]
        choices: list[Callable[[], object]] = [
            play_what_waits,
            play_what_waits,
            partial(wish, lambda connection: activate(connection, Actor("kim"), name, number % 4 + 1)),
            partial(wish, lambda connection: rewind(connection, Actor("kim"), name)),
            partial(on_the_board, arena, name, f"{name} more {number}", leaves_rival=number % 2 == 0),
            partial(set_up, arena, "wood-2", battles=2 + number % 2),
        ]
        return chance.choice(choices)

    actions = [random_action(number) for number in range(120)]
    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(action) for action in actions]:
            done.result(timeout=patience_s())
    check_that_nothing_is_in_two_places(arena, names)


def check_that_nothing_is_in_two_places(pool: Pool, names: list[str]) -> None:
    with transaction(pool) as connection:
        for name in names:
            bot = bots.find_bot(connection, name)
            assert present(standings.present_version(connection, bot.id))[1] == bot.league_id
        playing = [
            row.bot
            for board in boards(connection)
            for row in board.standings
            if not row.is_rival and row.player != "house"
        ]
        assert sorted(playing) == sorted(names)
        assert all(
            version.state == "accepted"
            for name in names
            for version in versions.versions_of(connection, bots.find_bot(connection, name).id)
        )
        assert summary(connection).ledger_lines == 2 * summary(connection).finished > 0


WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@contextmanager
def meanwhile(pool: Pool, work: Callable[[], object]) -> Iterator[tuple[Connection, Future[object]]]:
    """Let work begin at the block's end, while the block's transaction is open; it goes on once it waits for that."""
    with ThreadPoolExecutor(1) as threads:
        with transaction(pool) as connection:
            found: Future[object] = Future()
            yield connection, found
            running = threads.submit(work)
            wait_until(lambda: within(pool, one, WAITING, {})[0] or running.done(), "the work to wait", 0.01)
            assert not running.done(), running.exception()
        try:
            found.set_result(running.result())
        except Refused as error:
            found.set_exception(error)


def test_a_name_cannot_be_taken_while_its_bot_is_being_renamed(pool: Pool) -> None:
    on_the_board(pool, "kraken")

    def take_it() -> None:
        within(pool, insert, Actor("ann"), Submission(GAME, "kraken", "mine", "python"))

    with meanwhile(pool, take_it) as (connection, taken):
        bots.rename(connection, find_bot(connection, "kraken"), "leviathan")
    with pytest.raises(Refused, match="another bot had that name before"):
        taken.result()
    assert within(pool, find_bot, "kraken").name == "leviathan"


def test_a_match_that_is_just_being_recorded_is_waited_for_and_counts_no_more(pool: Pool, history: History) -> None:
    match_id = a_pair(pool, history.versions["kraken"], history.versions["eel"])[0]
    claim = claimed(pool, match_id)

    def disqualify() -> object:
        return actions.disqualify(Actor("olga", Role.OPERATOR), pool, "kraken", "x")

    with meanwhile(pool, disqualify) as (connection, done):
        assert record(connection, claim, result_of(claim, (1, 0)))
    done.result()
    state, rates = within(pool, one, "SELECT state, rates FROM matches WHERE id = %(id)s", {"id": match_id})
    assert (state, rates) == ("finished", False)
    assert checked(pool).is_clean
    actions.reinstate(Actor("olga", Role.OPERATOR), pool, "kraken")
    assert checked(pool).is_clean
    assert checked(pool).matches == len(history.matches) + 1
