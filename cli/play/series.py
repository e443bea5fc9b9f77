"""A series here: who plays, which matches in which seats, playing and keeping them, and what lines say of each.

How this works. A path, or a word with an ending that bots have, is a file, a folder or an archive; a program may have
arguments. `boss-bronze` is the boss that the game ships for its league Bronze, and needs no database. Every other word
is a version as in `nemo@v3`, or a bot, and so the version that plays for it now: its source is taken from the ladder's
database, whether the services run or not. A file of each match is kept in
LADDER_HOME, and a log where one is asked for.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias, TypeVar

from cli import entrant, play, terminal
from cli.context import Context
from cli.terminal.words import indent, sandbox_text
from engine.bot.clock import TimeRule
from engine.boxes import NONE
from engine.conversation import Outcome, Verdict, plainly_ended, seat_orders
from engine.errors import ArenaError, HostBusy, Refused, UsageFault, plain_words
from engine.game import Game
from engine.immutable import immutable
from engine.interrupts import interrupts_delayed
from engine.match import MatchResult, MatchSpec, fault_words, result_words
from engine.rejudge import limits_of
from engine.series import MOST_TRIES, PlayedTask, PlaySettings, Task, UnplayedTask, in_order
from engine.text import counted, listed
from engine.toolchains.given_bot import means_file, path_and_arguments
from engine.toolchains.params import Params
from engine.toolchains.program import Program
from ladder.matches.local_matches import LocalMatch, LocalMatches, local_match
from ladder.views.turns.rows import PlayedMatch, referee_words, seat_logs, turn_rows

T = TypeVar("T")
NamedBots: TypeAlias = Sequence[tuple[str, Params]]
"""Bots as they were named, each with its parameters."""


def entrants(context: Context, game: Game, words: Sequence[str]) -> list[entrant.Entrant]:
    """Return who is meant, namesakes as they were given. Raises UsageFault, UnknownName, Refused, Unavailable."""
    files = entrant.of_files(filter(is_path, words), context.settings.source_chars)
    by_word = {word: entrant_named for word, (entrant_named, _) in files.items()}
    others = [word for word in dict.fromkeys(words) if word not in by_word]
    by_word |= {word: entrant.of_boss(game, word.lower()) for word in others if word.lower() in game.bosses}
    stored = [word for word in others if word not in by_word]
    if stored:
        by_word |= play.ladder_versions.stored_entrants(context, game, stored)
    return [by_word[word] for word in words]


def is_path(word: str) -> bool:
    try:
        return means_file(word) or path_and_arguments(word)[0].is_file()
    except OSError:  # it is longer than the name of a file can be
        return False


@immutable
class SeatedPlayers:
    """Who plays a match. `players`: by seat; `own_seat`: of the bot that was named first, None where it plays not."""

    players: tuple[str, ...]
    own_seat: int | None


@immutable
class Seating:
    """One match of a series. `order`: the number of the bot in seat 0, in seat 1 and so on, as they were named."""

    spec: MatchSpec
    order: tuple[int, ...] = (0, 1)

    @property
    def seat_of_first(self) -> int:
        """Raises ValueError where the bot named first plays not."""
        return self.order.index(0)


def in_seats(seating: Seating, bots: Sequence[T]) -> tuple[T, ...]:
    """Return what belongs to the bots, given as they were named, in the order of the seats they take in this match."""
    return tuple(bots[who] for who in seating.order)


def points(seating: Seating, result: MatchResult) -> float:
    """Return what the first bot got, from 0 to 1: of two 1 for a win, 0.5 for a draw."""
    return result.outcome.points[seating.seat_of_first]


def seatings(spec: MatchSpec, seeds: Sequence[int], matches: int, *, swap: bool = False) -> list[Seating]:
    """Return a series' first `matches`: each seed in each order of seats. `swap`: the second bot has seat 0 first."""
    orders = seat_orders(spec.players, spec.game.seat_orders)
    if swap:
        orders = orders[1:] + orders[:1]
    every = [Seating(replace(spec, seed=seed), order) for seed in seeds for order in orders]
    return every[:matches]


