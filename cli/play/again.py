"""A stored match once more, on the same seed: with another file in one seat, as it was, or put to a fresh referee."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from rich.text import Text

from cli.answer import Answer
from cli.context import Context
from cli.exit_status import ExitStatus
from cli.just_played import (
    Seating,
    again_text,
    ending_of,
    match_line,
    played_match,
    result_of,
    stderr_of,
    uncontained,
)
from cli.terminal.words import quoted
from engine.errors import Refused, UsageFault
from engine.match import MatchResult
from engine.records.repeat_match import put_again
from engine.series import PlaySettings, Task, built, opened, play_one
from engine.text import counted
from engine.toolchains.given_bot import read_bot
from engine.toolchains.languages import find_language
from engine.toolchains.params import with_params
from engine.toolchains.program import Program
from ladder.ids import MatchId
from ladder.views.turns.match import PlayedAgain, StoredMatch, read_stored
from ladder.views.turns.watched import require_seat


def play_recorded(context: Context, match_id: MatchId, file: Path | None, seat: int | None, tier: str | None) -> Answer:
    """Put a stored match to a fresh referee: does it ask the same?

    Raises UnknownName, UsageFault, Refused, MissingTool, SandboxFault, Unavailable; RefereeFault where it breaks.
    """
    if file is not None or seat is not None:
        raise UsageFault("--recorded plays what was said then: leave --with and --seat out")
    stored = context.read(read_stored, context.games, match_id)
    game = stored.result.spec.game
    if game.program is None:
        raise Refused(
            f"{game.name} has rules in Python, which lead its recorded matches whenever one is shown: "
            "--recorded is for games whose referee is a program"
        )
    game.require_lines("--recorded")
    game.require_repeatable("--recorded")
    again = put_again(stored.result, opened(tier), stored.conditions)
    if again.difference is None:
        asked = counted(again.questions, "question")
        return Answer(again, f"match {match_id} goes the same way again: the same {asked}, and the same scores")
    words = quoted(f"match {match_id} goes another way now: {again.difference}")
    return Answer(again, words, status=ExitStatus.FAILED)


def play_again(context: Context, match_id: MatchId, file: Path | None, seat: int | None, tier: str | None) -> Answer:
    """Play a stored match again: how it goes, and how it had ended.

    `file`: who takes the place of a version, that of its own bot unless `seat` says otherwise. Raises UnknownName,
    UsageFault, Refused, BuildRefused, MissingTool, SandboxFault, Unavailable; HostBusy where it cannot be played now.
    """
    stored = context.read(read_stored, context.games, match_id)
    stored.result.spec.game.require_repeatable("a rematch")
    names, programs = in_seats(context, stored, file, seat, tier)
    played = play_one(Task(stored.result.spec, programs), PlaySettings(stored.conditions, 1, tier))
    result = result_of(played)
    parting = parting_turn(stored.result, result)
    seating, rule = Seating(result.spec, tuple(range(len(names)))), stored.conditions.time
    params = [source.params for source in stored.sources]
    again = played_match(seating, result, played.starved, names, rule, params)
    line = quoted(match_line(result, names) + again_text(played))
    return Answer(
        PlayedAgain(match_id, stored.former_end, again, parting),
        [
            line,
            *filter(None, [quoted(stderr_of(result, names))]),
            *uncontained(result),
            Text(comparison(f"match {match_id}", stored.names, stored.result, parting)),
        ],
    )


def in_seats(
    context: Context, stored: StoredMatch, file: Path | None, seat: int | None, tier: str | None
) -> tuple[tuple[str, ...], tuple[Program, ...]]:
    """Return the names and programs of who plays now, in the order of the seats.

    A file has the parameters of the version in whose place it plays.
    """
    given = None if file is None else read_bot(file, context.settings.source_chars)
    bots = [source.bot for source in stored.sources]
    place = None if given is None else seat_for(given.bot, seat, f"match {stored.id}", bots, stored.names)
    if file is None and seat is not None:
        raise UsageFault("--seat says where the file of --with sits, which is missing")
    players = []
    for number, source in enumerate(stored.sources):
        if given is not None and number == place:
            name, program = given.name, built(given.content, given.language, tier)
        else:
            name, program = source.name, built(source.source, find_language(source.language), tier, source.name)
        players.append((name, with_params(program, source.params)))
    return tuple(name for name, _ in players), tuple(program for _, program in players)


def seat_for(bot: str, seat: int | None, match: str, bots: Sequence[str], names: Sequence[str]) -> int:
    """Return the seat of the bot that the file belongs to. `bots`, `names`: by seat, of versions.

    Raises UsageFault where that is neither or both.
    """
    if seat is not None:
        require_seat(seat, len(names))
        return seat
    own = [number for number, one in enumerate(bots) if one.lower() == bot.lower()]
    if len(own) != 1:
        several = "both" if len(names) == 2 else "several"
        which = "neither of them is a version" if not own else f"{several} are versions"
        seats = " against ".join(f"{name} (seat {number})" for number, name in enumerate(names))
        raise UsageFault(f"{match} was {seats}, and {which} of {bot}: say with --seat whose place the file takes")
    return own[0]


def parting_turn(before: MatchResult, now: MatchResult) -> int | None:
    """Return the first turn, counted from 1, on which something else was said; None where it all went the same way."""
    said = ([(turn.seat, turn.line) for turn in result.turns] for result in (before, now))
    return next((number for number, (old, new) in enumerate(zip_longest(*said), 1) if old != new), None)


def comparison(match: str, names: Sequence[str], before: MatchResult, parting: int | None) -> str:
    outcome = before.outcome
    words = "nobody won alone" if outcome.winner is None else f"{names[outcome.winner]} won"
    if max(outcome.places) == 1:
        words = "a draw"
    ended = f"{match} had ended {':'.join(map(str, outcome.scores))}, {words} ({ending_of(before)})"
    if parting is None:
        return f"{ended}; it goes the same way now"
    return f"{ended}; now turn {parting} is the first that differs"
