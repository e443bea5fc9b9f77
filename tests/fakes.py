"""Stand-ins for what is outside: a queue that only remembers its messages, and players that follow a script."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from engine.bot.clock import Spent
from engine.bot.output import Reply
from engine.conversation import Ask, Outcome, SeatVerdict, Verdict
from engine.game import Games
from engine.match import MatchResult, MatchSpec, Turn
from ladder.errors import QueueDown
from ladder.ids import MatchId, VersionId
from ladder.matches.claims import MatchClaim
from ladder.queue import Backlog
from tests.catalogue import GAMES


def version_ids(*numbers: int) -> tuple[VersionId, ...]:
    return tuple(map(VersionId, numbers))


@dataclass
class RememberingQueue:
    """A queue that remembers what was enqueued."""

    builds: list[VersionId] = field(default_factory=list[VersionId])
    plays: list[MatchId] = field(default_factory=list[MatchId])
    schedules: int = 0
    first: list[MatchId] = field(default_factory=list[MatchId])

    def enqueue_build(self, version_id: VersionId) -> None:
        self.builds.append(version_id)

    def enqueue_match(self, match_id: MatchId, *, first: bool = False) -> None:
        self.plays.append(match_id)
        if first:
            self.first.append(match_id)

    def enqueue_matches(self, match_ids: Sequence[MatchId], *, first: bool = False) -> None:
        for match_id in match_ids:
            self.enqueue_match(match_id, first=first)

    def enqueue_schedule(self) -> None:
        self.schedules += 1

    def backlog(self) -> Backlog:
        return Backlog(len(self.builds), len(self.plays))


class BrokenQueue(RememberingQueue):
    """A queue whose broker is away."""

    def enqueue_build(self, version_id: VersionId) -> None:
        raise QueueDown("the broker does not answer")

    def enqueue_match(self, match_id: MatchId, *, first: bool = False) -> None:
        raise QueueDown("the broker does not answer")


def fault_of(reply: Reply) -> SeatVerdict:
    """Return why an answer is none."""
    assert reply.line is None
    assert reply.fault is not None
    return reply.fault


def surface(ask: Ask) -> str:
    return "7 7" if ask.limit_ms == 1000 else "SURFACE"


class Scripted:
    """A player that answers with what a function says of each ask, in the times it is told, then in a millisecond."""

    def __init__(
        self, answer: Callable[[Ask], str | None], fault: SeatVerdict | None = None, times: Iterable[Spent] = ()
    ) -> None:
        self._answer = answer
        self._fault = fault
        self._times = iter(times)

    def ask(self, ask: Ask) -> Reply:
        line = self._answer(ask)
        return Reply(line, next(self._times, Spent(wall_us=1000)), self._fault if line is None else None)


def result_of(
    claim: MatchClaim, scores: Sequence[int], verdicts: Sequence[str] = (), games: Games = GAMES
) -> MatchResult:
    """Make the result of a match that nobody played."""
    game, others = games.find(claim.game), len(scores) - 1
    ended = (SeatVerdict(Verdict(one), "" if one == "ok" else "why") for one in verdicts or ["ok"] * len(scores))
    return MatchResult(
        MatchSpec(game, claim.rules_level, claim.seed, claim.first_limit_ms, claim.turn_limit_ms, claim.players),
        Outcome(tuple(scores), "dead", tuple(ended)),
        (
            Turn(0, "7 7", Spent(wall_us=900, cpu_us=400)),
            Turn(1, None, Spent(wall_us=49_100, cpu_us=300, wait_us=9_000)),
        ),
        ("said\0", *[""] * others),
        (0, *[0] * others),
        (0, *[0] * others),
        sandbox="bubblewrap",
    )
