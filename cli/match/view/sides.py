"""What each seat said in a turn, what that took, how its side stands, and what happened, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.text import Text

from cli.match.view.picture import SEAT_STYLES
from cli.match.view.scene import ALL, TALK, Scene
from engine.replay import ReplayTurn
from engine.text import counted, one_line, time_words

BAR_CHARS = 12
MOST_LINES = 2
WIDEST = 70
"""Columns from a name to the end of the time beside it."""
UNBROKEN = "\N{NO-BREAK SPACE}"


def title(scene: Scene) -> str:
    watched = scene.watched
    scores = ":".join("?" if seat.score is None else str(seat.score) for seat in watched.seats)
    players = " - ".join(scene.names)
    return (
        f"{watched.name}: {players} {scores} ({watched.ending}), {watched.game}, {watched.league}, seed {watched.seed}"
    )


def turn_words(scene: Scene, turn: int) -> str:
    if turn == 0:
        return f"the start, before turn 1 of {len(scene.turns)}"
    one = scene.turns[turn - 1]
    return f"turn {turn} of {len(scene.turns)}: seat {one.seat}, its turn {one.own_number}"


def side_lines(scene: Scene, turn: int, seat: int, shown: int, width: int) -> Iterator[Text]:
    """Describe a side after a turn and what it said last. `shown`: for a seat's view, nothing of the other's state."""
    said = scene.latest(turn, seat)
    yield from name_lines(scene, turn, seat, None if said is None else time_text(said), width)
    if shown in {ALL, seat}:
        facts = [f"{fact.title} {fact.values[seat]}" for fact in scene.facts(turn)]
        yield from (Text(f"  {line}") for line in joined(facts, width - 2))
    if known := known_words(scene, turn, seat):
        yield Text(f"  {known}")
    if said is not None:
        yield from (Text(line) for line in order_lines(said, width))


def name_lines(scene: Scene, turn: int, seat: int, time: Text | None, width: int) -> Iterator[Text]:
    is_turn = turn > 0 and scene.turns[turn - 1].seat == seat
    name = Text(f"{'▶' if is_turn else ' '}{seat} {scene.names[seat]}", f"bold {SEAT_STYLES[seat]}")
    if time is None:
        yield name
    elif name.cell_len + 1 + time.cell_len > width:
        yield name
        yield Text("  ").append_text(time)
    else:
        gap = min(width, WIDEST) - name.cell_len - time.cell_len
        yield Text.assemble(name, " " * max(1, gap), time)


def known_words(scene: Scene, turn: int, seat: int) -> str:
    """Say in how many cells a side can be, as the other one knows; "" where that is not worked out."""
    view = scene.seen_by(1 - seat, turn)
    if view is None:
        return ""
    return f"can be in {'' if view.exact else 'at most '}{counted(view.count, 'cell')}, as seat {1 - seat} knows"


def joined(pieces: Iterable[str], width: int) -> list[str]:
    words = " · ".join(piece.replace(" ", UNBROKEN) for piece in pieces)
    return [line.replace(UNBROKEN, " ").removesuffix(" ·") for line in wrap(words, width)]


def order_lines(turn: ReplayTurn, width: int) -> list[str]:
    head = f"{turn.own_number:4}: "
    if turn.line is None:
        return [f"{head}(no answer)"]
    words = one_line(turn.line[: MOST_LINES * width]) or "(an empty line)"
    return folded(words, width, head)


def folded(words: str, width: int, head: str = "") -> list[str]:
    """Fold a text into a few lines, the first after a head; what has no room is left out."""
    if len(head) + len(words) <= width:
        return [head + words]
    return wrap(
        words, width, initial_indent=head, subsequent_indent=" " * len(head), max_lines=MOST_LINES, placeholder=" …"
    )


def time_text(turn: ReplayTurn) -> Text:
    charged_us = turn.spent.charged_us
    if turn.limit_ms is None:
        return Text(time_words(charged_us), "dim")
    share = charged_us / (1000 * turn.limit_ms)
    filled = min(BAR_CHARS, round(BAR_CHARS * share))
    style = "red" if share > 1 else "yellow" if share > 0.5 else "green"
    text = Text().append("█" * filled, style).append("░" * (BAR_CHARS - filled), "dim")
    text.append(f" {time_words(charged_us)} of {time_words(1000 * turn.limit_ms)}")
    return text.append(f" ({turn.ruling})", "red") if turn.ruling else text


def event_lines(scene: Scene, turn: int, width: int, *, gravest_first: bool = False) -> Iterator[Text]:
    """Say what happened in a turn, in the seats' colours. `gravest_first`: where there may be no room for all."""
    events = scene.events(turn)
    for event in sorted(events, key=scene.is_damage, reverse=True) if gravest_first else events:
        words = f"says: {event.text}" if event.kind == TALK else event.text
        style = f"{'bold ' if scene.is_damage(event) else ''}{SEAT_STYLES[event.seat]}"
        yield from (Text(line, style) for line in folded(one_line(words), width, f"{event.seat} "))


def legend_lines(scene: Scene, width: int) -> Iterator[Text]:
    if scene.has_pictures and scene.drawing is not None:
        pieces = (f"{marks} {meaning}" for marks, meaning in scene.drawing.legend.items())
        yield from (Text(line, "dim") for line in joined(pieces, width))
