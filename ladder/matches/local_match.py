"""A match that was played on this machine without a ladder, also as the bytes of a file.

How this works. The first line of a file is a head as JSON: all that a list shows, so a list reads no more than that.
Then come the bots' debug output, compressed, and the record (see `record`). A file that is cut short or changed does
not unpack.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from engine.bot.clock import Clock, Policy, TimeRule
from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.game import Game
from engine.match import MatchResult, MatchSpec
from ladder.errors import DamagedRecord
from ladder.matches.record import Recording, limits_said, pack, repeating, unpack

FORMAT = 1
"""The first number of each file; another one means a file of another time."""
FAST = 1
"""The level of compression for debug output, which can be much longer than all else."""


class Damaged(ValueError):
    """The bytes are not those of a match, or not all of them."""


@dataclass(frozen=True, slots=True)
class LocalHead:
    """What a list shows of a match. `league`: by whose rules it was played, its title; `players`: in the seats.

    `edition`: of its game, where the referee is a program, or else "".

    `own_seat`: the seat of the bot that was named first, None where it did not play. `time_policy`, `clock`: the rule
    for time by which it was judged. `host_faults`: how often it was void because the host was too busy.
    """

    game: str
    league: str
    rules_level: int
    seed: int
    first_limit_ms: int
    turn_limit_ms: int
    players: tuple[str, ...]
    own_seat: int | None
    scores: tuple[int, ...]
    reason: str
    verdicts: tuple[SeatVerdict, ...]
    early_lines: tuple[int, ...]
    stderr_dropped_bytes: tuple[int, ...]
    turns: int
    sandbox: str
    time_policy: str
    clock: str
    host_faults: int
    finished_at: datetime
    edition: str = ""

    @property
    def outcome(self) -> Outcome:
        """Return how it ended."""
        return Outcome(self.scores, self.reason, self.verdicts)

    @property
    def rule(self) -> TimeRule:
        """Return the rule for time by which it was judged."""
        return TimeRule(Policy(self.time_policy), Clock(self.clock))


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """A match: its head, what each seat wrote to stderr, and its turns."""

    head: LocalHead
    stderr: tuple[str, ...]
    recording: Recording

    def result(self, game: Game) -> MatchResult:
        """Return it as the engine knows it. `game`: the one that the head names."""
        head = self.head
        return MatchResult(
            MatchSpec(
                game,
                head.rules_level,
                head.seed,
                *limits_said(game, head.first_limit_ms, head.turn_limit_ms),
                len(head.players),
                repeating(game, self.recording.notes),
            ),
            head.outcome,
            self.recording.turns,
            self.stderr,
            head.early_lines,
            head.stderr_dropped_bytes,
            head.sandbox,
            self.recording.rules_version,
            self.recording.notes,
        )


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a result does not say: see `LocalHead`."""

    league: str
    players: tuple[str, ...]
    own_seat: int | None
    rule: TimeRule
    host_faults: int
    finished_at: datetime


def local_match(result: MatchResult, around: Circumstances) -> LocalMatch:
    """Return a match that was just played."""
    spec, limits, outcome = result.spec, result.spec.limits, result.outcome
    head = LocalHead(
        spec.game.name,
        around.league,
        spec.rules_level,
        spec.seed,
        limits.first_ms,
        limits.turn_ms,
        around.players,
        around.own_seat,
        outcome.scores,
        outcome.reason,
        outcome.verdicts,
        result.early_lines,
        result.stderr_dropped_bytes,
        len(result.turns),
        result.sandbox,
        around.rule.policy.value,
        around.rule.clock.value,
        around.host_faults,
        around.finished_at,
        spec.game.edition,
    )
    return LocalMatch(head, result.stderr, Recording(result.turns, result.rules_version, result.notes))


def to_bytes(match: LocalMatch) -> bytes:
    """Return a match as a file holds it."""
    head = {"format": FORMAT, **asdict(match.head), "finished_at": match.head.finished_at.isoformat()}
    if not match.head.edition:
        del head["edition"]
    return b"".join((dumped(head), b"\n", zlib.compress(dumped(match.stderr), FAST), pack(match.recording)))


def dumped(value: object) -> bytes:
    """Return a value as JSON of one line."""
    return json.dumps(value, separators=(",", ":")).encode()


def head_from(line: bytes) -> LocalHead:
    """Read the first line of a file. Raises Damaged."""
    try:
        stored: dict[str, Any] = json.loads(line)
        if stored.pop("format") != FORMAT:
            raise Damaged
        pairs = {name: tuple(stored[name]) for name in ("players", "scores", "early_lines", "stderr_dropped_bytes")}
        verdicts = tuple(SeatVerdict(Verdict(one["verdict"]), one["message"]) for one in stored["verdicts"])
        finished_at = datetime.fromisoformat(stored["finished_at"])
        return LocalHead(**{**stored, **pairs, "verdicts": verdicts, "finished_at": finished_at})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged from error


def from_bytes(data: bytes) -> LocalMatch:
    """Read a file. Raises Damaged."""
    line, _, rest = data.partition(b"\n")
    head = head_from(line)
    unpacking = zlib.decompressobj()
    try:
        stderr = tuple(json.loads(unpacking.decompress(rest)))
        recording = unpack(unpacking.unused_data)
    except (ValueError, TypeError, KeyError, zlib.error, DamagedRecord) as error:
        raise Damaged from error
    if len(recording.turns) != head.turns or len(stderr) != len(head.players):
        raise Damaged
    return LocalMatch(head, stderr, recording)
