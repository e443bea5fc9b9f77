"""The last matches that were played on this machine without a ladder: one file for each, in one folder.

How this works. A file is named by a running number. It is written under another name and then linked to its own, which
fails where that number is taken: so several programs at once neither lose nor overwrite a match, without a lock that
one of them could hold for ever. After each new match the oldest are deleted until `MOST` are left. Files of other names
are left alone.

`play:1` is the latest, `play:2` the one before, and so on; `local:12` is lasting, by the number of its file. Matches of
the official site that somebody brought in are kept likewise in a folder of their own, all of them: `official:12`.

A file. Its first line is a head as JSON: all that a list shows, so a list reads no more than that.
Then come the bots' debug output, compressed, and the record (see `record`). A file that is cut short or changed does
not unpack.
"""

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.bot.clock import Clock, Policy, TimeRule
from engine.conversation import Outcome, SeatVerdict, TimeLimits, Verdict
from engine.errors import Refused, UnknownName, plain_words
from engine.game import Game
from engine.immutable import immutable
from engine.match import MatchResult, MatchSpec
from ladder.errors import DamagedRecord
from ladder.matches.record import Recording, pack, unpack

FORMAT = 1
USUAL_RULE = TimeRule()
LATE_FIELDS = frozenset({"edition", "site_id", "metrics"})
"""Of a head: they stand in a file where there is something to say."""
FAST = 1
"""The level of compression for debug output, which can be much longer than all else."""


class Damaged(ValueError):
    """The bytes are not those of a match, or not all of them."""


@immutable
class LocalHead:
    """What a list shows of a match. `own_seat`: of the bot named first; `edition`: "" where the rules are in Python."""

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
    site_id: int | None = None
    metrics: tuple[Mapping[str, str], ...] = ()

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.scores, self.reason, self.verdicts)

    @property
    def rule(self) -> TimeRule:
        return TimeRule(Policy(self.time_policy), Clock(self.clock))


@immutable
class LocalMatch:
    """A match: its head, what each seat wrote to stderr, and its turns."""

    head: LocalHead
    stderr: tuple[str, ...]
    recording: Recording

    def result(self, game: Game) -> MatchResult:
        head, notes = self.head, self.recording.notes
        first_ms = turn_ms = None
        if head.turn_limit_ms:
            first_ms, turn_ms = game.limits_said(TimeLimits(head.first_limit_ms, head.turn_limit_ms))
        spec = MatchSpec(
            game,
            head.rules_level,
            head.seed,
            first_ms,
            turn_ms,
            players=len(head.players),
            parameters=game.program.repeating(notes.parameters) if game.program and notes else (),
        )
        return MatchResult(
            spec,
            head.outcome,
            self.recording.turns,
            stderr=self.stderr,
            early_lines=head.early_lines,
            stderr_dropped_bytes=head.stderr_dropped_bytes,
            sandbox=head.sandbox,
            rules_version=self.recording.rules_version,
            notes=notes,
            metrics=head.metrics,
        )


def local_match(
    result: MatchResult,
    league: str,
    players: tuple[str, ...],
    own_seat: int | None,
    finished_at: datetime,
    *,
    rule: TimeRule = USUAL_RULE,
    host_faults: int = 0,
    site_id: int | None = None,
) -> LocalMatch:
    """Return a result with what it does not say: see `LocalHead`."""
    spec, outcome = result.spec, result.outcome
    head = LocalHead(
        game=spec.game.name,
        league=league,
        rules_level=spec.rules_level,
        seed=spec.seed,
        first_limit_ms=spec.limits.first_ms,
        turn_limit_ms=spec.limits.turn_ms,
        players=players,
        own_seat=own_seat,
        scores=outcome.scores,
        reason=outcome.reason,
        verdicts=outcome.verdicts,
        early_lines=result.early_lines,
        stderr_dropped_bytes=result.stderr_dropped_bytes,
        turns=len(result.turns),
        sandbox=result.sandbox,
        time_policy=rule.policy.value,
        clock=rule.clock.value,
        host_faults=host_faults,
        finished_at=finished_at,
        edition=spec.game.edition,
        site_id=site_id,
        metrics=result.metrics if any(result.metrics) else (),
    )
    return LocalMatch(head, result.stderr, Recording(result.turns, result.rules_version, result.notes))


def to_bytes(match: LocalMatch) -> bytes:
    head = {"format": FORMAT, **asdict(match.head), "finished_at": match.head.finished_at.isoformat()}
    head = {name: value for name, value in head.items() if name not in LATE_FIELDS or value}
    return b"".join((to_json(head), b"\n", zlib.compress(to_json(match.stderr), FAST), pack(match.recording)))


def to_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def head_from(line: bytes) -> LocalHead:
    try:
        stored: dict[str, Any] = json.loads(line)
        if stored.pop("format") != FORMAT:
            raise Damaged
        pairs = {name: tuple(stored[name]) for name in ("players", "scores", "early_lines", "stderr_dropped_bytes")}
        pairs["metrics"] = tuple({**of_seat} for of_seat in stored.get("metrics", ()))
        verdicts = tuple(SeatVerdict(Verdict(seat["verdict"]), seat["message"]) for seat in stored["verdicts"])
        finished_at = datetime.fromisoformat(stored["finished_at"])
        head = LocalHead(**{**stored, **pairs, "verdicts": verdicts, "finished_at": finished_at})
        TimeRule(Policy(head.time_policy), Clock(head.clock))  # ValueError for other words
        require_whole(head)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged from error
    return head


