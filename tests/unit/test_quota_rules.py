"""When more is possible again, and the words for it."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from ladder.quotas.rules import DAY, HOUR, Quota, Quotas, Use, moment, possible_from, refusal, when_possible

NOON = datetime(2026, 12, 18, 12, 0, tzinfo=UTC)


def at(minutes: int, much: float = 1) -> Use:
    return Use(NOON + timedelta(minutes=minutes), much)


@pytest.mark.parametrize(
    ("uses", "limit", "wanted", "minutes"),
    [
        ([at(0), at(10), at(20)], 3, 1, 60),
        ([at(0), at(10), at(20)], 3, 2, 70),
        ([at(0), at(10), at(20)], 3, 3, 80),
        ([at(0), at(10), at(20)], 1, 1, 80),
        ([at(0, 5), at(10, 1)], 6, 5, 60),
        ([at(0), at(10), at(20)], 3, 4, None),
        ([], 0, 1, None),
    ],
)
def test_more_is_possible_as_soon_as_enough_counts_no_more(
    uses: list[Use], limit: int, wanted: int, minutes: int | None
) -> None:
    expected = None if minutes is None else NOON + timedelta(minutes=minutes)
    assert possible_from(uses, limit, wanted, HOUR) == expected


def test_a_refusal_says_what_how_much_and_when_again() -> None:
    again = NOON + timedelta(minutes=12)
    assert refusal(Quota.VERSIONS_PER_HOUR, "kim", 20, 20, 1, again, NOON) == (
        "kim may submit 20 versions an hour; 20 are used, and it is possible again in 12 min, at 2026-12-18 12:12 UTC"
    )
    assert refusal(Quota.BATTLES_PER_DAY, "kim", 500, 480, 30, NOON + DAY, NOON) == (
        "kim may ask for 500 battles a day; 480 are used and 30 more are asked for, and it is possible again in "
        "24.0 h, at 2026-12-19 12:00 UTC"
    )
    assert "so 600 at once are never possible" in refusal(Quota.BATTLES_PER_DAY, "kim", 500, 0, 600, None, NOON)
    assert refusal(Quota.GAUNTLETS_RUNNING, "kim", 3, 3, 1, None, NOON).endswith(
        "3 are used, and it is possible again when one of them has ended"
    )


def test_a_refusal_says_how_many_more_are_asked_for_where_it_is_not_one_and_if_that_is_never_possible() -> None:
    assert "; 19 are used and 2 more are asked for, and" in refusal(Quota.TOKENS, "kim", 20, 19, 2, None, NOON)
    assert "; 20 are used, and" in refusal(Quota.TOKENS, "kim", 20, 20, 1, None, NOON)
    assert "10 more are asked for, and it is possible again" in refusal(Quota.TOKENS, "kim", 10, 1, 10, None, NOON)
    assert refusal(Quota.TOKENS, "kim", 10, 0, 11, None, NOON) == (
        "kim may have 10 tokens, so 11 at once are never possible"
    )


@pytest.mark.parametrize(("seconds", "words"), [(-5, "in 1 s"), (0, "in 1 s"), (1, "in 1 s"), (2, "in 2 s")])
def test_more_is_possible_again_in_a_second_at_the_earliest(seconds: int, words: str) -> None:
    assert when_possible(Quota.TOKENS, NOON + timedelta(seconds=seconds), NOON).startswith(words)


def test_moments_are_written_in_utc_wherever_the_ladder_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        written = moment(NOON)
    time.tzset()
    assert written == "2026-12-18 12:00 UTC"
    assert moment(NOON.astimezone(timezone(timedelta(hours=9)))) == written


def test_each_quota_has_a_default_and_words() -> None:
    assert {quota: Quotas().limit(quota) for quota in Quota} == {
        Quota.VERSIONS_PER_HOUR: 20,
        Quota.VERSIONS_PER_DAY: 100,
        Quota.BATTLES_PER_DAY: 500,
        Quota.GAUNTLETS_RUNNING: 3,
        Quota.CPU_S_PER_DAY: 20_000,
        Quota.TOKENS: 20,
        Quota.QUESTIONS_PER_HOUR: 5,
    }
    assert all("{}" in quota.permission and quota.words and quota.until for quota in Quota)