def sides_of(series: Sequence[Seating], names: Sequence[str]) -> list[SeatedPlayers]:
    return [
        SeatedPlayers(in_seats(seating, names), seating.seat_of_first if 0 in seating.order else None)
        for seating in series
    ]


def tasks_of(series: Sequence[Seating], programs: Sequence[Program]) -> list[Task]:
    return [Task(seating.spec, in_seats(seating, programs)) for seating in series]


def play_tasks(context: Context, tasks: list[Task], settings: PlaySettings, keeper: Keeper) -> list[PlayedTask]:
    """Play all of these, each handed to the keeper; after Ctrl-C return what was played, or raise KeyboardInterrupt."""
    try:
        with terminal.steps.bar(context.err) as progress:
            for played in progress.track(in_order(tasks, settings), total=len(tasks), description="playing"):
                with interrupts_delayed():
                    keeper.take(played)
    except KeyboardInterrupt:
        if not keeper.played:
            raise
    return keeper.played


@immutable
class KeptMatch:
    """A match that was played. `name`: its lasting one, "" where it could not be kept."""

    result: MatchResult
    match: LocalMatch
    name: str

    @property
    def points_of_first(self) -> float:
        """Return what the first bot got, from 0 to 1; see `points`."""
        return self.result.outcome.points[self.match.head.own_seat or 0]


class Keeper:
    """Takes matches as they are played, in their order."""

    def __init__(
        self, context: Context, sides: Sequence[SeatedPlayers], league: str, rule: TimeRule, log: MatchLog | None = None
    ) -> None:
        """Begin. `sides`: of all matches; `league`: by whose rules, its title; `rule`: for time; `log`: or None."""
        self.matches: list[KeptMatch | None] = []
        """What became of each match so far; None for a void one."""
        self.played: list[PlayedTask] = []
        self.sides = sides
        self.context, self._league, self._rule, self._log = context, league, rule, log
        self._can_keep = True

    def take(self, played: PlayedTask) -> None:
        sides = self.sides[len(self.matches)]
        self.played.append(played)
        result = played.result
        if isinstance(result, UnplayedTask):
            self.matches.append(None)
            return
        now = datetime.now(UTC)
        match = local_match(
            result, self._league, sides.players, sides.own_seat, now, rule=self._rule, host_faults=played.starved
        )
        self.matches.append(KeptMatch(result, match, self._kept(match)))
        if self._log is not None:
            self._log.write(len(self.matches), result, sides.players)

    @property
    def kept(self) -> list[KeptMatch]:
        return [match for match in self.matches if match is not None]

    def check(self) -> None:
        """Raise HostBusy where matches are void, ArenaError where the log lacks some."""
        if self._log is not None:
            self._log.check()
        complain([played.result for played in self.played])

    def _kept(self, match: LocalMatch) -> str:
        """Write a match down and return its lasting name; "" where that cannot be, which is said once."""
        if not self._can_keep:
            return ""
        try:
            if not self.matches:
                self.context.home.make(self.context.home.played)
            store = LocalMatches(self.context.home.played)
            return store.name_of(store.keep(match))
        except (ArenaError, OSError) as error:
            self._can_keep = False
            self.context.say(f"what is played is not kept for a later look: {plain_words(error)}")
            return ""


class MatchLog:
    """A folder for each match, `07-seed-42`, with one for each seat, `seat-0-nemo.py`: in.txt, out.txt, err.txt."""

    def __init__(self, folder: Path, matches: int, *, force: bool) -> None:
        """Make the folder. `matches`: how many there will be. `force`: it may have files already.

        Raises UsageFault where it cannot be made, Refused where it has files and may not.
        """
        self.folder = folder
        self._digits = len(str(matches))
        self._fault: OSError | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            has_files = any(folder.iterdir())
        except OSError as error:
            raise UsageFault(f"cannot write a log into {folder}: {plain_words(error)}") from error
        if has_files and not force:
            raise Refused(f"{folder} has files already: name a new folder, or add --force")

    def write(self, number: int, result: MatchResult, players: Sequence[str]) -> None:
        """Write down one match. Where that fails none is written from then on, and `check` says so."""
        if self._fault is not None:
            return
        folder = self.folder / f"{number:0{self._digits}}-seed-{result.spec.seed}"
        try:
            for seat, (player, log) in enumerate(zip(players, seat_logs(result), strict=True)):
                name = re.sub(r"[^A-Za-z0-9._@=+-]+", "-", player).strip("-.")[:40] or "bot"
                of_seat = folder / f"seat-{seat}-{name}"
                of_seat.mkdir(parents=True, exist_ok=True)
                for file, text in (("in", log.sent), ("out", log.said), ("err", log.stderr)):
                    (of_seat / f"{file}.txt").write_bytes(text.encode())
        except OSError as error:
            self._fault = error
            shutil.rmtree(folder, ignore_errors=True)

    def check(self) -> None:
        if self._fault is not None:
            raise ArenaError(f"the log in {self.folder} lacks matches: {plain_words(self._fault)}")


