"""A match and its game's way to draw it, what can be asked of both at a turn, of which 0 is the start; and where
somebody looks, with where each key leads from there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from engine.errors import GameFault, plain_words
from engine.frames import Cell, Event, Fact, TextDrawing, View
from engine.immutable import immutable
from engine.replay import FAULT_KINDS, SUMMARY, ReplayTurn
from engine.text import one_line
from ladder.views.turns.lost_matches import loss_in
from ladder.views.turns.watched_match import WatchedMatch

T = TypeVar("T")

ALL = -1
"""Is shown: everything. 0 and 1: what that seat could see."""
TALK = "message"
"""The kind of events that change nothing."""
QUIET = frozenset({TALK, SUMMARY})
"""The kinds of events that many turns have: they are shown, but not marked."""

PAGE_LINES = 5


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
        names = {seat.seat: one_line(seat.version) for seat in self.watched.seats}
        return tuple(names.get(seat, f"seat {seat}") for seat in range(max((2, *(seat + 1 for seat in names)))))

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
        return next((earlier for earlier in reversed(self.turns[:turn]) if earlier.seat == seat), None)

    def seen_by(self, seat: int, turn: int) -> View | None:
        """Return what a seat could know after a turn; None where that is not worked out."""
        views = self.watched.replay.views
        of_seat = views[seat] if views else ()
        return next((step.view for step in reversed(of_seat) if step.turn <= turn), None)

    def is_damage(self, event: Event) -> bool:
        damage = self.watched.replay.damage
        return event.kind in FAULT_KINDS or (damage is not None and event.kind in {damage.kind, damage.end_kind})

    @cached_property
    def with_events(self) -> list[int]:
        return [turn.number for turn in self.turns if any(event.kind not in QUIET for event in turn.events)]

    @cached_property
    def with_damage(self) -> list[int]:
        return [turn.number for turn in self.turns if any(map(self.is_damage, turn.events))]


@immutable
class ViewerPlace:
    """Where somebody looks.

    `turn`: 0 is the start; `shown`: all, or what a seat could see; `is_input`: below is what it was sent, from line
    `scroll`. `typed`: words being typed, or None; `sought`: those looked for last; `note`: on the last key.
    """

    turn: int = 0
    shown: int = ALL
    is_input: bool = False
    scroll: int = 0
    typed: str | None = None
    sought: str = ""
    note: str = ""


def where_lost(scene: Scene) -> ViewerPlace:
    """Return where a lost match opens: at its first turning point, as the loser could see it, with how it was lost."""
    loss = loss_in(scene.watched)
    if loss is None:
        return ViewerPlace()
    replay, blow = scene.watched.replay, max((blow.turn for blow in loss.blows), default=0)
    return ViewerPlace(
        min(replay.turning_points, default=blow), loss.seat if any(replay.views) else ALL, note=loss.sentence
    )


Step: TypeAlias = Callable[["Scene", ViewerPlace], ViewerPlace]


def pressed(scene: Scene, place: ViewerPlace, key: str) -> ViewerPlace:
    step = KEYS.get(key)
    return place if step is None else step(scene, replace(place, note=""))


def at(scene: Scene, place: ViewerPlace, turn: int) -> ViewerPlace:
    return replace(place, turn=max(0, min(len(scene.turns), turn)), scroll=0)


def by(turns: int) -> Step:
    return lambda scene, place: at(scene, place, place.turn + turns)


def to_own_turn(direction: int) -> Step:
    """Return the step to the next turn of the same seat; `direction`: 1, or -1 for the one before."""

    def step(scene: Scene, place: ViewerPlace) -> ViewerPlace:
        if place.turn == 0:
            return at(scene, place, direction)
        seat = scene.turns[place.turn - 1].seat
        number = next_of((turn.number for turn in scene.turns if turn.seat == seat), place.turn, direction)
        return place if number is None else at(scene, place, number)

    return step


def next_of(turns: Iterable[int], number: int, direction: int) -> int | None:
    """Return the first of some turns after this one, or with `direction` -1 the last before it; None for none."""
    if direction > 0:
        return min((turn for turn in turns if turn > number), default=None)
    return max((turn for turn in turns if turn < number), default=None)


def to_event(direction: int) -> Step:
    def step(scene: Scene, place: ViewerPlace) -> ViewerPlace:
        number = next_of(scene.with_events, place.turn, direction)
        where = "after" if direction > 0 else "before"
        return replace(place, note=f"no event {where} this turn") if number is None else at(scene, place, number)

    return step


def to_damage(scene: Scene, place: ViewerPlace) -> ViewerPlace:
    number = next_of(scene.with_damage, place.turn, 1) or next_of(scene.with_damage, 0, 1)
    return replace(place, note="no damage in this match") if number is None else at(scene, place, number)


def to_turning_point(scene: Scene, place: ViewerPlace) -> ViewerPlace:
    """Go to the next of the turns that cost the loser most, and from the last one to the first."""
    points = scene.watched.replay.turning_points
    number = next_of(points, place.turn, 1) or next_of(points, 0, 1)
    if number is None:
        return replace(place, note="this match has no turning points")
    rank = points.index(number) + 1
    return replace(at(scene, place, number), note=f"turning point {rank} of {len(points)}, the costliest is 1")


def change_view(scene: Scene, place: ViewerPlace) -> ViewerPlace:
    if not any(scene.watched.replay.views):
        return replace(place, note="what each seat could see is not worked out for this match")
    return replace(place, shown={ALL: 0, 0: 1, 1: ALL}[place.shown])


def scrolled(lines: int) -> Step:
    def step(scene: Scene, place: ViewerPlace) -> ViewerPlace:
        turn = scene.turns[max(0, place.turn - 1)]
        last = max(turn.stderr.rstrip("\n").count("\n"), len(turn.input or ()) - 1)
        return replace(place, scroll=max(0, min(last, place.scroll + lines)))

    return step


def typed(scene: Scene, place: ViewerPlace, key: str, character: str | None) -> ViewerPlace:
    """Return what a key makes of the words that are being typed; Enter alone looks for the last ones again."""
    words = place.typed or ""
    if key == "enter":
        return found_in_stderr(scene, replace(place, typed=None, sought=words or place.sought))
    if key == "escape":
        return replace(place, typed=None)
    if key == "backspace":
        return replace(place, typed=words[:-1] if words else None)
    if character is not None and character.isprintable():
        return replace(place, typed=(words + character)[:200])
    return place


def found_in_stderr(scene: Scene, place: ViewerPlace) -> ViewerPlace:
    """Go to the next turn whose stderr holds the words that are looked for, in any case; at the end begin anew."""
    if not place.sought:
        return place
    words = place.sought.casefold()
    turns = [turn.number for turn in scene.turns if place.shown in {ALL, turn.seat} and words in turn.stderr.casefold()]
    number = next_of(turns, place.turn, 1) or next_of(turns, 0, 1)
    if number is None:
        return replace(place, note=f"{place.sought!r} is not in the stderr of any turn")
    after = replace(at(scene, place, number), is_input=False, note=f"{turns.index(number) + 1} of {len(turns)} turns")
    before = scene.turns[number - 1].stderr.casefold().partition(words)[0]
    return replace(after, scroll=before.count("\n"))


KEYS: Mapping[str, Step] = {
    "right": by(1),
    "left": by(-1),
    "shift+right": by(10),
    "shift+left": by(-10),
    "down": to_own_turn(1),
    "up": to_own_turn(-1),
    "home": lambda scene, place: at(scene, place, 0),
    "end": lambda scene, place: at(scene, place, len(scene.turns)),
    "n": to_event(1),
    "p": to_event(-1),
    "d": to_damage,
    "t": to_turning_point,
    "v": change_view,
    "i": lambda _, place: replace(place, is_input=not place.is_input, scroll=0),
    "pagedown": scrolled(PAGE_LINES),
    "pageup": scrolled(-PAGE_LINES),
    "slash": lambda _, place: replace(place, typed=""),
}
