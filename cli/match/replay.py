"""`ladder match replay`: a stored match once more, on the same seed, with another file in one seat or as it was."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from cli.context import Context
from cli.database_to_read import database_to_read
from cli.play import Seating, again_text, as_row, complain, match_line, say_if_uncontained, stderr_of
from cli.render import counted, in_words
from cli.terminal.quoting import quoted
from engine.errors import Refused, UnknownName, UsageFault
from engine.series import Ground, Task, Unplayed, build_file, built, play_one
from engine.text import one_line
from engine.toolchains.languages import find_language
from ladder.bots.sources import Source, sources_in_seats
from ladder.matches import match_rows
from ladder.matches.match_rows import conditions_of_match
from ladder.matches.record import decode_turns, result_of

if TYPE_CHECKING:
    from engine.bot.conditions import Conditions
    from engine.match import MatchResult
    from engine.toolchains.build import Program


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished match with all that it takes to play it again."""

    id: int
    result: MatchResult
    conditions: Conditions
    sources: tuple[Source, Source]

    @property
    def names(self) -> tuple[str, str]:
        """Return the versions in the seats."""
        first, second = self.sources
        return first.name, second.name

    def as_row(self) -> dict[str, Any]:
        """Return how it had ended as plain data; `ladder match show` has all of it."""
        return {"bots": self.names, "outcome": asdict(self.result.outcome), "turns": len(self.result.turns)}


def replay(
    context: Context, match_id: int, file: Path | None, seat: int | None, tier: str | None, *, as_json: bool
) -> None:
    """Play a stored match again and print how it goes and how it had ended.

    `file`: who takes the place of a version, that of its own bot unless `seat` says otherwise. Raises UnknownName,
    UsageFault, Refused, BuildRefused, MissingTool, SandboxFault, Unavailable; HostBusy where it cannot be played now.
    """
    stored = read_stored(context, match_id)
    names, programs = in_seats(context, stored, file, seat, tier)
    played = play_one(Task(stored.result.spec, programs), Ground(stored.conditions, 1, tier))
    result = played.result
    complain([result])
    if isinstance(result, Unplayed):  # which `complain` has raised for
        return
    parting = parting_turn(stored.result, result)
    if as_json:
        context.show_json(
            {
                "match": match_id,
                "stored": stored.as_row(),
                "replayed": as_row(Seating(result.spec, swapped=False), played, names, stored.conditions.time),
                "parting_turn": parting,
            }
        )
        return
    line = match_line(result, names) + again_text(played)
    context.show(quoted(line), *filter(None, [quoted(stderr_of(result, names))]))
    say_if_uncontained(context, result)
    context.show(Text(comparison(stored, parting)))


def read_stored(context: Context, match_id: int) -> Stored:
    """Read a match. Raises UnknownName, and Refused for one that is not finished."""
    with database_to_read(context) as connection:
        row = match_rows.find_match(connection, match_id)
        if row is None:
            raise UnknownName(f"there is no match {match_id}; `ladder match list` shows the latest")
        record = match_rows.match_record(connection, match_id)
        if row.state != "finished" or record is None:
            raise Refused(f"match {match_id} is {row.state}; only a finished match can be replayed")
        result = result_of(
            context.games.find(row.game), row, match_rows.seats_of(connection, [match_id]), decode_turns(record)
        )
        first, second = sources_in_seats(connection, match_id)
        return Stored(match_id, result, conditions_of_match(connection, match_id), (first, second))


def in_seats(
    context: Context, stored: Stored, file: Path | None, seat: int | None, tier: str | None
) -> tuple[tuple[str, str], tuple[Program, Program]]:
    """Return the names and programs of who plays now, in the order of the seats."""
    place = None if file is None else seat_for(file, seat, stored)
    if file is None and seat is not None:
        raise UsageFault("--seat says where the file of --with sits, which is missing")
    players = []
    for number, source in enumerate(stored.sources):
        if file is not None and number == place:
            players.append((one_line(file.name), build_file(file, context.settings.source_chars, tier)))
        else:
            players.append((source.name, built(source.text, find_language(source.language), tier)))
    (first, first_program), (second, second_program) = players
    return (first, second), (first_program, second_program)


def seat_for(file: Path, seat: int | None, stored: Stored) -> int:
    """Return the seat of the bot that the file is named like. Raises UsageFault where that is neither or both."""
    if seat is not None:
        return seat
    own = [number for number, source in enumerate(stored.sources) if source.bot.lower() == file.stem.lower()]
    if len(own) != 1:
        first, second = stored.names
        both = "neither of them is a version" if not own else "both are versions"
        raise UsageFault(
            f"match {stored.id} was {first} (seat 0) against {second} (seat 1), and {both} of {file.stem}: say with "
            "--seat whose place the file takes"
        )
    return own[0]


def parting_turn(before: MatchResult, now: MatchResult) -> int | None:
    """Return the first turn, counted from 1, on which something else was said; None where it all went the same way."""
    said = ([(turn.seat, turn.line) for turn in result.turns] for result in (before, now))
    return next((number for number, (old, new) in enumerate(zip_longest(*said), 1) if old != new), None)


def comparison(stored: Stored, parting: int | None) -> str:
    """Say how the stored match had ended, and from where on the new one goes another way."""
    outcome = stored.result.outcome
    words = "a draw" if outcome.winner is None else f"{stored.names[outcome.winner]} won"
    ended = (
        f"match {stored.id} had ended {outcome.scores[0]}:{outcome.scores[1]}, {words} "
        f"({in_words(outcome.reason)}, {counted(len(stored.result.turns), 'turn')})"
    )
    return (
        f"{ended}; {'it goes the same way now' if parting is None else f'now turn {parting} is the first that differs'}"
    )
