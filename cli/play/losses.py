"""The matches that the bot named first lost, the worst first: naming them, keeping their input; where it alone lost.

How this works. `--worse-only` names a new bot and an old one. Without a third bot the two play each other, and the new
one is worse on a seed if it took fewer points there in both seat orders together: a map that favours a seat favours
both once. Against a third bot both have the same seed and seat, so each match of the new one is compared with the same
match of the old one. Either way two matches belong together, and are played one after the other: after Ctrl-C what was
found in those played by then is printed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from cli import match
from cli.answer import Options, option
from cli.context import Context
from cli.options.files import check_free
from cli.options.folder_defaults import is_typed
from cli.options.numbers import MOST_MATCHES
from cli.play.series import Keeper, KeptMatch, Seating, play_tasks, points, tasks_of
from cli.terminal.words import quoted
from engine.errors import ArenaError, UsageFault, plain_words
from engine.immutable import immutable
from engine.match import MatchResult
from engine.series import PlayedTask, PlaySettings
from engine.text import counted, one_line
from engine.toolchains.program import Program
from ladder import views
from ladder.matches.local_matches import LocalHead

MOST_NAMED = 5
"""Lost matches that are named after a series."""


class StderrOf(StrEnum):
    """Whose debug output is printed: of the bot that is named first, of the other, or of both."""

    A = "a"
    B = "b"
    BOTH = "both"


@immutable
class Looking(Options):
    """What is shown of matches, and done with those that were lost."""

    stderr: Annotated[
        StderrOf | None,
        option("--stderr", "Print what the bots wrote to stderr: a, the first one; b, the second one; both."),
    ] = None
    log: Annotated[
        Path | None,
        option(
            "--log", "Write input, output and stderr of every match and seat into this new folder.", metavar="FOLDER"
        ),
    ] = None
    force: Annotated[
        bool,
        option(
            "--force", "With --log: into a folder with files too. With --html: over a file. Both replace what is there."
        ),
    ] = False
    keep_worst: Annotated[
        int | None,
        option(
            "--keep-worst",
            "Keep what the first bot was sent in the N matches that it lost worst, in the new folder `worst`.",
            metavar="N",
            min=1,
            max=MOST_MATCHES,
        ),
    ] = None
    html: Annotated[
        Path | None,
        option(
            "--html",
            "Write the match as a page that needs no network; of several the one that the first bot lost worst, or "
            "else the last one.",
            metavar="FILE",
        ),
    ] = None
    view: Annotated[
        bool, option("--view", "Then open the match that the first bot lost worst, or else the last one.")
    ] = False
    as_json: Annotated[bool, option("--json", "Print everything as JSON.")] = False
    as_csv: Annotated[bool, option("--csv", "Print a row of CSV for each match.")] = False

    def check(self) -> None:
        if self.html is not None:
            check_free(self.html, over=self.force)
        if self.view and (self.as_json or self.as_csv):
            form = "--json" if self.as_json else "--csv"
            raise UsageFault(
                f"--view opens a match for people and {form} prints all for scripts: leave one of them out"
            )

    def end(self, keeper: Keeper, lost: Sequence[KeptMatch], who: str) -> None:
        """Do all of it at the end. `who`: lost the matches `lost`. Raises HostBusy, ArenaError, KeyboardInterrupt."""
        context = keeper.context
        if not self.as_json and not self.as_csv:
            name_losses(context, lost, who)
        if self.keep_worst is not None:
            keep_worst(context, lost, who, self.keep_worst)
        telling = next(iter(lost or reversed(keeper.kept)), None)
        if self.html is not None and telling is not None:
            match.view.command.write_page(context, self.html, turn_by_turn(context, telling), over=self.force)
        if len(keeper.matches) < len(keeper.sides):  # Ctrl-C ended the series, and so it ends the command
            context.say(f"{len(keeper.matches)} of {len(keeper.sides)} matches were played")
            raise KeyboardInterrupt
        if self.view and telling is not None:
            match.view.command.open_view(context, turn_by_turn(context, telling))
        keeper.check()


def turn_by_turn(context: Context, played: KeptMatch) -> views.turns.watched_match.WatchedMatch:
    """Return a match as it can be looked at. One that could not be kept is called by its seed."""
    name = played.name or f"seed {played.match.head.seed}"
    return views.turns.watched_match.watched(played.match, name, context.games)


def lost_worst_first(played: Iterable[KeptMatch]) -> list[KeptMatch]:
    """Return the matches that the first bot lost, by score and then length."""
    lost = [match for match in played if loss_of(match) > 0]
    return sorted(lost, key=lambda match: (-loss_of(match), match.match.head.turns))


def loss_of(played: KeptMatch) -> int:
    """Return by how much the bot named first lost; 0 where it did not, or did not play."""
    head = played.match.head
    return 0 if head.own_seat is None else max(head.scores) - head.scores[head.own_seat]


def loss_text(played: KeptMatch) -> str:
    head = played.match.head
    scores = ":".join(map(str, head.scores))
    turns = f", {counted(head.turns, 'turn')}" if head.turns else ""
    return f"seed {head.seed} as player {head.own_seat}, {scores}{turns}"


def name_losses(context: Context, lost: Sequence[KeptMatch], who: str) -> None:
    losses = [loss for loss in lost if loss.name]
    if not losses:
        return
    head = f"the match that {who} lost:" if len(losses) == 1 else f"the matches that {who} lost, the worst first:"
    lines = [head, *(f"  ladder match view {loss.name}  ({loss_text(loss)})" for loss in losses[:MOST_NAMED])]
    if (more := len(losses) - MOST_NAMED) > 0:
        lines.append(f"  and {more} more: ladder match list --local")
    context.say(quoted("\n".join(lines)))


def keep_worst(context: Context, lost: Sequence[KeptMatch], who: str, most: int) -> None:
    """Write the bot's input in its `most` worst matches into a new folder, and name them. Raises ArenaError."""
    if not lost:
        context.say(quoted(f"{who} lost no match, so no input is kept"))
        return
    lines = []
    try:
        folder = new_folder(Path("worst"))
        for place, kept in enumerate(lost[:most], 1):
            head = kept.match.head
            file = folder / f"{place}-seed-{head.seed}-seat-{head.own_seat}.txt"
            file.write_bytes(views.turns.rows.seat_log(kept.result, head.own_seat or 0).sent.encode())
            lines.append(f"  {file}  ({loss_text(kept)})")
    except OSError as error:
        raise ArenaError(f"the input of the worst matches cannot be written: {plain_words(error)}") from error
    context.say(quoted("\n".join([f"what {who} was sent where it lost worst:", *lines])))


