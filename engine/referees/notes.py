"""What a referee program said in a match, besides how it ended: for people, and to play the match again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from engine.bot.clock import TimeRule
from engine.bot.output import Reply
from engine.conversation import Ask, Outcome
from engine.errors import RefereeFault, UsageFault
from engine.immutable import immutable
from engine.referees.blocks import INFOS, METADATA, MONITORING, PARAMETERS, SUMMARY, TOOLTIP, VIEW, RefereeStep
from engine.referees.program import RefereeProgram
from engine.text import shortened


class RefereeChannel(Protocol):
    def send(self, data: bytes) -> None:
        """Write all of it; with that the time to the next question begins. Raises RefereeFault, as `receive` does."""
        ...

    def receive(self, patience_s: float | None = None) -> bytes:
        """Wait for bytes, no longer than `patience_s`: nothing where it is silent or has ended. Raises RefereeFault
        where it has ended, else, or is over a limit.
        """
        ...


FIRST_LIMIT_MS, TURN_LIMIT_MS = 1000, 100
"""Of bots' answers, where neither the referee nor anybody else sets limits."""


@immutable
class MatchSetup:
    """A match that a referee program leads. `parameters`: besides those of its game. `first_limit_ms`, `turn_limit_ms`:
    as the league or the match sets them; None: the game's, or the referee's own.
    """

    program: RefereeProgram
    players: int
    seed: int
    time: TimeRule = TimeRule()
    parameters: tuple[tuple[str, str], ...] = ()
    first_limit_ms: int | None = None
    turn_limit_ms: int | None = None

    @property
    def all_parameters(self) -> dict[str, str]:
        return {"seed": str(self.seed), **dict(self.program.parameters), **dict(self.parameters)}

    def limit_ms(self, *, is_first: bool, own_ms: int | None = None) -> int:
        of_match = self.first_limit_ms if is_first else self.turn_limit_ms
        if of_match is not None:
            return of_match
        if self.program.limits:
            return self.program.limits.first_ms if is_first else self.program.limits.turn_ms
        usual_ms = FIRST_LIMIT_MS if is_first else TURN_LIMIT_MS
        return usual_ms if own_ms is None else own_ms

    def require_seed_in_range(self) -> None:
        if self.program.seed_bits == 31 and not 0 <= self.seed < 2**31:
            raise UsageFault(f"seeds of this game's referee are 0 to {2**31 - 1}; {self.seed} is none of them")


Conversation: TypeAlias = Generator[Ask, Reply, Outcome]
"""As a `Referee`, but it is sent whole replies: a referee program may want to know how long an answer took."""

MOST_ANSWER_LINES = 1000
MOST_LIMIT_MS = 60_000
SCORES_BELOW = 2**31
JAVA = "java"
LINE_ENDS_OF_OTHERS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What some readers of lines take for a line end, Java's and Python's among them, and a bot's line goes on after."""
_MADE_VISIBLE = str.maketrans(dict.fromkeys(LINE_ENDS_OF_OTHERS, "\ufffd"))
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def is_java(program: RefereeProgram) -> bool:
    return JAVA in program.needs or program.command[0].rpartition("/")[2] == JAVA


def answer_for(program: RefereeProgram, answer: str) -> str:
    """Return an answer as the referee may see it: only we end lines, unless its game says that it takes others whole.

    By a line end of others a bot could end its line within, say an opponent's answer too, and void matches that it
    would lose. In which language a referee reads is not seen by its command, so this is for every one.
    """
    return answer if program.keeps_line_ends else answer.translate(_MADE_VISIBLE)


def whole_number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise RefereeFault(f'the referee says "{shortened(text)}" for {what}, which is not a whole number')
    return int(text)


def seat_number(text: str, players: int) -> int:
    seat = whole_number(text, "a seat")
    if not 0 <= seat < players:
        raise RefereeFault(f"the referee speaks of seat {seat}; there are the seats 0 to {players - 1}")
    return seat


def answer_lines_number(text: str) -> int:
    count = whole_number(text, "a number of answer lines")
    if not 0 <= count <= MOST_ANSWER_LINES:
        raise RefereeFault(f"the referee wants an answer of {count:,} lines; 0 to {MOST_ANSWER_LINES:,} are possible")
    return count


_WHOLE_NUMBER = re.compile("-?[0-9]{1,9}")
MOST_FOR_PEOPLE_BYTES = 1_000_000
"""How much is kept of what is only for people, views and metadata aside: the rest of it is dropped."""
MOST_METADATA_BYTES = 250_000
"""How much is kept of METADATA, which comes last: it has room even where a referee talks much before."""


@immutable
class Question:
    """`text`: the lines that came with it, each with its end. `limit_ms`: of the bot's answer; None where no bot was
    asked.
    """

    seat: int
    text: str
    answer_lines: int
    limit_ms: int | None

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self.text.split("\n")[:-1])


@immutable
class Tooltip:
    """A word about one seat. `question`: before which question, from 0, it was said."""

    seat: int
    text: str
    question: int


