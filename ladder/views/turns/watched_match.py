"""A match as it can be looked at, turn by turn: also as JSON, and two on one seed beside each other, where they part.

One that was played here without a ladder is read here; `match` reads others. The JSON is what the viewers and scripts
read; `replay.schema.json` is its form. Nothing here needs a database, or loads one.
"""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from engine.conversation import ending_words, reason_word, result_word
from engine.errors import Refused, UsageFault
from engine.game import Games
from engine.immutable import immutable
from engine.referees.edition import game_played
from engine.replay import SCHEMA, Replay, ReplayTurn, replay_of
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalMatch, LocalMatches, LocalName

SCHEMA_FILE = Path(__file__).with_name("replay.schema.json")


@immutable
class WatchedSeat:
    """One seat. `version`: its bot's name, or its file's. What is not known of a match is None."""

    seat: int
    version: str
    score: int | None
    result: str | None
    verdict: str | None
    message: str


@immutable
class WatchedMatch:
    """A match, turn by turn. `id`: a lasting name where there is no ladder; `edition`: of a referee program."""

    id: MatchId | str
    game: str
    league: str
    rules_level: int
    seed: int
    reason: str
    state: str
    seats: tuple[WatchedSeat, ...]
    replay: Replay
    edition: str | None = None

    @property
    def name(self) -> str:
        """Return what people call it: `match 17`, and `local:12` where it was played without the ladder."""
        return f"match {self.id}" if isinstance(self.id, int) else self.id

    @property
    def ending(self) -> str:
        if self.state == MatchState.FINISHED:
            return ending_words(self.reason, [seat.verdict for seat in self.seats])
        return f"{self.state}: {self.reason}" if self.reason else self.state

    def turn(self, number: int) -> ReplayTurn:
        """Return a turn of the match, counted from 1. Raises UsageFault where it has no such turn."""
        turns = self.replay.turns
        if not turns:
            raise UsageFault(f"{self.name} has no turn {number}: {self.replay.fault}")
        if not 1 <= number <= len(turns):
            raise UsageFault(f"{self.name} has turns 1 to {len(turns)}, and no turn {number}")
        return turns[number - 1]

    def input_of(self, seat: int, last_turn: int | None = None) -> str:
        """Return what a seat was sent up to a turn, also for that one if it is its own. Raises UsageFault, Refused."""
        require_seat(seat, len(self.seats))
        if self.replay.fault:
            raise Refused(f"what {self.name} sent is not known: {self.replay.fault}")
        if last_turn is not None:
            self.turn(last_turn)
        sent = [turn.input or () for turn in self.replay.turns[:last_turn] if turn.seat == seat]
        return "".join(f"{line}\n" for lines in sent for line in lines)


def require_seat(seat: int, players: int) -> None:
    if not 0 <= seat < players:
        raise UsageFault(f"the match has the seats 0 to {players - 1}, and no seat {seat}")


def watch_local(store: LocalMatches, games: Games, name: LocalName, *, has_views: bool = True) -> WatchedMatch:
    """Read a match, turn by turn. `has_views`: see `watch_match`. Raises UnknownName, Refused for a damaged file."""
    number, match = store.read(name)
    return watched(match, store.name_of(number), games, has_views=has_views)


def watched(match: LocalMatch, name: str, games: Games, *, has_views: bool = True) -> WatchedMatch:
    """Return a match that was played here, by that name; `has_views`: see `watch_match`. Raises UnknownName."""
    head, places = match.head, match.head.outcome.places
    replay = replay_of(match.result(game_played(games, head.game, head.edition)), head.rule, views=has_views)
    reason = reason_word(head.reason, [verdict.verdict for verdict in head.verdicts])
    seats = tuple(
        WatchedSeat(seat, player, score, result_word(places, seat), verdict.verdict.value, verdict.message)
        for seat, (player, score, verdict) in enumerate(zip(head.players, head.scores, head.verdicts, strict=True))
    )
    state, edition = MatchState.FINISHED, head.edition or None
    return WatchedMatch(
        name, head.game, head.league, head.rules_level, head.seed, reason, state, seats, replay, edition
    )


