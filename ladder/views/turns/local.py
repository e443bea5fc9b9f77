"""Matches that were played on this machine without a ladder: in a list, and one in detail."""

from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, ClassVar

from engine.bot.clock import TimeRule
from engine.conversation import plainly_ended, result_word
from engine.game import Games
from engine.immutable import immutable
from engine.match import MatchResult
from engine.referees.edition import game_played
from engine.replay import replay_of
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.matches.local_matches import LASTING, LocalHead, LocalMatches, LocalName
from ladder.matches.match_rows import SeatRow
from ladder.matches.seat_results import count_overruns, seat_result
from ladder.views.matches import RESULT_WORDS
from ladder.views.turns.lost_matches import LossStory, loss_of
from ladder.views.turns.match import SeatInDetail
from ladder.views.turns.rows import RefereeWords, TurnRow, allowances_us, referee_words, turn_rows


@immutable
class LocalRow:
    """A match as it is shown, without its seats; see MatchRow. `id`: its lasting name."""

    id: str
    game: str
    league: str
    rules_level: int
    seed: int
    state: str
    reason: str
    turns: int
    sandbox: str
    time_policy: str
    clock: str
    first_limit_ms: int
    turn_limit_ms: int
    host_faults: int
    finished_at: datetime


@immutable
class ListedLocal:
    """A match in a list. `place`: from the latest, or its name; `own_result`, `own_seat`: of the bot named first."""

    MERGED: ClassVar = ("row",)

    place: str
    row: LocalRow
    players: tuple[str, ...]
    scores: tuple[int, ...]
    results: tuple[str, ...]
    verdicts: tuple[str, ...]
    own_result: str | None
    own_seat: int | None


@immutable
class LocalListing:
    """Matches, the latest first. `damaged`: the names of those whose files cannot be read."""

    matches: list[ListedLocal]
    damaged: list[str]


@immutable
class LocalInDetail:
    """All that is known of a match. `loss`: None if unknown; `rule`: for time; `referee`: see MatchInDetail."""

    MERGED: ClassVar = ("row",)
    HIDDEN: ClassVar = ("rule",)

    row: LocalRow
    seats: list[SeatInDetail]
    said: list[TurnRow]
    loss: LossStory | None
    rule: TimeRule
    referee: RefereeWords | None = None
    caution: str | None = None


def list_local(
    store: LocalMatches, limit: int, is_wanted: Callable[[ListedLocal], bool] = lambda _: True
) -> LocalListing:
    """Return the latest matches, at most `limit`. Raises Refused where their folder cannot be read."""
    listing = LocalListing([], [])
    for place, (number, head) in enumerate(store.heads(), 1):
        if len(listing.matches) + len(listing.damaged) == limit:
            break
        name = store.name_of(number)
        if head is None:
            listing.damaged.append(name)
        elif is_wanted(row := listed_local(str(LocalName(place)) if store.kind == LASTING else name, name, head)):
            listing.matches.append(row)
    return listing


def listed_local(place: str, name: str, head: LocalHead) -> ListedLocal:
    places = head.outcome.places
    results = tuple(result_word(places, seat) for seat in range(len(places)))
    own_result = None if head.own_seat is None else RESULT_WORDS[results[head.own_seat]]
    verdicts = tuple(verdict.verdict.value for verdict in head.verdicts)
    return ListedLocal(
        place, row_of(name, head), head.players, head.scores, results, verdicts, own_result, head.own_seat
    )


def row_of(name: str, head: LocalHead) -> LocalRow:
    values = {
        field.name: getattr(head, field.name)
        for field in fields(LocalRow)
        if field.name not in {"id", "state", "reason"}
    }
    return LocalRow(id=name, state=MatchState.FINISHED, reason=plainly_ended(head.outcome).reason, **values)


def read_local(store: LocalMatches, games: Games, name: LocalName) -> LocalInDetail:
    """Read a match. Raises UnknownName, also for a game that is not there any more; Refused for a damaged file."""
    number, match = store.read(name)
    head, result = match.head, match.result(game_played(games, match.head.game, match.head.edition))
    drawn_us = allowances_us(result.turns)
    replay = replay_of(result, head.rule, views=False)
    limits_ms = [turn.limit_ms for turn in replay.turns]
    overruns = (0,) * len(head.players) if replay.fault else count_overruns(result, head.rule)
    seats = [
        SeatInDetail(seat_row(number, head, result, seat, many), drawn_us[seat]) for seat, many in enumerate(overruns)
    ]
    return LocalInDetail(
        row=row_of(store.name_of(number), head),
        seats=seats,
        said=turn_rows(result.turns, limits_ms, head.rule, dict(enumerate(match.stderr)), result.notes),
        loss=loss_of(replay, head.outcome, head.players),
        rule=head.rule,
        referee=referee_words(result.notes),
        caution=result.spec.game.caution,
    )


def seat_row(number: int, head: LocalHead, result: MatchResult, seat: int, overruns: int) -> SeatRow:
    values: dict[str, Any] = asdict(seat_result(result, seat, overruns))
    values["stderr"] = result.stderr[seat]
    del values["cpu_us"]  # for what is added up of players, which play nothing here
    if not head.sandbox:  # nobody took the times
        values |= dict.fromkeys(("median_us", "slowest_us", "charged_us"))
    return SeatRow(MatchId(number), seat, head.players[seat], **values)
