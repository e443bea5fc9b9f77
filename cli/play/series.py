"""Who plays in a series here, its matches, in which seats, and playing them.

How this works. A path, or a word with an ending that bots have, is a file, a folder or an archive; a program may have
arguments. `boss-bronze` is the boss that the game ships for its league Bronze, and needs no database. Every other word
is a version as in `nemo@v3`, or a bot, and so the version that plays for it now: its source is taken from the ladder's
database, whether the services run or not.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cli import entrant, play
from cli.context import Context
from cli.entrant import Entrant
from cli.just_played import Seating, in_seats
from engine.conversation import seat_orders
from engine.interrupts import interrupts_delayed
from engine.match import MatchSpec
from engine.series import Played, PlaySettings, Task, in_order
from engine.toolchains.given_bot import means_file, path_and_arguments

if TYPE_CHECKING:
    from cli.play.keeping import Keeper
    from engine.game import Game
    from engine.toolchains.program import Program


def entrants(context: Context, game: Game, words: Sequence[str]) -> list[Entrant]:
    """Return who is meant, namesakes as they were given. Raises UsageFault, UnknownName, Refused, Unavailable."""
    files = entrant.of_files(filter(is_path, words), context.settings.source_chars)
    known = {word: one for word, (one, _) in files.items()}
    others = [word for word in dict.fromkeys(words) if word not in known]
    known |= {word: entrant.of_boss(game, word.lower()) for word in others if word.lower() in game.bosses}
    stored = [word for word in others if word not in known]
    if stored:
        known |= play.stored.stored_entrants(context, game, stored)
    return [known[word] for word in words]


def is_path(word: str) -> bool:
    try:
        return means_file(word) or path_and_arguments(word)[0].is_file()
    except OSError:  # it is longer than the name of a file can be
        return False


@dataclass(frozen=True, slots=True)
class Sides:
    """Who plays a match. `players`: by seat; `own_seat`: of the bot that was named first, None where it plays not."""

    players: tuple[str, ...]
    own_seat: int | None


def seatings(spec: MatchSpec, seeds: Sequence[int], matches: int, *, swap: bool = False) -> list[Seating]:
    """Return a series' first `matches`: each seed in each order of seats. `swap`: the second bot has seat 0 first."""
    orders = seat_orders(spec.players, spec.game.seat_orders)
    if swap:
        orders = orders[1:] + orders[:1]
    every = [Seating(replace(spec, seed=seed), order) for seed in seeds for order in orders]
    return every[:matches]


def play_tasks(context: Context, tasks: list[Task], settings: PlaySettings, keeper: Keeper) -> list[Played]:
    """Play all of these, each handed to the keeper; after Ctrl-C return what was played, or raise KeyboardInterrupt."""
    came: list[Played] = []
    try:
        for played in each_shown(context, tasks, settings):
            with interrupts_delayed():
                came.append(played)
                keeper.take(played)
    except KeyboardInterrupt:
        if not came:
            raise
    return came


def each_shown(context: Context, tasks: list[Task], settings: PlaySettings) -> Iterator[Played]:
    from cli.terminal.steps import bar

    with bar(context.err) as progress:
        yield from progress.track(each_of(tasks, settings), total=len(tasks), description="playing")


def tasks_of(series: list[Seating], programs: Sequence[Program]) -> list[Task]:
    return [Task(seating.spec, in_seats(seating, programs)) for seating in series]


def sides_of(series: Sequence[Seating], names: Sequence[str], *, is_first: bool = True) -> list[Sides]:
    """Return who plays the matches of a series. `is_first`: the first of them is the bot that was named first."""
    return [Sides(in_seats(one, names), one.seat_of_first if is_first else None) for one in series]


def each_of(tasks: list[Task], settings: PlaySettings) -> Iterator[Played]:
    return in_order(tasks, replace(settings, jobs=min(settings.jobs, len(tasks))))


def stopped_early(context: Context, played: int, asked: int) -> None:
    """Say how far a series came that Ctrl-C ended, and end the command as Ctrl-C does; does nothing for a whole one."""
    if played < asked:
        context.say(f"{played} of {asked} matches were played")
        raise KeyboardInterrupt