def require_whole(head: LocalHead) -> None:
    """Check what listings compare and look up. Raises Damaged."""
    named, numbered = (head.players, head.verdicts, head.metrics or head.players), (head.scores, head.early_lines)
    by_seat = (*named, *numbered, head.stderr_dropped_bytes)
    texts = (head.game, head.league, head.reason, head.sandbox, *head.players)
    numbers = (*head.scores, *head.early_lines, *head.stderr_dropped_bytes, head.turns, head.seed, head.rules_level)
    is_whole = all(len(seats) == len(head.players) for seats in by_seat) and head.finished_at.tzinfo is not None
    is_typed = all(isinstance(text, str) for text in texts) and all(type(number) is int for number in numbers)
    if not (is_whole and is_typed and head.own_seat in {None, *range(len(head.players))}):
        raise Damaged


def from_bytes(data: bytes) -> LocalMatch:
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


PLACE, LASTING, OFFICIAL, ARCHIVED = "play", "local", "official", "archived"
LOCAL_NAME = re.compile(rf"({PLACE}|{LASTING}|{OFFICIAL}):([0-9]{{1,18}})")
OWN_FILE = re.compile(r"([1-9][0-9]{0,17})\.match")


@immutable
class LocalName:
    """How people name such a match. `kind`: PLACE counts from the latest; `folder`: where an archived one lies."""

    number: int
    kind: str = PLACE
    folder: Path | None = None

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.folder is None else str(self.folder / f"{self.number}.match")


def read_local_name(words: str) -> LocalName | None:
    parts = LOCAL_NAME.fullmatch(words)
    return None if parts is None else LocalName(int(parts[2]), parts[1])


def read_archived_name(words: str) -> LocalName | None:
    path = Path(words)
    name = OWN_FILE.fullmatch(path.name)
    return LocalName(int(name[1]), ARCHIVED, path.parent) if name and path.is_file() else None


def numbers_of(names: Iterable[str]) -> list[int]:
    return sorted((int(name[1]) for name in map(OWN_FILE.fullmatch, names) if name), reverse=True)


MOST = 1000
DRAFT = ".draft-"
"""How the names of files begin that are being written..."""
DRAFT_LIFE_S = 3600
"""... and after which time one was left behind by a program that was killed."""


@immutable
class LocalMatches:
    """The folder, which need not exist yet. `kind`: of the lasting names; `most`: how many are kept, None: all."""

    folder: Path
    kind: str = LASTING
    most: int | None = MOST

    def name_of(self, number: int) -> str:
        return str(LocalName(number, self.kind, self.folder if self.kind == ARCHIVED else None))

    def numbers(self) -> list[int]:
        """Return the running numbers of all matches, the latest first. Raises Refused where the folder is not ours."""
        try:
            return numbers_of(self._names())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Refused(f"the matches that were played here cannot be read: {plain_words(error)}") from error

    def keep(self, match: LocalMatch) -> int:
        draft = self.folder / f"{DRAFT}{os.urandom(8).hex()}"
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
                file.write(to_bytes(match))
            return self._numbered(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _names(self) -> list[str]:
        with os.scandir(self.folder) as entries:
            return [entry.name for entry in entries]

    def _numbered(self, draft: Path) -> int:
        while True:
            names = self._names()
            numbers = numbers_of(names)
            number = max(numbers, default=0) + 1
            try:
                self.file(number).hardlink_to(draft)
            except FileExistsError:
                continue  # another program was faster
            for old in numbers[self.most - 1 :] if self.most else ():
                self.file(old).unlink(missing_ok=True)
            self._sweep([name for name in names if name.startswith(DRAFT)], draft.stat().st_mtime)
            return number

    def _sweep(self, drafts: list[str], now: float) -> None:
        """Delete the files that killed programs left behind half written. `now`: by the clock of this folder's disk."""
        for draft in (self.folder / name for name in drafts):
            try:
                if now - draft.stat().st_mtime > DRAFT_LIFE_S:
                    draft.unlink(missing_ok=True)
            except FileNotFoundError:
                continue  # it is a match by now

    def file(self, number: int) -> Path:
        return self.folder / f"{number}.match"

    def find(self, name: LocalName) -> int:
        numbers = self.numbers()
        is_lasting = name.kind != PLACE
        if name.number in numbers if is_lasting else 1 <= name.number <= len(numbers):
            return name.number if is_lasting else numbers[name.number - 1]
        hint = known_words(numbers) if self.kind == LASTING else "`ladder match list --official` lists those that are"
        raise UnknownName(f"there is no match {name}: {hint}", str(name))

    def read(self, name: LocalName) -> tuple[int, LocalMatch]:
        number = self.find(name)
        try:
            return number, from_bytes(self.file(number).read_bytes())
        except Damaged as error:
            raise Refused(f"match {name} cannot be read: {self.file(number)} is damaged") from error
        except OSError as error:
            raise Refused(f"match {name} cannot be read: {plain_words(error)}") from error

    def heads(self) -> Iterator[tuple[int, LocalHead | None]]:
        """Give running numbers and heads, the latest first; None for the head of a file that is damaged."""
        for number in self.numbers():
            try:
                with self.file(number).open("rb") as file:
                    yield number, head_from(file.readline())
            except FileNotFoundError:
                continue  # deleted since, as too old
            except (Damaged, OSError):
                yield number, None


def known_words(numbers: list[int]) -> str:
    if not numbers:
        return "`ladder play` has played none here yet"
    first, last = LocalName(1), LocalName(len(numbers))
    there = f"is {first}" if len(numbers) == 1 else f"are {first} to {last}"
    return f"there {there}, and `ladder match list --local` lists them"
