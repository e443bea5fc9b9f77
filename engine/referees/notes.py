"""What a referee program said in a match, besides how it ended: for people, and to play the match again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.conversation import Ask
from engine.referees.blocks import INFOS, METADATA, MONITORING, PARAMETERS, SUMMARY, TOOLTIP, VIEW, Step
from engine.text import shortened

_WHOLE_NUMBER = re.compile("-?[0-9]{1,9}")
MOST_FOR_PEOPLE_BYTES = 1_000_000
"""How much is kept of what is only for people, views and metadata aside: the rest of it is dropped."""
MOST_METADATA_BYTES = 250_000
"""How much is kept of METADATA, which comes last: it has room even where a referee talks much before."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the referee asked it.

    `text`: the lines that came with it, each with its end. `limit_ms`: of the bot's answer; None where no bot was
    asked, as there were to be no answer lines, or the seat had failed.
    """

    seat: int
    text: str
    answer_lines: int
    limit_ms: int | None

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines."""
        return tuple(self.text.split("\n")[:-1])


@dataclass(frozen=True, slots=True)
class Tooltip:
    """A word about one seat. `question`: before which question, from 0, it was said."""

    seat: int
    text: str
    question: int


@dataclass(frozen=True, slots=True)
class Notes:
    """All that is kept.

    `questions`: in their order, also those that no bot heard of. `summaries`, `infos`, `views`: one text for each
    question and one for the end; no views where they are not kept. `parameters`: all that the match had, as the referee
    gave them back. `metadata`: one line of JSON. `stray`: the beginning of what it said where nothing was to be said.
    `is_monitored`: whether it was sent how long answers took, so that it counts overruns itself. `metrics`: of each
    seat, where a command played the match and says them.
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
        """Return what the bots were asked, turn by turn: each with all lines since that seat's last turn."""
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
        """Return what it said last for people and to nobody, to be put behind a sentence; "" where that is nothing."""
        for_people = ([tooltip.text for tooltip in self.tooltips], self.summaries, self.infos)
        stray = lines_in([self.stray])
        lines = [*(lines_in(texts)[-1:] for texts in for_people), stray[:1], stray[-1:]]
        quoted = dict.fromkeys(f'"{shortened(line)}"' for some in lines for line in some)
        return f"; its words: {', '.join(quoted)}" if quoted else ""


@dataclass(slots=True)
class Notebook:
    """Takes notes while a match is played."""

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

    def take(self, step: Step) -> None:
        """Note what a step says for people, and what it gives back at the end."""
        texts = {SUMMARY: "", INFOS: "", VIEW: ""}
        for block in step.blocks:
            if block.name in texts:
                texts[block.name] = "\n".join(block.lines)
            elif block.name == TOOLTIP:
                self._take_tooltips(block.lines)
            elif block.name == MONITORING:
                self.is_monitored = True
            elif block.name == PARAMETERS:
                self._parameters = tuple(_pairs(block.lines))
            elif block.name == METADATA:
                self._metadata = "\n".join(block.lines)[:MOST_METADATA_BYTES]
        self._summaries.append(self._with_room(texts[SUMMARY]))
        self._infos.append(self._with_room(texts[INFOS]))
        if self.keep_views:
            self._views.append(texts[VIEW])

    def take_words(self, words: Iterable[str]) -> None:
        """Note what was said for people up to a question, or to the end, by a protocol that has no steps."""
        self._summaries.append(self._with_room("\n".join(words)))
        self._infos.append("")

    def last_tooltip(self, seat: int) -> str:
        """Return the last word about a seat; "" where there is none."""
        return next((tooltip.text for tooltip in reversed(self._tooltips) if tooltip.seat == seat), "")

    def written(self, stray: str = "") -> Notes:
        """Return the notes."""
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
        """Note words about seats: a text of one line or more, then the seat. What is about no seat is left out."""
        words: list[str] = []
        for line in lines:
            if not words or not _WHOLE_NUMBER.fullmatch(line):
                words.append(line)
                continue
            if 0 <= int(line) < self.players:
                self._tooltips.append(Tooltip(int(line), self._with_room("\n".join(words)), len(self.questions)))
            words = []

    def _with_room(self, text: str) -> str:
        """Return as much of a text as there is room for."""
        kept = text[: self._left_bytes]
        self._left_bytes -= len(kept)
        return kept


def lines_in(texts: Iterable[str]) -> list[str]:
    """Return the lines of texts that have something in them, without blanks around it."""
    return [line.strip() for text in texts for line in text.split("\n") if line.strip()]


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Read lines of `key=value`."""
    for line in lines:
        key, _, value = line.partition("=")
        yield key, value


def text_of(lines: Iterable[str]) -> str:
    """Return lines as a text, each with its end."""
    return "\n".join((*lines, ""))
