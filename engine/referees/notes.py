"""What a referee program said in a match, besides how it ended: for people, and to play the match again."""

import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.bot.output import Reply
from engine.conversation import Ask, Outcome
from engine.immutable import immutable
from engine.referees.blocks import INFOS, METADATA, MONITORING, PARAMETERS, SUMMARY, TOOLTIP, VIEW, RefereeStep
from engine.text import shortened

Conversation: TypeAlias = Generator[Ask, Reply, Outcome]
"""As a `Referee`, but it is sent whole replies: a referee program may want to know how long an answer took."""

SCORES_BELOW = 2**31
_WHOLE_NUMBER = re.compile("-?[0-9]{1,9}")
MOST_FOR_PEOPLE_BYTES = 1_000_000
"""How much is kept of what is only for people, views and metadata aside: the rest of it is dropped."""
MOST_METADATA_BYTES = 250_000
"""How much is kept of METADATA, which comes last: it has room even where a referee talks much before."""


@immutable
class Question:
    """`text`: the lines that came with it, with their ends. `limit_ms`: of the answer; None where no bot was asked."""

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
        stray = lines_in([self.stray])
        lines: list[str] = []
        for texts in ([tooltip.text for tooltip in self.tooltips], self.summaries, self.infos):
            lines += lines_in(texts)[-1:]
        quoted = dict.fromkeys(f'"{shortened(line)}"' for line in [*lines, *stray[:1], *stray[-1:]])
        return f"; its words: {', '.join(quoted)}" if quoted else ""


def lines_in(texts: Iterable[str]) -> list[str]:
    return [line.strip() for text in texts for line in text.split("\n") if line.strip()]


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
            questions=tuple(self.questions),
            summaries=tuple(self._summaries),
            infos=tuple(self._infos),
            views=tuple(self._views),
            tooltips=tuple(self._tooltips),
            parameters=self._parameters,
            metadata=self._metadata,
            stray=stray,
            is_monitored=self.is_monitored,
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
