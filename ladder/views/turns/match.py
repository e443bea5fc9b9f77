"""One match: all that is stored of it, judged again by another rule, or as it is played again."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from engine import conversation
from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions
from engine.errors import ArenaError, Refused, UnknownName, UsageFault
from engine.game import Games
from engine.immutable import immutable
from engine.match import MatchResult
from engine.records.runner_file import runner_text
from engine.rejudge import Decisive, Rejudged, RejudgedEnd, limits_of, rejudge
from engine.replay import Replay, replay_of, unled
from ladder.bots.sources import VersionSource, sources_in_seats
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.errors import NotAllowed, RecordPruned
from ladder.ids import MatchId
from ladder.matches import match_rows
from ladder.matches.archive import result_of
from ladder.matches.failures import FailedAttempt, failures_of
from ladder.matches.match_rows import MatchRow, SeatRow, conditions_of_match
from ladder.matches.record import Recording, unpack
from ladder.matchmaking import requests
from ladder.views.matches import plainly_ended
from ladder.views.turns.lost_matches import LossStory, loss_of
from ladder.views.turns.rows import PlayedMatch, RefereeWords, TurnRow, allowances_us, referee_words, turn_rows
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat, require_seat
from ladder.visibility import sees_everything

MOST_AT_ONCE = 8
LONG_ENOUGH_S = 1.0
"""Of CPU time. A match takes a tenth of a second or two seconds, and a server has others to answer."""
RUNNER_FILE = "a file of the SDK's runner"


def watch_matches(connection: Connection, games: Games, match_ids: Sequence[MatchId]) -> list[WatchedMatch]:
    """Read the first of some matches as `watch_match` does: as many as begin within LONG_ENOUGH_S.

    Raises the same, and UsageFault for more than MOST_AT_ONCE.
    """
    if len(match_ids) > MOST_AT_ONCE:
        raise UsageFault(f"{len(match_ids)} matches are asked for, and at once it can be {MOST_AT_ONCE}")
    until_s = time.thread_time() + LONG_ENOUGH_S
    matches: list[WatchedMatch] = []
    for match_id in match_ids:
        if not matches or time.thread_time() < until_s:
            matches.append(watch_match(connection, games, match_id))
    return matches


def watch_match(
    connection: Connection, games: Games, match_id: MatchId, *, is_led: bool = True, has_views: bool = True
) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, GameFault, and Refused for a match that was played elsewhere.

    `is_led`: by the rules, not just as recorded, which is quick. `has_views`: what seats could know, which is slow.
    """
    row, seats, recording = read_recorded(connection, match_id)
    if recording.turns or recording.notes:
        result = result_of(games.find(row.game, row.edition), row, seats, recording)
        replay = replay_of(result, rule_of(row), views=has_views) if is_led else unled(result, rule_of(row))
    else:
        replay = Replay(None, None, (), fault=f"it is {row.state}; nothing of it was recorded")
    reason = plainly_ended(row, seats).reason
    results = tuple(
        WatchedSeat(seat.seat, seat.version, seat.score, seat.result, seat.verdict, seat.message) for seat in seats
    )
    return WatchedMatch(
        row.id, row.game, row.league, row.rules_level, row.known_seed, reason, row.state, results, replay, row.edition
    )


@immutable
class SeatInDetail:
    """A seat, and how much of the allowance for its runtime's own work was used."""

    MERGED: ClassVar = ("seat",)

    seat: SeatRow
    runtime_us: int


@immutable
class MatchInDetail:
    """All that is stored of a match: what was said, attempts that failed, its request, how it was lost; or None."""

    MERGED: ClassVar = ("row",)

    row: MatchRow
    request: requests.BattleRequest | None
    seats: list[SeatInDetail]
    said: list[TurnRow]
    failed_attempts: list[FailedAttempt]
    loss: LossStory | None
    referee: RefereeWords | None = None

    @property
    def rule(self) -> TimeRule | None:
        return rule_of(self.row)


