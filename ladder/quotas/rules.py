"""What there are quotas for, how many by default, and when more is possible again. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Self

from engine.immutable import immutable
from engine.text import duration

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


class Quota(StrEnum):
    """What there is a quota for, by the names of its column."""

    words: str
    permission: str  # what a player may do, with a place for how much of it
    until: str  # when more is possible, where no time is known

    def __new__(
        cls, column: str, words: str, permission: str, until: str = "when less was used in the time before"
    ) -> Self:
        quota = str.__new__(cls, column)
        quota._value_ = column
        quota.words = words
        quota.permission = permission
        quota.until = until
        return quota

    VERSIONS_PER_HOUR = "versions_per_hour", "versions an hour", "submit {} versions an hour"
    VERSIONS_PER_DAY = "versions_per_day", "versions a day", "submit {} versions a day"
    BATTLES_PER_DAY = "battles_per_day", "battles a day", "ask for {} battles a day"
    GAUNTLETS_RUNNING = (
        "gauntlets_running",
        "gauntlets that run",
        "have {} gauntlets run at once",
        "when one of them has ended",
    )
    CPU_S_PER_DAY = "cpu_s_per_day", "CPU seconds a day", "use {} CPU seconds a day for what is asked for"
    TOKENS = "tokens", "tokens", "have {} tokens", "when one of them is revoked"
    QUESTIONS_PER_HOUR = "questions_per_hour", "questions an hour", "ask {} questions an hour"


@immutable
class Quotas:
    """How much a player may ask for; None: no limit. The defaults are everybody's until an operator changes them."""

    versions_per_hour: int | None = 20
    versions_per_day: int | None = 100
    battles_per_day: int | None = 500
    gauntlets_running: int | None = 3
    cpu_s_per_day: int | None = 20_000
    tokens: int | None = 20
    questions_per_hour: int | None = 5

    def limit(self, quota: Quota) -> int | None:
        limit: int | None = getattr(self, quota.value)
        return limit


@immutable
class Use:
    """Something that counts from `at` on for a while. `much`: versions, battles, CPU seconds."""

    at: datetime
    much: float


def possible_from(uses: Sequence[Use], limit: float, more: float, counts_for: timedelta) -> datetime | None:
    """Return when so much more will be possible, None for never. `uses`: the oldest first."""
    if more > limit:
        return None
    used = sum(use.much for use in uses)
    for use in uses:
        used -= use.much
        if used + more <= limit:
            return use.at + counts_for
    return None


def refusal(
    quota: Quota, player: str, limit: int, used: float, more: float, again_at: datetime | None, now: datetime
) -> str:
    may = f"{player} may {quota.permission.format(f'{limit:,}')}"
    if more > limit:
        return f"{may}, so {more:,.0f} at once are never possible"
    and_more = f" and {more:,.0f} more are asked for" if more > 1 else ""
    return f"{may}; {used:,.0f} are used{and_more}, and it is possible again {when_possible(quota, again_at, now)}"


def when_possible(quota: Quota, again_at: datetime | None, now: datetime) -> str:
    if again_at is None:
        return quota.until
    return f"in {duration(max((again_at - now).total_seconds(), 1))}, at {moment(again_at)}"


def moment(at: datetime) -> str:
    """Write a moment so that it is the same for readers in every time zone."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
