"""What a turn costs its bot, and when it was too much. Pure: numbers in, judgement out.

How this works. Wall time alone blames a bot for a busy host; CPU time alone lets a bot sleep. So four times are taken
of each turn: `wall`, from letting the bot go to seeing its answer; `cpu`, what the bot computed in it; `wait`, how long
the host ran somebody else while it was ready to compute, or nothing proves that it slept (see `stopwatch`); and `late`,
how long *we* were ready to look but were not run, when we then found the answer there. A turn is charged

    max(cpu, wall - wait - late) - runtime

that is: computing and sleeping, but not waiting for the host or for us. `runtime` is what an allowance bears of the
runtime's own work, such as compiling, in a turn that would else be over its limit (see `runtime_work`); 0 for most
languages. A bot is over its limit only if both wall time and charge are.
"""

from enum import StrEnum

from engine.immutable import immutable
from engine.text import time_words

BACKSTOP_LIMITS = 20
BACKSTOP_LEAST_US = 1_000_000
GRACE_MS = 50
"""The policy `codingame`: how far beyond the limit an answer still counts; as CodinGame's runner does it in 2026."""
FATAL_OVERRUN = 3
"""The policy `codingame`: the overrun that loses..."""
FATAL_OVERRUN_WORDS = "the third overrun"
"""... in words."""


class Clock(StrEnum):
    """Which time counts: what the bot is charged, or what a clock on the wall shows."""

    FAIR = "fair"
    WALL = "wall"


class Policy(StrEnum):
    """What an overrun means: `strict`, it loses; `codingame`, the third one does, or one beyond the grace."""

    STRICT = "strict"
    CODINGAME = "codingame"


def charged_us(wall_us: int, cpu_us: int, wait_us: int, late_us: int, runtime_us: int) -> int:
    return max(0, max(cpu_us, wall_us - wait_us - late_us) - runtime_us)


@immutable
class Spent:
    """The times of one turn, in microseconds; see above."""

    wall_us: int = 0
    cpu_us: int = 0
    wait_us: int = 0
    late_us: int = 0
    runtime_us: int = 0

    @property
    def charged_us(self) -> int:
        return charged_us(self.wall_us, self.cpu_us, self.wait_us, self.late_us, self.runtime_us)

    @property
    def slept_us(self) -> int:
        """As far as nobody kept it from its work."""
        return max(0, self.wall_us - self.cpu_us - self.wait_us - self.late_us)

    @property
    def words(self) -> str:
        return f"it computed {time_words(self.cpu_us)} and slept {time_words(self.slept_us)}"

    def counted_us(self, clock: Clock) -> int:
        return self.wall_us if clock is Clock.WALL else min(self.wall_us, self.charged_us)


@immutable
class TimeRule:
    policy: Policy = Policy.STRICT
    clock: Clock = Clock.FAIR

    def last_us(self, limit_ms: int) -> int:
        """Return the latest that an answer can come and still be taken, by this rule's clock."""
        return 1000 * (limit_ms + (GRACE_MS if self.policy is Policy.CODINGAME else 0))

    def is_overrun(self, spent: Spent, limit_ms: int) -> bool:
        return spent.counted_us(self.clock) > 1000 * limit_ms

    def loses(self, spent: Spent, limit_ms: int, earlier_overruns: int) -> bool:
        if not self.is_overrun(spent, limit_ms):
            return False
        too_often = self.policy is Policy.STRICT or earlier_overruns + 1 >= FATAL_OVERRUN
        return too_often or spent.counted_us(self.clock) > self.last_us(limit_ms)

    def breach(self, counted_us: int, limit_ms: int) -> str:
        """Where it is not plain from the limit, say why a turn loses that took so long by this rule's clock."""
        if self.policy is Policy.STRICT:
            return ""
        beyond = counted_us > self.last_us(limit_ms)
        return f"beyond the limit and {GRACE_MS} ms of grace" if beyond else FATAL_OVERRUN_WORDS

    def pardon(self, spent: Spent, limit_ms: int, earlier_overruns: int) -> str:
        """Say that an overrun is forgiven, and which it is of how many; "" for what is none, or loses."""
        if not self.is_overrun(spent, limit_ms) or self.loses(spent, limit_ms, earlier_overruns):
            return ""
        return f"forgiven, {earlier_overruns + 1} of {FATAL_OVERRUN - 1}"

    def patience_words(self, limit_ms: int) -> str:
        last_us = self.last_us(limit_ms)
        words = time_words(last_us)
        return words if last_us == 1000 * limit_ms else f"{words}, the limit and its grace"


def allowed_us(spent: Spent, limit_ms: int, worked_us: int, left_us: int) -> int:
    """Return how much of a turn the allowance bears: what is over the limit, where it was the runtime's work."""
    return max(0, min(spent.charged_us - 1000 * limit_ms, worked_us, left_us))


def backstop_us(limit_ms: int) -> int:
    """In wall time, a turn then ends in any case."""
    return max(BACKSTOP_LIMITS * 1000 * limit_ms, BACKSTOP_LEAST_US)


def whose_fault(spent: Spent, limit_ms: int) -> str:
    """In a word: bot, host or runtime; "" within the limit. The bot's part counts first: it would have been too late as
    well.
    """
    if spent.wall_us <= 1000 * limit_ms:
        return ""
    if spent.charged_us > 1000 * limit_ms:
        return "bot"
    return "runtime" if spent.runtime_us else "host"
