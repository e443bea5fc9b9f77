"""A contest's beginning, end and one bot for each player, on a real database."""

from datetime import UTC, datetime, timedelta

import pytest

from cli.terminal.words import contest_text
from engine.errors import Refused, UsageFault
from engine.text import time_left, zoned_words
from ladder import actions
from ladder.access import Actor, Role
from ladder.actions.seasons import LONGEST_RULES, ContestTerms, LastSeries, open_contest
from ladder.bots import bots
from ladder.database.connection import Pool, one
from ladder.flows.submission import Submission, reject
from ladder.seasons import ending
from ladder.seasons.ending import SeasonPlan
from ladder.views.contests import Timetable, timetables
from tests.fakes import RememberingQueue
from tests.ladder.arena import GAME, claimed_build, on_the_board, submitted, within
from tests.ladder.rated import change

KIM, OLGA = Actor("kim"), Actor("olga", Role.OPERATOR)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SOON = datetime.now(UTC).replace(microsecond=0) + 3 * DAY
LATE = SOON + 20 * DAY


def opened(pool: Pool, **terms: object) -> SeasonPlan:
    made = open_contest(OLGA, pool, GAME, LATE, terms=ContestTerms(**terms)).plan.plan  # type: ignore[arg-type]
    assert made is not None
    return made