def read_match(connection: Connection, games: Games, match_id: MatchId) -> MatchInDetail:
    """Read all that is stored of a match. Raises UnknownName, NotAllowed where a freeze hides how it ended."""
    row, seats, recording = read_recorded(connection, match_id)
    drawn_us = allowances_us(recording.turns)
    limits_ms, loss = replayed(games, row, seats, recording)
    stderr, notes = {seat.seat: seat.stderr for seat in seats}, recording.notes
    return MatchInDetail(
        row=plainly_ended(row, seats),
        request=None if row.request_id is None else requests.find(connection, row.request_id),
        seats=[SeatInDetail(seat, drawn_us[seat.seat]) for seat in seats],
        said=turn_rows(recording.turns, limits_ms, rule_of(row), stderr, notes),
        failed_attempts=failures_of(connection, [match_id]),
        loss=loss,
        referee=referee_words(notes),
    )


def read_recorded(connection: Connection, match_id: MatchId) -> tuple[MatchRow, list[SeatRow], Recording]:
    """Read a match with its seats and what was recorded of it, without a turn where nothing was. Raises UnknownName."""
    record = match_rows.match_record(connection, match_id)
    row, seats = find(connection, match_id), match_rows.seats_of(connection, [match_id])
    return row, seats, recording_seen(connection, row, seats, record) if record else Recording(())


def recording_seen(connection: Connection, row: MatchRow, seats: Sequence[SeatRow], record: bytes) -> Recording:
    """Return what was recorded, as far as the reader may see it: a command's own words may hold those of any bot."""
    recording = unpack(record)
    silent = {seat.seat for seat in seats if not seat.stderr}
    turns = tuple(
        replace(turn, stderr_chars=0) if turn.stderr_chars and turn.seat in silent else turn for turn in recording.turns
    )
    notes = recording.notes
    if notes and notes.metrics and not sees_everything(connection):
        notes = replace(notes, metrics=tuple(seat.metrics for seat in seats), metadata="", stray="")
    elif notes and row.starts_bots and not sees_everything(connection):
        notes = replace(notes, metadata="", stray="")
    return replace(recording, turns=turns, notes=notes)


def stderr_of(connection: Connection, match_id: MatchId, seat: int) -> str:
    """Return a seat's stderr, "" where nothing is kept. Raises UnknownName, UsageFault, NotAllowed, Pruned."""
    row = find(connection, match_id)
    require_seat(seat, row.players)
    seat_row = next((row for row in match_rows.seats_of(connection, [match_id]) if row.seat == seat), None)
    if seat_row is None:
        return ""
    if not match_rows.is_seen(connection, match_id, seat):
        raise NotAllowed(f"only its player and operators see what {seat_row.version} wrote to stderr")
    if row.stderr_pruned_at is not None:
        raise RecordPruned(f"of match {match_id} {row.pruned_words}")
    return seat_row.stderr


def find(connection: Connection, match_id: MatchId) -> MatchRow:
    """Return a match without its seats. Raises UnknownName, NotAllowed where a freeze hides how it ended."""
    row = match_rows.find_match(connection, match_id)
    if row is None:
        match_rows.require_shown(connection, match_id)
        raise UnknownName(f"there is no match {match_id}; `ladder match list` shows the latest")
    return row


def rule_of(row: MatchRow) -> TimeRule | None:
    if row.time_policy is None or row.clock is None:
        return None
    return TimeRule(Policy(row.time_policy), Clock(row.clock))


def replayed(
    games: Games, row: MatchRow, seats: list[SeatRow], recording: Recording
) -> tuple[list[int | None], LossStory | None]:
    """Return every turn's limit, and how the match was lost; None where rules have changed, or rows are missing."""
    try:
        result = result_of(games.find(row.game, row.edition), row, seats, recording)
    except ArenaError:
        return [None] * len(recording.turns), None
    replay = replay_of(result, rule_of(row), views=False)
    return [turn.limit_ms for turn in replay.turns], loss_of(replay, result.outcome, [seat.version for seat in seats])


@immutable
class JudgedBy:
    """The rule for time by which a match was judged."""

    policy: str | None
    clock: str | None


@immutable
class RejudgedMatch:
    """How a match would have ended under another rule for time. `decisive`: the turn that would have decided it."""

    match: MatchId
    policy: Policy
    clock: Clock
    judged_by: JudgedBy
    end: RejudgedEnd
    decisive: Decisive | None
    sentence: str


