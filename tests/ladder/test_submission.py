"""Submitting versions: read, followed, numbered, immutable, never lost, never twice; and which of them are alike."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from cli import submit as following
from cli.context import Context
from cli.demo import doing_text
from engine.errors import Refused, Unavailable, UnknownName, UsageFault
from engine.toolchains import source
from engine.toolchains.source import LIMIT_CHARS
from ladder.access import Actor, Role, Scope, Via
from ladder.actions.bots import submit
from ladder.bots import bots, builds, versions
from ladder.bots.similar import SimilarPair, similar_sources
from ladder.bots.versions import Version, find_version
from ladder.database.connection import Pool, transaction
from ladder.errors import DuplicateSource, NotAllowed, NotYourBot
from ladder.flows.submission import Submission, accept, reject
from ladder.ids import WorkerId
from ladder.ratings import standings
from ladder.settings import settings_from
from ladder.views.progress import VersionProgress, progress, version_progress
from ladder.views.progress import builds as building
from tests.catalogue import GAMES
from tests.fakes import BrokenQueue, RememberingQueue
from tests.ladder import arena
from tests.ladder.arena import GAME, a_submission, claimed_build, league_named, on_the_board, present, submitted, within

KIM, OPERATOR = Actor("kim"), Actor("kim", Role.OPERATOR)


def test_versions_are_numbered_from_one_and_rung_for(pool: Pool) -> None:
    queue = RememberingQueue()
    first = submit(KIM, pool, queue, a_submission(source="a"))
    second = submit(KIM, pool, queue, a_submission(source="b"))
    assert (first.version, second.version) == ("kraken@v1", "kraken@v2")
    assert first.queue_answers
    assert queue.builds == [first.row.id, second.row.id]


def test_a_new_bot_starts_in_the_lowest_league(pool: Pool) -> None:
    submitted(pool)
    assert within(pool, bots.find_bot, "kraken").league == "Wood 2"


def test_a_submission_is_kept_when_the_broker_is_away_and_says_so(pool: Pool) -> None:
    done = submit(KIM, pool, BrokenQueue(), a_submission())
    assert not done.queue_answers
    with transaction(pool) as connection:
        assert versions.find_version(connection, done.row.id).state == "building"
        assert done.row.id in builds.builds_to_enqueue(connection, 30)


def test_the_last_words_of_a_rejected_bot_may_have_any_characters(pool: Pool) -> None:
    claim = claimed_build(pool, submitted(pool))
    with transaction(pool) as connection:
        assert reject(connection, claim, "crashed\nits stderr:\n\0\x1b[2J bye")
        assert versions.find_version(connection, claim.version_id).message == (
            "crashed\nits stderr:\n\u2400\u241b[2J bye"
        )


def test_the_same_source_again_is_refused_but_not_under_another_bot_nor_after_it_was_rejected(pool: Pool) -> None:
    first = submitted(pool)
    with pytest.raises(DuplicateSource, match="kraken@v1"):
        submitted(pool)
    with transaction(pool) as connection:
        assert len(versions.versions_of(connection, bots.find_bot(connection, "kraken").id)) == 1
    assert submitted(pool, "orca") != first
    assert within(pool, reject, claimed_build(pool, first), "no compiler")
    assert submitted(pool) != first


def test_a_bots_name_belongs_to_its_first_player_in_any_case_of_letters(pool: Pool) -> None:
    submitted(pool, "kraken", player="kim")
    with pytest.raises(NotYourBot, match="the name kraken belongs to kim; choose another name for your bot"):
        submitted(pool, "Kraken", source="other", player="ben")
    assert submitted(pool, "KRAKEN", source="other", player="KIM")


def test_odd_names_and_unknown_games_are_refused_and_leave_no_player_behind(pool: Pool) -> None:
    for name in ("", "-x", "a b", "naïve", "a/b", "x" * 40, "a@v1", "a\nb", "../x"):
        with pytest.raises(UsageFault, match="name"):
            submitted(pool, bot=name, player="newcomer")
        with pytest.raises(UsageFault, match="name"):
            submitted(pool, bot="fine", player=name)
    with pytest.raises(UnknownName, match=GAME):
        submit(Actor("newcomer"), pool, RememberingQueue(), Submission("chess", "kraken", "x", "python"))
    assert "newcomer" not in arena.players(pool)


def test_submissions_at_the_same_time_get_different_numbers(pool: Pool) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: submitted(pool, source=f"source {number}"), range(24)))
    with transaction(pool) as connection:
        own = versions.versions_of(connection, bots.find_bot(connection, "kraken").id)
    assert sorted(version.number for version in own) == list(range(1, 25))


def test_what_was_submitted_never_changes(pool: Pool) -> None:
    version_id = submitted(pool)
    for column in ("number", "language", "source_hash"):
        with pytest.raises(psycopg.errors.RaiseException, match="never changes"), transaction(pool) as connection:
            query = SQL("UPDATE versions SET {} = '7' WHERE id = %s").format(Identifier(column))
            connection.execute(query, [version_id])


def test_the_same_source_with_other_parameters_is_another_version_and_with_the_same_ones_is_refused(pool: Pool) -> None:
    plain = submitted(pool)
    deep = submitted(pool, params={"WIDTH": "2", "DEPTH": "6"})
    assert submitted(pool, params={"DEPTH": "8"}) != deep != plain
    with pytest.raises(DuplicateSource, match="it is kraken@v2"):
        submitted(pool, params={"DEPTH": "6", "WIDTH": "2"})
    with pytest.raises(UsageFault, match="LD_PRELOAD cannot be a bot's parameter"):
        submitted(pool, params={"LD_PRELOAD": "x"})
    with transaction(pool) as connection:
        own = versions.versions_of(connection, bots.find_bot(connection, "kraken").id)
    assert [version.params for version in own] == [{"DEPTH": "8"}, {"DEPTH": "6", "WIDTH": "2"}, {}]
    with pytest.raises(psycopg.errors.RaiseException, match="never changes"), transaction(pool) as connection:
        connection.execute("UPDATE versions SET params = '{}' WHERE id = %s", [deep])


def test_a_version_that_is_built_after_a_later_one_stays_off_the_board(pool: Pool) -> None:
    slow = submitted(pool, source="slow to build")
    slow_claim = claimed_build(pool, slow)
    quick = on_the_board(pool, "kraken", "quick to build")
    with transaction(pool) as connection:
        assert accept(connection, slow_claim)
        board = standings.board(connection, league_named(pool, "wood-2").id)
        stays = standings.stays_of(connection, bots.find_bot(connection, "kraken").id)
    assert [row.version_id for row in board] == [quick]
    assert {stay.version_id: stay.on_board for stay in stays} == {slow: False, quick: True}


def test_a_build_claim_that_was_overtaken_settles_nothing(pool: Pool) -> None:
    old = claimed_build(pool, submitted(pool))
    new = claimed_build(pool, old.version_id)
    with transaction(pool) as connection:
        assert not reject(connection, old, "late words")
        assert reject(connection, new, "words")
        assert versions.find_version(connection, old.version_id).message == "words"


def test_a_build_for_which_the_host_is_too_busy_is_put_off_and_tried_again(pool: Pool) -> None:
    version_id = submitted(pool)
    claim = claimed_build(pool, version_id)
    with transaction(pool) as connection:
        builds.put_off_build(connection, claim, "the host was too busy")
        assert versions.find_version(connection, version_id).state == "building"
        assert version_id not in builds.builds_to_enqueue(connection, 10), "not at once: the host is busy"
        connection.execute("UPDATE versions SET enqueued_at = now() - interval '11 seconds'")
        assert version_id in builds.builds_to_enqueue(connection, 10)
    again = claimed_build(pool, version_id)
    with transaction(pool) as connection:
        assert not reject(connection, claim, "late words")
        assert accept(connection, again)


def test_a_build_is_rung_for_again_only_where_messages_are_lost(pool: Pool) -> None:
    submitted(pool)
    with transaction(pool) as connection:
        connection.execute("UPDATE versions SET enqueued_at = now() - interval '1 hour'")
        waiting = present(connection.execute("SELECT count(*)::int FROM versions WHERE state = 'building'").fetchone())
        assert builds.builds_to_enqueue(connection, 10, waiting[0]) == []
        assert len(builds.builds_to_enqueue(connection, 10, waiting[0] - 1)) == 1


def test_a_build_whose_worker_died_is_rung_for_once_and_not_at_every_sweep(pool: Pool) -> None:
    version_id = submitted(pool)
    within(pool, builds.builds_to_enqueue, 10)
    claimed_build(pool, version_id)
    assert within(pool, builds.builds_to_enqueue, 10) == [version_id]
    assert within(pool, builds.builds_to_enqueue, 10) == []


def test_a_build_that_was_put_off_too_often_is_turned_down_without_blame_and_may_come_again(pool: Pool) -> None:
    version_id = submitted(pool)
    for _ in range(3):
        within(pool, builds.put_off_build, claimed_build(pool, version_id), "the host left a bot without a CPU")
    version = within(pool, versions.find_version, version_id)
    assert version.state == "rejected"
    assert "not its fault" in version.message
    assert version.message.endswith("the host left a bot without a CPU")
    assert submitted(pool) != version_id


def test_a_build_that_always_loses_its_worker_is_given_up_after_three_attempts(pool: Pool) -> None:
    version_id = submitted(pool)
    for _ in range(3):
        claimed_build(pool, version_id)
    with transaction(pool) as connection:
        assert builds.claim_build(connection, version_id, WorkerId(1)) is None
        assert builds.give_up_builds(connection) == 1
        assert versions.find_version(connection, version_id).state == "rejected"


def accepted(pool: Pool, bot: str = "kraken") -> None:
    assert within(pool, accept, claimed_build(pool, submitted(pool, bot)))


def test_a_bot_of_the_players_own_in_another_game_takes_a_word_for_a_second_one(pool: Pool) -> None:
    """A game that was mistyped makes no name mean two bots."""
    accepted(pool)
    other = replace(a_submission("Kraken", "print(3)"), game="ice-and-fire")
    with pytest.raises(Refused, match=r"kraken plays ocean-of-code: .*--new-game makes one more bot"):
        submit(KIM, pool, RememberingQueue(), other)
    assert within(pool, bots.find_bot, "kraken").game == GAME
    assert submit(KIM, pool, RememberingQueue(), replace(other, new_game=True)).version == "Kraken@v1"
    assert submit(KIM, pool, RememberingQueue(), replace(other, source="print(4)")).version == "Kraken@v2"
    assert submit(Actor("mia"), pool, RememberingQueue(), replace(other, bot="orca")).version == "orca@v1"


def test_a_bot_of_which_every_version_was_rejected_is_no_name_that_somebody_means(pool: Pool) -> None:
    accepted(pool)
    other = replace(a_submission(source="print(3)"), game="ice-and-fire", new_game=True)
    claim = claimed_build(pool, submit(KIM, pool, RememberingQueue(), other).row.id)
    with transaction(pool) as connection:
        with pytest.raises(UsageFault, match="say which with --game"):
            bots.find_bot(connection, "kraken")
        assert reject(connection, claim, "it plays something else")
        assert bots.find_bot(connection, "kraken").game == GAME
        assert bots.find_bot(connection, "kraken", "ice-and-fire").game == "ice-and-fire"
        assert bots.games_of(connection, "kraken") == {GAME}
    rejected = claimed_build(pool, submitted(pool, "squid"))
    with transaction(pool) as connection:
        reject(connection, rejected, "no")
        with pytest.raises(UnknownName) as caught:
            bots.find_bot(connection, "octopus")
        assert "squid" not in str(caught.value)
        assert bots.find_bot(connection, "squid").name == "squid"


def test_an_operator_lets_a_bot_begin_in_a_higher_league_and_others_may_not(pool: Pool) -> None:
    submitted(pool, "kraken")
    new = replace(a_submission("manta"), league="Silver")
    for actor in (KIM, Actor("kim", Role.OPERATOR, Via.TOKEN, frozenset({Scope.SUBMIT}))):
        with pytest.raises(NotAllowed, match=r"choose the league in which a bot begins"):
            submit(actor, pool, RememberingQueue(), new)
    claim = claimed_build(pool, submit(OPERATOR, pool, RememberingQueue(), new).row.id)
    assert claim.rules_level == league_named(pool, "silver").rules_level
    with transaction(pool) as connection:
        assert accept(connection, claim)
        assert bots.find_bot(connection, "manta").league == "Silver"
        assert [row.name for row in standings.board(connection, league_named(pool, "silver").id)] == ["manta@v1"]


def test_a_bot_that_the_lowest_league_has_rejected_begins_in_a_higher_one(pool: Pool) -> None:
    claim = claimed_build(pool, submit(OPERATOR, pool, RememberingQueue(), a_submission("manta")).row.id)
    assert within(pool, reject, claim, "named the power of a higher league")
    again = submit(OPERATOR, pool, RememberingQueue(), replace(a_submission("manta"), league="silver"))
    assert (again.version, claimed_build(pool, again.row.id).rules_level) == ("manta@v2", 3)


def test_a_bot_that_has_begun_goes_up_by_its_results_alone(pool: Pool) -> None:
    on_the_board(pool, "manta")
    with pytest.raises(Refused, match=r"manta has begun in Wood 2 and goes up by its results: .* as another bot"):
        submit(OPERATOR, pool, RememberingQueue(), replace(a_submission("manta", "b"), league="silver"))
    submit(OPERATOR, pool, RememberingQueue(), replace(a_submission("manta", "b"), league="wood-2"))
    with pytest.raises(UnknownName, match="unknown league of ocean-of-code 'silber'"):
        submit(OPERATOR, pool, RememberingQueue(), replace(a_submission("eel"), league="silber"))


OTHER = (GAMES.find(GAME).bots_folder / "tracker_v1.py").read_text("utf-8")
STARTER = (GAMES.find(GAME).folder / "starters" / "starter.py").read_text("utf-8")


def similar(pool: Pool) -> list[SimilarPair]:
    return within(pool, similar_sources, GAMES, GAME)


def test_a_copy_by_another_player_is_named_the_newest_counts_and_ones_own_are_not_compared(pool: Pool) -> None:
    submitted(pool, "kraken", OTHER, "kim")
    submitted(pool, "orca", f"{OTHER}\n# my own\n", "lee")
    [found] = similar(pool)
    assert (found.first, found.first_player, found.second, found.second_player) == (
        *("kraken@v1", "kim"),
        *("orca@v1", "lee"),
    )
    assert (found.first_share, found.second_share, found.language) == (1, 1, "python")
    submitted(pool, "mine-too", f"{OTHER}\n#\n", "kim")
    pairs = {("kraken@v1", "orca@v1"), ("orca@v1", "mine-too@v1")}
    assert {(found.first, found.second) for found in similar(pool)} == pairs
    submitted(pool, "orca", arena.DRIFTER, "lee")
    assert not similar(pool)


def test_starters_and_bosses_are_nobodys_own(pool: Pool, bosses: None) -> None:
    for given in (STARTER, (GAMES.find(GAME).bots_folder / "tracker.py").read_text("utf-8")):
        submitted(pool, "kraken", given, "kim")
        submitted(pool, "orca", f"{given}\n# a copy\n", "lee")
        assert not similar(pool)


class TestReading:
    def test_a_large_source_is_never_called_anything_else(self, tmp_path: Path) -> None:
        path = tmp_path / "large.py"
        for character, times in product(("x", "\u20ac", "\U0001f40d"), (5, 12)):
            path.write_text("#" + character * times * LIMIT_CHARS, "utf-8")
            with pytest.raises(Refused, match="more than 100,000 characters; that is the limit"):
                source.read_source(path, LIMIT_CHARS)

    def test_a_source_at_the_limit_is_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "long.py"
        path.write_text("\U0001f40d" * LIMIT_CHARS, "utf-8")
        assert source.read_source(path, LIMIT_CHARS) == "\U0001f40d" * LIMIT_CHARS

    def test_pipes_and_devices_are_refused_without_waiting_for_them(self, tmp_path: Path) -> None:
        pipe, listener = tmp_path / "pipe.py", tmp_path / "socket.py"
        os.mkfifo(pipe)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(listener))
            for path in (pipe, listener, Path("/dev/zero")):
                with pytest.raises(UsageFault, match=f"cannot read {path}: it is a pipe, a socket or a device"):
                    source.read_source(path, LIMIT_CHARS)

    def test_a_link_to_a_file_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text("print()")
        (tmp_path / "link.py").symlink_to("bot.py")
        assert source.read_source(tmp_path / "link.py", LIMIT_CHARS) == "print()"


def context_without_database(folder: Path) -> Context:
    return Context(replace(settings_from({}), database_url=f"postgresql://ladder@/ladder?host={folder}"))


class TestLooking:
    def test_it_goes_on_when_the_database_is_back(
        self, pool: Pool, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        version, context, remarks = stored(pool), context_without_database(tmp_path), list[str]()

        def come_back(remark: str) -> None:
            remarks.append(remark)
            context.database_url = database_url

        monkeypatch.setattr(context, "say", come_back)
        context.answered_s = time.monotonic()
        assert following.look(context, version).version == version
        assert remarks == ["the ladder does not answer; trying again ..."]

    def test_one_that_stays_away_ends_it_with_what_becomes_of_the_version(self, pool: Pool, tmp_path: Path) -> None:
        with pytest.raises(Unavailable) as fault:
            following.look(context_without_database(tmp_path), stored(pool))
        assert str(fault.value).startswith(
            "kraken@v1 was accepted and will be played when the ladder runs again: type `ladder up`, then "
            "`ladder bot show kraken`; it cannot be watched now, for the database does not answer"
        )


def stored(pool: Pool) -> Version:
    return within(pool, find_version, submitted(pool))


def test_matches_that_a_version_still_has_as_an_opponent_are_shown(pool: Pool) -> None:
    now = within(pool, version_progress, on_the_board(pool, "kraken"))
    for waiting, words in (
        (0, ""),
        (1, "; it has had its battles, and 1 more match of it waits, which may still move it"),
        (10, "; it has had its battles, and 10 more matches of it wait, which may still move it"),
    ):
        assert following.remaining_text(with_waiting(now, waiting)) == words
    spared = replace(now, outlook=replace(present(now.outlook), is_spared=True))
    assert following.remaining_text(with_waiting(spared, 1)) == "", "the line on what it lacks says so"


def with_waiting(now: VersionProgress, waiting: int) -> VersionProgress:
    own = now.version.id
    return replace(now, board=[replace(row, waiting=waiting if row.version_id == own else 3) for row in now.board])


def test_a_version_that_waits_for_its_build_is_shown_with_how_many_others_do(pool: Pool, bosses: None) -> None:
    waits, other = submitted(pool, "kraken"), submitted(pool, "orca")

    def words() -> object:
        return following.picture(within(pool, version_progress, waits))

    assert words() == (
        "kraken@v1 waits for its build beside 1 other version: at most half of a worker's processes build ..."
    )
    within(pool, reject, claimed_build(pool, other), "it does not compile")
    assert words() == "kraken@v1 waits for its build: at most half of a worker's processes build ..."
    claimed_build(pool, waits)
    assert words() == "kraken@v1 is being built and tried ..."


def test_the_demo_names_the_versions_that_are_built(pool: Pool, bosses: None) -> None:
    first = submitted(pool, "kraken")
    submitted(pool, "orca")
    with transaction(pool) as connection:
        both = progress(connection)
        assert (building(connection), doing_text(both, [])) == ([], "2 to be built")
    claimed_build(pool, first)
    assert doing_text(both, within(pool, building)) == "building kraken@v1, then 1 more"
    assert doing_text(both, ["kraken@v1", "orca@v1"]) == "building kraken@v1 and orca@v1"
    assert doing_text(replace(both, building=0), []) == "playing"