def test_before_a_contest_begins_its_game_takes_versions_of_bosses_alone(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    submitted(pool, "kraken", "b")
    opened(pool, submit_from=SOON)
    sentence = f"the contest of {GAME} begins {zoned_words(SOON)}: until then no version is submitted"
    with pytest.raises(Refused) as refusal:
        submitted(pool, "kraken", "c")
    assert str(refusal.value) == sentence
    with pytest.raises(Refused, match="begins"):
        actions.bots.activate(KIM, pool, "kraken", 1, GAME)
    boss = Submission(GAME, "boss-wood-2", "print(1, 1)", "python", boss_of="wood-2")
    assert actions.bots.submit(Actor("house", Role.OPERATOR), pool, RememberingQueue(), boss).row.bot == "boss-wood-2"
    change(pool, "UPDATE season_plans SET submit_from = now() - interval '1 second'")
    submitted(pool, "orca", "c")


def test_a_second_bot_is_refused_with_the_name_of_the_first(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b", player="mia")
    opened(pool, one_bot=True)
    with pytest.raises(Refused, match=r"yours is kraken: .*`--bot kraken`.*`ladder bot retire kraken`"):
        submitted(pool, "hydra", "c")
    assert within(pool, bots.bots_called, "hydra", GAME) == []
    on_the_board(pool, "kraken", "c")
    actions.bots.retire(KIM, pool, "kraken", GAME)
    on_the_board(pool, "hydra", "d")
    with pytest.raises(Refused, match="yours is hydra"):
        actions.bots.activate(KIM, pool, "kraken", 1, GAME)


def test_a_disqualified_bot_is_no_reason_to_come_with_another(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    actions.bots.disqualify(OLGA, pool, "kraken", "a copy", GAME)
    on_the_board(pool, "orca", "b")
    opened(pool, one_bot=True)
    on_the_board(pool, "orca", "c")
    actions.bots.retire(KIM, pool, "orca", GAME)
    with pytest.raises(Refused, match=r"yours is kraken, which is disqualified \(a copy\): ask an operator"):
        submitted(pool, "hydra", "d")


def test_a_bot_of_which_every_version_was_rejected_counts_for_none(pool: Pool) -> None:
    opened(pool, one_bot=True)
    claim = claimed_build(pool, submitted(pool, "kraken", "no program"))
    assert within(pool, reject, claim, "no")
    submitted(pool, "orca", "a")
    with pytest.raises(Refused, match="yours is orca"):
        submitted(pool, "kraken", "a program")


def test_a_contest_with_one_bot_each_is_not_opened_over_players_who_have_several(pool: Pool) -> None:
    for bot in ("kraken", "orca"):
        on_the_board(pool, bot, "a")
    on_the_board(pool, "hydra", "a", player="mia")
    with pytest.raises(Refused, match=r"too many in ocean-of-code: kim \(kraken and orca\); `ladder bot retire`"):
        opened(pool, one_bot=True)
    assert within(pool, ending.find, GAME) is None
    actions.bots.retire(KIM, pool, "orca", GAME)
    assert opened(pool, one_bot=True).one_bot


def test_what_cannot_be_is_one_sentence_and_changes_nothing_and_frozen_boards_are_no_beginning(pool: Pool) -> None:
    for terms, frozen_from, sentence in (
        (ContestTerms(submit_from=LATE), None, "before it begins"),
        (ContestTerms(submit_from=LATE + DAY), None, "before it begins"),
        (ContestTerms(submit_from=SOON), SOON - HOUR, "name an earlier beginning, or freeze them later"),
        (ContestTerms(submit_from=datetime(1066, 10, 14, tzinfo=UTC)), None, "too far away"),
        (ContestTerms(title="two\nlines"), None, "one line"),
        (ContestTerms(title="x" * 101), None, "100 characters"),
        (ContestTerms(rules="x" * (LONGEST_RULES + 1)), None, "10,000 characters"),
    ):
        with pytest.raises(UsageFault, match=sentence):
            open_contest(OLGA, pool, GAME, LATE, frozen_from=frozen_from, terms=terms)
    assert within(pool, ending.find, GAME) is None
    assert within(pool, one, "SELECT count(*) FROM board_freezes", {})[0] == 0
    actions.games.freeze_boards(OLGA, pool, GAME, datetime.now(UTC) - DAY)
    with pytest.raises(UsageFault, match="its boards are frozen from"):
        opened(pool, submit_from=SOON)


def test_what_a_contest_says_stays_until_it_is_said_again_or_its_season_is_over(pool: Pool) -> None:
    terms = {"submit_from": SOON, "one_bot": True, "title": "Winter cup", "rules": "Be kind."}
    opened(pool, **terms)
    actions.seasons.plan(OLGA, pool, GAME, LATE + DAY, LastSeries(5, 4))
    again = opened(pool, title="Spring cup")
    assert {name: getattr(again, name) for name in terms} == terms | {"title": "Spring cup"}
    with pytest.raises(UsageFault, match="before it begins"):
        actions.seasons.plan(OLGA, pool, GAME, SOON - DAY, None)
    assert not opened(pool, one_bot=False).one_bot
    change(pool, "UPDATE season_plans SET number = 7")
    assert opened(pool) == SeasonPlan(GAME, 1, LATE, 0, 0, "olga")


def test_a_timetable_says_what_is_next_and_in_how_long(pool: Pool) -> None:
    opened(pool, submit_from=SOON, title="Winter cup")

    def now() -> Timetable:
        return within(pool, timetables)[GAME]

    assert (now().state, now().turns_at, now().title) == ("to come", SOON, "Winter cup")
    assert contest_text(now()) == f"contest: begins {zoned_words(SOON)} (in {now().left})"
    change(pool, "UPDATE season_plans SET submit_from = now() - interval '1 hour'")
    assert (now().state, now().turns_at, now().left.startswith("22 d ")) == ("on", LATE, True)
    actions.games.freeze_boards(OLGA, pool, GAME, LATE - HOUR)
    assert contest_text(now()).endswith(f" left); boards frozen from {zoned_words(LATE - HOUR)}")
    change(pool, "UPDATE season_plans SET submit_until = now()")
    assert (now().state, now().left) == ("ending", "0 s")
    assert "what lacks is played" in contest_text(now())
    change(pool, "INSERT INTO seasons (game, number, closed_at) VALUES (%s, 1, now())", GAME)
    assert within(pool, timetables) == {}, "a plan of a season that is closed is none"


def test_time_left_has_its_two_largest_units() -> None:
    short = [(-5, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min")]
    for seconds, words in (*short, (3600, "1 h 0 min"), (183_600, "2 d 3 h")):
        assert time_left(seconds) == words