@immutable
class Notes:
    """`questions`: in their order, also those that no bot heard of. `summaries`, `infos`, `views`: one text for each
    and one for the end; no views where they are not kept. `parameters`: as the referee gave them back. `metadata`: one
    line of JSON. `stray`: what it said where nothing was to be said. `is_monitored`: it was sent how long answers took,
    and counts overruns itself. `metrics`: of each seat, where a command says them.
    """

    questions: tuple[Question, ...] = ()
    summaries: tuple[str, ...] = ()
    infos: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    tooltips: tuple[Tooltip, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    metadata: str = ""
    stray: str = ""
    is_monitored: bool = False
    metrics: tuple[Mapping[str, str], ...] = ()

    def asks(self) -> tuple[Ask, ...]:
        unheard: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
        asks = []
        for question in self.questions:
            unheard[question.seat] += question.lines
            if question.limit_ms is not None:
                lines = unheard.pop(question.seat)
                counts = not self.is_monitored
                asks.append(Ask(question.seat, lines, question.limit_ms, question.answer_lines, counts))
        return tuple(asks)

    def last_words(self) -> str:
        """What it said last for people and to nobody, to be put behind a sentence; "" for nothing."""
        texts = ([tooltip.text for tooltip in self.tooltips], self.summaries, self.infos, [self.stray])
        *for_people, stray = ([line.strip() for line in "\n".join(some).split("\n") if line.strip()] for some in texts)
        lines = [*(some[-1:] for some in for_people), stray[:1], stray[-1:]]
        quoted = dict.fromkeys(f'"{shortened(line)}"' for some in lines for line in some)
        return f"; its words: {', '.join(quoted)}" if quoted else ""


@dataclass(slots=True)
class Notebook:
    players: int
    keep_views: bool = False
    questions: list[Question] = field(default_factory=list[Question])
    asked: set[int] = field(default_factory=set[int])
    last_answer_seat: int | None = None
    is_monitored: bool = False
    _summaries: list[str] = field(default_factory=list[str])
    _infos: list[str] = field(default_factory=list[str])
    _views: list[str] = field(default_factory=list[str])
    _tooltips: list[Tooltip] = field(default_factory=list[Tooltip])
    _parameters: tuple[tuple[str, str], ...] = ()
    _metadata: str = ""
    _left_bytes: int = MOST_FOR_PEOPLE_BYTES

    def take(self, step: RefereeStep) -> None:
        texts = {SUMMARY: "", INFOS: "", VIEW: ""}
        for block in step.blocks:
            if block.name in texts:
                texts[block.name] = "\n".join(block.lines)
            elif block.name == TOOLTIP:
                self._take_tooltips(block.lines)
            elif block.name == MONITORING:
                self.is_monitored = True
            elif block.name == PARAMETERS:
                parts = (line.partition("=") for line in block.lines)
                self._parameters = tuple((key, value) for key, _, value in parts)
            elif block.name == METADATA:
                self._metadata = "\n".join(block.lines)[:MOST_METADATA_BYTES]
        self._summaries.append(self._with_room(texts[SUMMARY]))
        self._infos.append(self._with_room(texts[INFOS]))
        if self.keep_views:
            self._views.append(texts[VIEW])

    def take_words(self, words: Iterable[str]) -> None:
        self._summaries.append(self._with_room("\n".join(words)))
        self._infos.append("")

    def last_tooltip(self, seat: int) -> str:
        return next((tooltip.text for tooltip in reversed(self._tooltips) if tooltip.seat == seat), "")

    def notes(self, stray: str = "") -> Notes:
        return Notes(
            tuple(self.questions),
            tuple(self._summaries),
            tuple(self._infos),
            tuple(self._views),
            tuple(self._tooltips),
            self._parameters,
            self._metadata,
            stray,
            self.is_monitored,
        )

    def _take_tooltips(self, lines: tuple[str, ...]) -> None:
        """A text of one line or more, then the seat. What is about no seat is left out."""
        words: list[str] = []
        for line in lines:
            if not words or not _WHOLE_NUMBER.fullmatch(line):
                words.append(line)
                continue
            if 0 <= int(line) < self.players:
                self._tooltips.append(Tooltip(int(line), self._with_room("\n".join(words)), len(self.questions)))
            words = []

    def _with_room(self, text: str) -> str:
        text_kept = text[: self._left_bytes]
        self._left_bytes -= len(text_kept)
        return text_kept


class ProtocolMatch:
    """One match by the protocol of a referee program: who has failed, and which lines a seat has not been sent yet."""

    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        self._channel = channel
        self._setup = setup
        self._notebook = notebook
        self._failed: set[int] = set()
        self._unheard: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)

    def _ask(
        self, seat: int, lines: tuple[str, ...], answer_lines: int, own_limit_ms: int | None = None
    ) -> Generator[Ask, Reply, tuple[Reply, int] | None]:
        """Note a question, and put it to its bot where that is to answer; return the reply and the limit in ms."""
        if len(self._notebook.questions) >= (most := self._setup.program.bounds.questions):
            raise RefereeFault(f"the referee asked more than {most:,} questions")
        self._unheard[seat] += lines
        limit_ms = None
        if answer_lines > 0 and seat not in self._failed:
            limit_ms = self._setup.limit_ms(is_first=seat not in self._notebook.asked, own_ms=own_limit_ms)
        text = "".join(f"{line}\n" for line in lines)
        self._notebook.questions.append(Question(seat, text, answer_lines, limit_ms))
        if seat in self._failed:
            del self._unheard[seat]
        if limit_ms is None:
            return None
        self._notebook.asked.add(seat)
        counts = not self._notebook.is_monitored
        reply = yield Ask(seat, self._unheard.pop(seat), limit_ms, answer_lines, counts_overruns=counts)
        self._notebook.last_answer_seat = seat
        if reply.line is None:
            self._failed.add(seat)
        return reply, limit_ms