def new_folder(path: Path) -> Path:
    """Make a folder of that name, or with a number behind it where there is one. Raises OSError."""
    number = 1
    while True:
        folder = path if number == 1 else path.with_name(f"{path.name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
        number += 1


RULES = ("first_limit", "turn_limit", "no_limit", "clock", "policy", "early_line_loses", "sandbox")
"""The options of `ladder play` that decide how a match goes, by their parameters' names."""
RESULTS = {0.0: "lost", 0.5: "drew", 1.0: "won"}

Again: TypeAlias = Callable[[int, Sequence[str]], str]
"""Gives the command by which a match on a seed is played again, with more options."""


def again_command(typer_context: typer.Context, words: Sequence[str], league: str, *, is_direct: bool) -> Again:
    """Return what gives such a command, with the options that were typed and decide how a match goes.

    `words`: the game and the bots; `is_direct`: whether the second bot plays.
    """
    rules = ["--league", league]
    for name in (*RULES, "param_a", *(["param_b"] if is_direct else [])):
        if is_typed(typer_context, name):
            option = f"--{name.replace('_', '-')}"
            value = typer_context.params[name]
            values = value if isinstance(value, list | tuple) else [value]
            rules += [option] if value is True else [word for typed in values for word in (option, str(typed))]
    return lambda seed, more: one_line(shlex.join(["ladder", "play", *words, "--seed", str(seed), *more, *rules]))


@immutable
class Worse:
    """Where the new bot did worse. `seat`: against a third, None where the two met; then points are of both orders."""

    seed: int
    seat: int | None
    points: float
    old_points: float
    command: str


def show_worse(
    series: list[Seating],
    programs: Sequence[Program],
    names: Sequence[str],
    again: Again,
    settings: PlaySettings,
    keeper: Keeper,
    looking: Looking,
) -> None:
    """Play new, old and perhaps a third bot, and print where the new one does worse. Raises HostBusy."""
    context = keeper.context
    played = play_tasks(context, tasks_of(series, programs), settings, keeper)
    worse, better, compared = both_ways(series, played, again, has_third=len(programs) > 2)
    if looking.as_json:
        context.show_json(worse)
    else:
        context.show_whole(*(quoted(f"{text_of(one, names)}: {one.command}") for one in worse))
        context.show(quoted(sum_line(names, len(worse), len(better), compared)))
    places = {(one.seed, one.seat) for one in worse}

    def is_worse(head: LocalHead) -> bool:
        return (head.seed, None) in places or (head.seed, head.own_seat) in places

    lost = [kept for kept in lost_worst_first(keeper.kept) if is_worse(kept.match.head)]
    looking.end(keeper, lost, names[0])


def against_a_third(series: Sequence[Seating]) -> list[Seating]:
    """Return a series twice: in each match the third bot sits in the second one's place, and meets new, then old."""
    return [
        replace(seating, order=tuple(2 if who else bot for who in seating.order))
        for seating in series
        for bot in (0, 1)
    ]


def both_ways(
    series: Sequence[Seating], played: Sequence[PlayedTask], again: Again, *, has_third: bool
) -> tuple[list[Worse], list[Worse], int]:
    """Return where the new bot did worse, and better, of how many matches. `played`: the first ones of the series."""
    whole = 2 * (len(played) // 2)
    series, played = series[:whole], played[:whole]
    if not has_third:
        return worse_directly(series, played, again), worse_directly(series, played, again, sign=-1), whole
    series, new, old = series[::2], played[::2], played[1::2]
    return worse_against(series, new, old, again), worse_against(series, old, new, again), whole // 2


def worse_directly(series: Sequence[Seating], games: Sequence[PlayedTask], again: Again, sign: int = 1) -> list[Worse]:
    """Return the seeds on which the first bot took fewer points than the second; with the sign -1 more."""
    by_seed: dict[int, list[float]] = {}
    for seating, played in zip(series, games, strict=True):
        if isinstance(played.result, MatchResult):
            by_seed.setdefault(seating.spec.seed, []).append(points(seating, played.result))
    return [
        Worse(seed, None, sum(scored), 2 - sum(scored), again(seed, ["--matches", "2"]))
        for seed, scored in by_seed.items()
        if len(scored) == 2 and sign * sum(scored) < sign
    ]


def worse_against(
    series: Sequence[Seating], results: Sequence[PlayedTask], old_results: Sequence[PlayedTask], again: Again
) -> list[Worse]:
    """Return the matches that the new bot lost and the old one, in the same seat on the same seed, did not."""
    return [
        Worse(seed, seat, 0.0, points(seating, old.result), again(seed, ["--swap"] if seat else []))
        for seating, new, old in zip(series, results, old_results, strict=True)
        if isinstance(new.result, MatchResult) and isinstance(old.result, MatchResult)
        if points(seating, new.result) == 0 < points(seating, old.result)
        for seed, seat in [(seating.spec.seed, seating.seat_of_first)]
    ]


def text_of(worse: Worse, names: Sequence[str]) -> str:
    new, old, *others = names
    if worse.seat is None:
        return f"seed {worse.seed}, {new} took {worse.points:g} of 2 points from {old}"
    result = RESULTS[worse.old_points]
    return f"seed {worse.seed}, as player {worse.seat} {new} lost to {others[0]} and {old} {result}"


def sum_line(names: Sequence[str], worse: int, better: int, matches: int) -> str:
    new, old, *others = names
    if not others:
        seeds = counted(matches // 2, "seed")
        return f"of {seeds}, {new} took fewer points than {old} on {worse}, and more on {better}"
    lost = f"{new} lost {worse} to {others[0]} that {old} did not lose"
    return f"of {counted(matches, 'match', 'matches')}, {lost}; {old} lost {better} that {new} did not lose"
