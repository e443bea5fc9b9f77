"""One match: the referee asks, the seats answer, until it is over.

How this works. A match is a referee (a conversation, see `engine.conversation`) and players who are asked. Live
bots are players; so are the recorded lines of an old match, which is why a replay is the spec plus the lines that were
said. What a bot does wrong comes back in its reply and ends up as its verdict. What we do wrong is an exception, and
then there is no result at all.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from traceback import extract_tb
from typing import Any, ClassVar, Protocol

from engine.bot.clock import Spent
from engine.bot.output import NO_TIME, Reply
from engine.conversation import (
    NO_ANSWER,
    Ask,
    Outcome,
    Referee,
    SeatVerdict,
    TimeLimits,
    Verdict,
    ending_words,
    last_turn_words,
)
from engine.errors import ArenaError, GameFault, HostBusy, RefereeFault, plain_words
from engine.game import Game
from engine.immutable import immutable
from engine.referees.notes import Conversation, Notes


@immutable
class MatchSpec:
    """What decides a match besides its players. `seed`: signed 64-bit. `first_limit_ms`, `turn_limit_ms`: of a bot's
    first answer and of each later one; None: the game's own. `parameters`: given to a referee program where they and
    not the seed make a match again.
    """

    HIDDEN: ClassVar = ("parameters",)

    game: Game
    rules_level: int
    seed: int
    first_limit_ms: int | None = None
    turn_limit_ms: int | None = None
    players: int = 2
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def limits(self) -> TimeLimits:
        return self.game.limits.but(self.first_limit_ms, self.turn_limit_ms)


@immutable
class Turn:
    """`line`: None where none came in time. `stderr_chars`: of what is kept of the seat's debug output."""

    seat: int
    line: str | None
    spent: Spent = NO_TIME
    stderr_chars: int = 0


@immutable
class MatchResult:
    """`early_lines`: how many turns each seat answered with a line from before. `stderr_dropped_bytes`: not kept.
    `sandbox`: the tier. `rules_version`: of the game's rules. `notes`: what a referee program said besides.
    `metrics`: what each bot said of itself, where it is known beside what is kept of `stderr`.
    """

    HIDDEN: ClassVar = ("notes",)

    spec: MatchSpec
    outcome: Outcome
    turns: tuple[Turn, ...]
    stderr: tuple[str, ...] = ("", "")
    early_lines: tuple[int, ...] = (0, 0)
    stderr_dropped_bytes: tuple[int, ...] = (0, 0)
    sandbox: str = ""
    rules_version: int = 1
    notes: Notes | None = None
    metrics: tuple[Mapping[str, str], ...] = ()


class Player(Protocol):
    def ask(self, ask: Ask) -> Reply: ...


def lead_by_rules(spec: MatchSpec) -> Referee:
    game, level = spec.game, spec.rules_level
    if game.program:
        raise GameFault(f"the referee of {game.name} is a program: there are no rules here that lead its matches")
    return (yield from guard_referee(spec, lambda: game.lead(spec.seed, level, spec.limits, spec.players)))


def guard_referee(spec: MatchSpec, start: Callable[[], Referee]) -> Referee:
    try:
        return (yield from start())
    except GameFault:
        raise
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        raise RefereeFault(
            f"the referee of {spec.game.name} raised {type(error).__name__} in {place.filename}, line {place.lineno}: "
            f"{plain_words(error)} (rules level {spec.rules_level}, seed {spec.seed})"
        ) from error


def converse(
    spec: MatchSpec, players: Iterable[Player], program: Conversation | None = None
) -> tuple[Outcome, tuple[Turn, ...]]:
    """Lead the conversation to its end. `program`: of a referee program, which is sent whole replies; None: of the
    game's own rules. Raises RefereeFault.
    """
    players = tuple(players)
    faults: dict[int, SeatVerdict] = {}
    turns: list[Turn] = []
    referee: Generator[Ask, Any, Outcome] = lead_by_rules(spec) if program is None else program
    answer: Reply | str | None = None
    while True:
        try:
            ask = referee.send(answer)
        except StopIteration as end:
            return with_faults(end.value, faults), tuple(turns)
        try:
            reply = players[ask.seat].ask(ask)
        except HostBusy as fault:
            fault.seat = ask.seat
            raise
        turns.append(Turn(ask.seat, reply.line, reply.spent))
        if reply.fault:
            faults[ask.seat] = reply.fault
        answer = reply.line if program is None else reply