def replay_data(watched: WatchedMatch) -> dict[str, Any]:
    """Return a match as JSON has it. The seed is text: as a number it can be too long for its readers."""
    replay = watched.replay
    return {
        "schema": SCHEMA,
        "match": {
            **fields_of(watched, "id", "game", "league", "rules_level"),
            "seed": str(watched.seed),
            **fields_of(watched, "reason", "state"),
        },
        "seats": [
            fields_of(seat, "seat", "version", "score", "result", "verdict", "message") for seat in watched.seats
        ],
        "setup": replay.setup,
        "start": replay.start,
        "turns": [turn_data(turn) for turn in replay.turns],
        "curves": [
            {**fields_of(curve.kind, "key", "title", "unit"), "values": list(map(list, curve.values))}
            for curve in replay.curves
        ],
        "views": [
            [{"turn": sight.turn, **fields_of(sight.view, "cells", "others", "count", "exact")} for sight in of_seat]
            for of_seat in replay.views
        ],
        "turning_points": list(replay.turning_points),
        "fault": replay.fault,
        "damage": replay.damage and fields_of(replay.damage, "kind", "title", "end_kind", "end_title"),
    }


def turn_data(turn: ReplayTurn) -> dict[str, Any]:
    return {
        **fields_of(turn, "number", "seat", "own_number"),
        "input": None if turn.input is None else list(turn.input),
        **fields_of(turn, "line", "limit_ms"),
        **fields_of(turn.spent, "wall_us", "cpu_us", "wait_us", "late_us", "charged_us"),
        **fields_of(turn, "ruling", "stderr", "state"),
        "events": [
            {**fields_of(event, "kind", "seat"), "cells": list(event.cells), **fields_of(event, "amount", "text")}
            for event in turn.events
        ],
        "advantage": turn.advantage,
    }


def fields_of(source: object, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def replay_schema() -> str:
    return SCHEMA_FILE.read_text("utf-8")


@immutable
class Parting:
    """The first turn in which something else was said. `lines`: in each match; None where there is no such turn."""

    HIDDEN: ClassVar = ("own_turn",)

    turn: int
    seat: int
    lines: tuple[str | None, str | None]
    own_turn: int


@immutable
class ComparedMatches:
    """Two matches on one seed. `parting`: None where both went the same way; `endings`, `names`: in words."""

    HIDDEN: ClassVar = ("names",)

    matches: tuple[MatchId | str, MatchId | str]
    seed: int
    players: tuple[tuple[str, ...], tuple[str, ...]]
    scores: tuple[tuple[int | None, ...], tuple[int | None, ...]]
    reasons: tuple[str, str]
    turns: tuple[int, int]
    parting: Parting | None
    endings: tuple[str, str]
    names: tuple[str, str]


def compare(first: WatchedMatch, second: WatchedMatch) -> ComparedMatches:
    """Return where two matches part. Raises UsageFault for matches on two seeds, Refused for one without turns."""
    for match in (first, second):
        if not match.replay.turns:
            raise Refused(f"{match.name} cannot be compared: {match.replay.fault}")
    if (first.game, first.rules_level, first.seed) != (second.game, second.rules_level, second.seed):
        raise UsageFault(
            f"{first.name} is {first.game} with seed {first.seed} by rules level {first.rules_level}, {second.name} is "
            f"{second.game} with seed {second.seed} by rules level {second.rules_level}: "
            "only matches on one seed compare"
        )
    one_turns, other_turns = first.replay.turns, second.replay.turns
    return ComparedMatches(
        (first.id, second.id),
        first.seed,
        (tuple(seat.version for seat in first.seats), tuple(seat.version for seat in second.seats)),
        (tuple(seat.score for seat in first.seats), tuple(seat.score for seat in second.seats)),
        (first.reason, second.reason),
        (len(one_turns), len(other_turns)),
        parting(one_turns, other_turns),
        (first.ending, second.ending),
        (first.name, second.name),
    )


def parting(first: Sequence[ReplayTurn], second: Sequence[ReplayTurn]) -> Parting | None:
    for number, (one_turn, other_turn) in enumerate(zip_longest(first, second), 1):
        turn = one_turn or other_turn
        if one_turn and other_turn and (one_turn.seat, one_turn.line) == (other_turn.seat, other_turn.line):
            continue
        lines = one_turn.line if one_turn else None, other_turn.line if other_turn else None
        return Parting(number, turn.seat, lines, turn.own_number)
    return None