def rejudged(connection: Connection, games: Games, match_id: MatchId, rule: TimeRule) -> RejudgedMatch:
    """Judge a match by another rule for time. Raises UnknownName, Refused; ArenaError where rules have changed."""
    row, seats, recording = read_recorded(connection, match_id)
    if row.state != MatchState.FINISHED:
        raise Refused(f"match {match_id} is {row.state}; only a finished match can be judged again")
    result = result_of(games.find(row.game, row.edition), row, seats, recording)
    result.spec.game.require_lines("another rule for time")
    again = rejudge(result, limits_of(result), rule)
    sentence = rejudged_sentence(again, rule, conversation.own_turns(turn.seat for turn in result.turns))
    judged_by = JudgedBy(row.time_policy, row.clock)
    return RejudgedMatch(match_id, rule.policy, rule.clock, judged_by, again.end, again.decisive, sentence)


def rejudged_sentence(rejudged: Rejudged, rule: TimeRule, own_numbers: Sequence[int]) -> str:
    turn = rejudged.decisive
    if turn is None:
        return "it would have ended the same"
    where = conversation.turn_words(own_numbers[turn.turn - 1], turn.turn)
    if rejudged.end is RejudgedEnd.OPEN:
        return f"it would have gone on after {where} of seat {turn.seat}; how it would have ended is unknown"
    clock = "wall time" if rule.clock is Clock.WALL else "charged"
    times = f"{clock} {turn.counted_us / 1000:.1f} ms, limit {turn.limit_ms} ms"
    why = ", ".join(filter(None, (times, rule.breach(turn.counted_us, turn.limit_ms))))
    return f"seat {turn.seat} would have lost by time-out on its {where}: {why}"


@immutable
class FormerEnd:
    """How a stored match had ended; `turns`: how many."""

    bots: tuple[str, ...]
    outcome: conversation.Outcome
    turns: int


@immutable
class StoredMatch:
    """A finished match with all that it takes to play it again."""

    id: MatchId
    result: MatchResult
    conditions: Conditions
    sources: tuple[VersionSource, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(source.name for source in self.sources)

    @property
    def former_end(self) -> FormerEnd:
        return FormerEnd(self.names, conversation.plainly_ended(self.result.outcome), len(self.result.turns))


def read_stored(connection: Connection, games: Games, match_id: MatchId) -> StoredMatch:
    """Read a match to play it again. Raises UnknownName, Refused for one not finished, NotAllowed for its sources."""
    result, _ = read_result(connection, games, match_id)
    sources = tuple(sources_in_seats(connection, match_id))
    return StoredMatch(match_id, result, conditions_of_match(connection, match_id), sources)


def runner_file(connection: Connection, games: Games, match_id: MatchId) -> str:
    """Return a match as the SDK's runner writes it. Raises UnknownName, and Refused for one that is not finished."""
    result, names = read_result(connection, games, match_id)
    result.spec.game.require_lines(RUNNER_FILE)
    return runner_text(result, names).encode("utf-8", "replace").decode()


def read_result(connection: Connection, games: Games, match_id: MatchId) -> tuple[MatchResult, list[str]]:
    """Read how a match went, and who sat in its seats. Raises UnknownName, and Refused for one that is not finished."""
    row, seats, recording = read_recorded(connection, match_id)
    row.require_record()
    if row.state != MatchState.FINISHED:
        raise Refused(f"match {match_id} is {row.state}; only a finished match can be replayed")
    result = result_of(games.find(row.game, row.edition), row, seats, recording)
    return result, [seat.name for seat in seats]


@immutable
class TakeOver:
    """From this turn on somebody else played in a seat that had said its recorded answers until then."""

    seat: int
    turn: int
    bot: str


@immutable
class PlayedAgain:
    """A match that is kept beside how it went once more. `parting_turn`: the first that differs, or None."""

    match: MatchId | str
    stored: FormerEnd
    replayed: PlayedMatch
    parting_turn: int | None
    take_overs: Sequence[TakeOver] = ()