def stderr_of_turns(turns: Iterable[Turn], stderr: Mapping[int, str]) -> list[str]:
    """ "" for a seat of which nothing is known."""
    begins = dict.fromkeys(stderr, 0)
    pieces = []
    for turn in turns:
        begin = begins.get(turn.seat, 0)
        begins[turn.seat] = begin + turn.stderr_chars
        pieces.append(stderr.get(turn.seat, "")[begin : begins[turn.seat]])
    return pieces


def with_faults(outcome: Outcome, faults: dict[int, SeatVerdict]) -> Outcome:
    """Put the true reason in the place of `NO_ANSWER`, and of the name "time-out" where a referee calls the end so."""
    verdicts = tuple(
        faults.get(seat, verdict) if verdict == NO_ANSWER else verdict for seat, verdict in enumerate(outcome.verdicts)
    )
    missing = [faults[seat] for seat, verdict in enumerate(outcome.verdicts) if verdict == NO_ANSWER and seat in faults]
    is_named_so = bool(missing) and outcome.reason == NO_ANSWER.verdict
    return replace(outcome, reason=missing[0].verdict.value if is_named_so else outcome.reason, verdicts=verdicts)


class Recorded:
    def __init__(self, result: MatchResult, seat: int) -> None:
        self._turns = iter([turn for turn in result.turns if turn.seat == seat])
        self._fault = result.outcome.verdicts[seat]

    def ask(self, ask: Ask) -> Reply:
        if (turn := next(self._turns, None)) is None:
            raise ArenaError(f"the record ends before the match: seat {ask.seat} has nothing more to say")
        return Reply(turn.line, turn.spent, None if turn.line is not None else self._fault)


@immutable
class Script:
    """What a seat says first, in place of its bot, which is asked all the same; after the last of `lines` the bot
    plays. `stops_at_other`: the match is given up at the bot's first answer that is not its line.
    """

    lines: tuple[str | None, ...] = ()
    stops_at_other: bool = False


class Stopped(Exception):
    """A match was given up as its `Script` says. `own_turn`: of the seat, from 1 on; `reply`: what its bot said."""

    def __init__(self, own_turn: int, reply: Reply) -> None:
        super().__init__(own_turn)
        self.own_turn, self.reply = own_turn, reply


SCRIPT_OVER = SeatVerdict(Verdict.UNKNOWN, "what was recorded of it ends here")


class ScriptedPlayer:
    """A player that goes by a script, and then by its bot. Raises Stopped."""

    def __init__(self, script: Script, bot: Player | None) -> None:
        self._script, self._bot, self._asked = script, bot, 0

    def ask(self, ask: Ask) -> Reply:
        script, number = self._script, self._asked
        self._asked += 1
        reply = None if self._bot is None else self._bot.ask(ask)
        is_scripted = number < len(script.lines)
        if reply is not None:
            if is_scripted and script.stops_at_other and reply.line != script.lines[number]:
                raise Stopped(self._asked, reply)
            if reply.fault or not is_scripted:
                return reply
        if not is_scripted:
            return Reply(None, fault=SCRIPT_OVER)
        line = script.lines[number]
        return Reply(line, NO_TIME if reply is None else reply.spent, NO_ANSWER if line is None else None)


def check_rules(result: MatchResult) -> None:
    if result.rules_version != result.spec.game.rules_version:
        raise ArenaError(f"it was played by rules {result.rules_version}; these are {result.spec.game.rules_version}")


def replay(result: MatchResult) -> MatchResult:
    """Play the lines of a finished match through the rules again. Raises ArenaError where they do not fit."""
    check_rules(result)
    outcome, turns = converse(result.spec, [Recorded(result, seat) for seat in range(result.spec.players)])
    both = zip(turns, result.turns, strict=False)
    turns = tuple(replace(turn, stderr_chars=recorded.stderr_chars) for turn, recorded in both)
    return replace(result, outcome=outcome, turns=turns)


def result_words(result: MatchResult) -> str:
    return ending_words(result.outcome.reason, [verdict.verdict for verdict in result.outcome.verdicts])


def fault_words(result: MatchResult, seat: int) -> str:
    """`crash on its turn 4 (match turn 7): exit code 1`."""
    verdict = result.outcome.verdicts[seat]
    where = last_turn_words([turn.seat for turn in result.turns], seat)
    return f"{verdict.verdict.words}{f' on its {where}' if where else ''}: {verdict.message}"
