"""Matches that are played for a check: live ones, and again with the same answers, by a fresh referee.

Two plays are compared by their questions (seat, lines, number of answer lines, limits) and their scores. What a referee
shows to people may differ.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeVar

from engine.bot.clock import Spent
from engine.bot.conditions import OFFICIAL
from engine.bot.reply import Reply
from engine.conversation import NO_ANSWER, Ask, Outcome
from engine.cores import core_for_a_match
from engine.errors import ArenaError, HostBusy, RefereeFault
from engine.game import Game
from engine.live import play, seated
from engine.match import MatchResult, MatchSpec, Player, Recorded, converse
from engine.referees.leading import ProgramReferee
from engine.referees.notes import Notes, Question
from engine.referees.program import RefereeProgram
from engine.referees.setup import MatchSetup
from engine.sandbox.box import Sandbox
from engine.text import shortened
from engine.toolchains.program import Program

TRUSTING = replace(OFFICIAL, trusted=True)
"""Who names bots for a check trusts them as far as a command takes."""
PAUSES_S = (1, 5, 15, 30, 60)
"""A match that the host was too busy for is played again, each time after a longer pause."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checked:
    """The game that is checked, the bots that play it, and where."""

    game: Game
    program: RefereeProgram
    bots: Sequence[Program]
    sandbox: Sandbox

    def by(self, **settings: Any) -> Checked:
        """Return it with other settings of its referee."""
        return replace(self, program=replace(self.program, **settings))

    @property
    def rules_level(self) -> int:
        """The rules of its highest league."""
        return self.game.leagues[-1].rules_level

    def spec(self, seed: int, players: int) -> MatchSpec:
        """Return a match, with the limits of the referee or of the game."""
        return MatchSpec(replace(self.game, program=self.program), self.rules_level, seed, players=players)

    def seats(self, players: int) -> list[Program]:
        """Return who sits where: the bots in turn."""
        return [self.bots[seat % len(self.bots)] for seat in range(players)]

    def played(self, seed: int, players: int) -> MatchResult:
        """Play a match live. Raises RefereeFault; HostBusy where the host was too busy each time."""
        return patiently(lambda: play(self.spec(seed, players), self.seats(players), self.sandbox, TRUSTING))

    def setup(self, seed: int, players: int, parameters: tuple[tuple[str, str], ...] = ()) -> MatchSetup:
        """Return what decides a match besides the bots."""
        return MatchSetup(self.program, players, seed, OFFICIAL.time, parameters)

    def played_again(
        self, result: MatchResult, seed: int | None = None, parameters: tuple[tuple[str, str], ...] = ()
    ) -> Said:
        """Give a fresh referee the answers of a match. `seed`: another one than that of the match.

        Raises RefereeFault.
        """
        players = result.spec.players
        setup = self.setup(result.spec.seed if seed is None else seed, players, parameters)
        return patiently(lambda: self._led(setup, [Recorded(result, seat) for seat in range(players)]))

    def _led(self, setup: MatchSetup, players: Sequence[Player]) -> Said:
        """Lead a match with a fresh referee. Raises RefereeFault, HostBusy."""
        with core_for_a_match(), ProgramReferee(setup, self.rules_level, self.sandbox) as referee:
            referee.ready()
            scores: tuple[int, ...] | None = None
            try:
                scores = self._outcome(referee, setup, players).scores
            except (RefereeFault, HostBusy):
                raise
            except ArenaError:  # the record has no answer to that question
                pass
            return Said(referee.notes().questions, scores)

    def _outcome(self, referee: ProgramReferee, setup: MatchSetup, players: Sequence[Player]) -> Outcome:
        outcome, _ = converse(self.spec(setup.seed, setup.players), players, referee.conversation())
        return outcome

    def with_silence(self, seed: int, players: int, silent: int) -> tuple[Outcome, Notes]:
        """Play a match live in which one seat never answers. Raises RefereeFault, HostBusy."""
        return patiently(lambda: self._with_silence(seed, players, silent))

    def _with_silence(self, seed: int, players: int, silent: int) -> tuple[Outcome, Notes]:
        with core_for_a_match(), ExitStack() as running:
            referee = running.enter_context(ProgramReferee(self.setup(seed, players), self.rules_level, self.sandbox))
            seats: list[Player] = [Silent()] * players
            bots = {
                seat: running.enter_context(seated(bot, self.sandbox, OFFICIAL, ""))
                for seat, bot in enumerate(self.seats(players))
                if seat != silent
            }
            for seat, bot in bots.items():
                bot.ready()
                seats[seat] = bot
            referee.ready()
            return self._outcome(referee, self.setup(seed, players), seats), referee.notes()

    def first_question(self, seed: int, players: int) -> Question | None:
        """Start a match and return the first question to a bot; None where none comes. Raises RefereeFault."""
        said = patiently(lambda: self._led(self.setup(seed, players), [NoAnswer()] * players))
        return next((question for question in said.questions if question.limit_ms is not None), None)


def patiently(attempt: Callable[[], T]) -> T:
    """Do something, and again after a pause where the host was too busy for it, and say so. Raises what it raises."""
    for pause_s in PAUSES_S:
        try:
            return attempt()
        except HostBusy as busy:
            sys.stderr.write(f"ladder: {busy}; the check goes on in {pause_s} s\n")
            time.sleep(pause_s)
    return attempt()


class Silent:
    """A player that never answers."""

    def ask(self, ask: Ask) -> Reply:
        """Give no answer."""
        return Reply(None, Spent(wall_us=1000 * ask.limit_ms), NO_ANSWER)


class NoAnswer:
    """A player at whose first question a match is left."""

    def ask(self, ask: Ask) -> Reply:
        """Leave the match. Raises ArenaError."""
        raise ArenaError(f"the first question, to seat {ask.seat}, is all that is to be seen")


@dataclass(frozen=True, slots=True)
class Said:
    """What a referee asked in a match, and the scores; None where the match was left before its end."""

    questions: tuple[Question, ...]
    scores: tuple[int, ...] | None


def said_in(result: MatchResult) -> Said:
    """Return what the referee of a live match said."""
    return Said(result.notes.questions if result.notes else (), result.outcome.scores)


def difference(first: Said, second: Said) -> str | None:
    """Say where two plays part; None where they do not."""
    for number, (one, other) in enumerate(zip_longest(first.questions, second.questions), 1):
        if one != other:
            return f"question {number}: {'; '.join(parts_that_differ(one, other))}"
    if first.scores != second.scores:
        return f"the scores: {scores_words(first)}, then {scores_words(second)}"
    return None


def parts_that_differ(one: Question | None, other: Question | None) -> Iterator[str]:
    """Say what differs between two questions; None is no question."""
    if one is None or other is None:
        yield "only one of the two matches has it"
        return
    if (one.seat, one.answer_lines) != (other.seat, other.answer_lines):
        yield f"seat {one.seat} with {one.answer_lines} answer lines, then seat {other.seat} with {other.answer_lines}"
    if one.limit_ms != other.limit_ms:
        yield f"a limit of {one.limit_ms} ms, then of {other.limit_ms} ms"
    for number, (line, second) in enumerate(zip_longest(one.lines, other.lines), 1):
        if line != second:
            yield f'line {number}: "{shortened(str(line))}", then "{shortened(str(second))}"'
            return


def scores_words(said: Said) -> str:
    """Return scores as words."""
    return "none" if said.scores is None else " ".join(map(str, said.scores))
