"""A match and its game's way to draw it, and what can be asked of both at a turn; 0 is the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import GameFault, plain_words
from engine.frames import Cell, Event, Fact, TextDrawing, View
from engine.replay import FAULT_KINDS, SUMMARY, ReplayTurn
from engine.text import one_line

if TYPE_CHECKING:
    from ladder.views.turns.watched import WatchedMatch

T = TypeVar("T")

ALL = -1
"""Is shown: everything. 0 and 1: what that seat could see."""
TALK = "message"
"""The kind of events that change nothing."""
QUIET = frozenset({TALK, SUMMARY})
"""The kinds of events that many turns have: they are shown, but not marked."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A match that is looked at. `drawing`: None where its game does not say how its states look as text."""

    watched: WatchedMatch
    drawing: TextDrawing | None

    @property
    def turns(self) -> tuple[ReplayTurn, ...]:
        return self.watched.replay.turns

    @cached_property
    def names(self) -> tuple[str, ...]:
        known = {seat.seat: one_line(seat.version) for seat in self.watched.seats}
        return tuple(known.get(seat, f"seat {seat}") for seat in range(max((2, *(seat + 1 for seat in known)))))

    @property
    def seats(self) -> range:
        return range(len(self.names))

    @cached_property
    def has_pictures(self) -> bool:
        return self.drawing is not None and self.watched.replay.start is not None

    @property
    def setup(self) -> Mapping[str, Any] | None:
        return self.watched.replay.setup

    def state(self, turn: int) -> Mapping[str, Any] | None:
        return self.turns[turn - 1].state if turn else self.watched.replay.start

    def rows(self, turn: int, shown: int) -> Sequence[Sequence[Cell]]:
        """Return the map after a turn as its game draws it; nothing where it cannot be drawn. Raises GameFault."""
        if self.drawing is None:
            return ()
        rows = self.drawing.rows
        return self._drawn(turn, lambda setup, state: rows(setup, state, shown))

    def facts(self, turn: int) -> Sequence[Fact]:
        """Return what else is known of both sides after a turn. Raises GameFault."""
        return () if self.drawing is None else self._drawn(turn, self.drawing.facts)

    def _drawn(self, turn: int, draw: Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[T]]) -> Sequence[T]:
        """Let the game draw a state. Raises GameFault in the place of any other error."""
        state = self.state(turn)
        if self.setup is None or state is None:
            return ()
        try:
            return draw(self.setup, state)
        except Exception as error:
            raise GameFault(
                f"draw.py of {self.watched.game} raised {type(error).__name__} at turn {turn}: {plain_words(error)}"
            ) from error

    def events(self, turn: int) -> tuple[Event, ...]:
        return self.turns[turn - 1].events if turn else ()

    def latest(self, turn: int, seat: int) -> ReplayTurn | None:
        return next((one for one in reversed(self.turns[:turn]) if one.seat == seat), None)

    def seen_by(self, seat: int, turn: int) -> View | None:
        """Return what a seat could know after a turn; None where that is not worked out."""
        views = self.watched.replay.views
        known = views[seat] if views else ()
        return next((seen.view for seen in reversed(known) if seen.turn <= turn), None)

    def is_damage(self, event: Event) -> bool:
        damage = self.watched.replay.damage
        return event.kind in FAULT_KINDS or (damage is not None and event.kind in {damage.kind, damage.end_kind})

    @cached_property
    def with_events(self) -> list[int]:
        return [turn.number for turn in self.turns if any(event.kind not in QUIET for event in turn.events)]

    @cached_property
    def with_damage(self) -> list[int]:
        return [turn.number for turn in self.turns if any(map(self.is_damage, turn.events))]