def complain(results: Sequence[MatchResult | UnplayedTask]) -> None:
    unplayed = [result for result in results if isinstance(result, UnplayedTask)]
    if unplayed:
        raise HostBusy(f"{len(unplayed)} of {len(results)} matches void after {MOST_TRIES} tries: {unplayed[-1].why}")


def result_of(played: PlayedTask) -> MatchResult:
    if isinstance(played.result, UnplayedTask):
        raise HostBusy(f"the match is void after {MOST_TRIES} tries: {played.result.why}")
    return played.result


def has_fault(result: MatchResult, seat: int) -> bool:
    return result.outcome.verdicts[seat].verdict is not Verdict.OK


def match_line(result: MatchResult, seats: Sequence[str]) -> str:
    faults = [f"{name}: {fault_words(result, seat)}" for seat, name in enumerate(seats) if has_fault(result, seat)]
    score = ":".join(map(str, result.outcome.scores))
    how = f"{winner_words(result.outcome, seats)} ({ending_of(result)})"
    return "  ".join([f"seed {result.spec.seed}  {' - '.join(seats)}  {score}  {how}", *faults])


def ending_of(result: MatchResult) -> str:
    turns = "" if result.spec.game.starts_bots else f", {counted(len(result.turns), 'turn')}"
    return f"{result_words(result)}{turns}"


def winner_words(outcome: Outcome, seats: Sequence[str]) -> str:
    """Say who won, or that it was a draw; of more than two who shares the first place."""
    if outcome.winner is not None:
        return f"{seats[outcome.winner]} wins"
    first = [name for name, place in zip(seats, outcome.places, strict=True) if place == 1]
    return "draw" if len(seats) == len(first) else f"{listed(first)} share the first place"


def again_text(played: PlayedTask) -> str:
    """Say how often a match had to be replayed because the host was too busy; "" if it was not."""
    if not played.starved:
        return ""
    times = "once" if played.starved == 1 else f"{played.starved} times"
    return f"  (played again, void {times} because the host was too busy)"


def stderr_of(result: MatchResult, seats: Sequence[str], chosen: Sequence[int] | None = None) -> str:
    which = range(len(seats)) if chosen is None else chosen
    texts = ((seats[seat], result.stderr[seat]) for seat in which)
    return "\n".join(f"{name} on stderr:\n{indent(text)}" for name, text in texts if text)


def cautions_of(result: MatchResult) -> Iterator[str]:
    if result.sandbox == NONE:
        yield sandbox_text(result.sandbox)
    if result.spec.game.caution:
        yield result.spec.game.caution


def played_match(
    seating: Seating, played: PlayedTask, bots: NamedBots, rule: TimeRule, kept_as: str | None = None
) -> PlayedMatch:
    """Return a match that was played, for scripts. `rule`, `kept_as`: see `PlayedMatch`. Raises HostBusy."""
    result = result_of(played)
    seated = in_seats(seating, bots)
    return PlayedMatch(
        bots=tuple(name for name, _ in seated),
        time_policy=rule.policy,
        clock=rule.clock,
        host_faults=played.starved,
        points_of_first=points(seating, result),
        result=replace(result, outcome=plainly_ended(result.outcome)),
        turns=turn_rows(result.turns, limits_of(result), rule, dict(enumerate(result.stderr)), result.notes),
        params=tuple(params for _, params in seated),
        kept_as=kept_as,
        referee=referee_words(result.notes),
    )
