"""The protocol of cg-brutaltester: lines that begin with `###`, and no clock.

How this works. The referee is given `###Seed N`, if it knows seeds, and `###Start P`. `###Input p` and the lines after
it are for seat p; `###Output p n` wants an answer of n lines from it; `###Error` is for people; `###End 1 20` gives the
places, best first, seats of one group being level. What it does after that does not matter.

It has no word for a missing answer. With two seats the match ends there and then, and the silent one is last. With more
the seat is given the game's *fault line* from then on, which the referee takes for a wrong move.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence

from engine.bot.reply import Reply
from engine.conversation import NO_ANSWER, OK, Ask, Outcome
from engine.errors import GameFault, RefereeFault
from engine.referees.blocks import QUESTION
from engine.referees.notes import (
    Conversation,
    MatchSetup,
    Notebook,
    ProtocolMatch,
    RefereeChannel,
    answer_for,
    answer_lines_number,
    seat_number,
)
from engine.text import shortened

MARK = "###"
INPUT, OUTPUT, ERROR, END = "###Input", "###Output", "###Error", "###End"
MOST_QUESTION_LINES = 100_000
MOST_STRAY_CHARS = 4096
PLACES = "end"
"""How a match is said to have ended that the referee ended: the protocol has no word for it."""


class BrutaltesterMatch(ProtocolMatch):
    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        super().__init__(channel, setup, notebook)
        self._lines: list[str] = []
        self._at = 0
        self._partial = b""
        self._said_to: defaultdict[int, list[str]] = defaultdict(list)
        self._addressed: int | None = None
        self._lines_since_question = 0
        self._words: list[str] = []
        self.stray = ""

    def conversation(self) -> Conversation:
        self._setup.require_seed_in_range()
        seed = f"###Seed {self._setup.seed}\n" if self._setup.program.seed_bits else ""
        self._channel.send(f"{seed}###Start {self._setup.players}\n".encode())
        while True:
            word, line = self._next_word()
            if word == END:
                return self._outcome(line)
            answer = yield from self._answered(line)
            if answer is None:
                scores = [0 if seat in self._failed else 1 for seat in range(self._setup.players)]
                return self._ended(scores, NO_ANSWER.verdict.value)
            self._channel.send(answer.encode())

    def _next_word(self) -> tuple[str, str]:
        while True:
            line = self._line()
            word = line.split(maxsplit=1)[0] if line.startswith(MARK) else ""
            if word in {OUTPUT, END}:
                self._addressed, self._lines_since_question = None, 0
                self._notebook.take_words(self._words)
                self._words.clear()
                return word, line
            if word == INPUT:
                self._addressed = seat_number(line[len(INPUT) :].strip(), self._setup.players)
            elif word:
                self._addressed = None
                self._words.append(line[len(ERROR) :].strip() if word == ERROR else line)
            elif self._addressed is None:
                self._require_lines(line)
                self.stray += f"{line}\n"[: MOST_STRAY_CHARS - len(self.stray)]
            else:
                self._lines_since_question += 1
                if self._lines_since_question > MOST_QUESTION_LINES:
                    raise RefereeFault(f"the referee said more than {MOST_QUESTION_LINES:,} lines without a question")
                self._said_to[self._addressed].append(line)

    def _require_lines(self, line: str) -> None:
        """Else, of a referee that begins by the protocol of the SDK, nothing more would come."""
        if not self._notebook.questions and line.startswith(f"[[{QUESTION}]"):
            raise RefereeFault(f'the referee says "{shortened(line)}": it speaks the protocol of the kind sdk')

    def _line(self) -> str:
        while self._at == len(self._lines):
            *complete, self._partial = (self._partial + self._channel.receive()).split(b"\n")
            self._lines, self._at = [_decoded(line) for line in complete], 0
        self._at += 1
        return self._lines[self._at - 1]

    def _answered(self, line: str) -> Generator[Ask, Reply, str | None]:
        seat, answer_lines = self._question(line)
        asked = yield from self._ask(seat, tuple(self._said_to.pop(seat, ())), answer_lines)
        if seat not in self._failed:
            return "" if asked is None else f"{answer_for(self._setup.program, asked[0].line or '')}\n"
        if self._setup.players == 2:
            return None
        wrong_move = self._setup.program.fault_line
        if wrong_move is None:
            raise GameFault("a bot gave no answer, and this game has no fault line that its referee takes instead")
        return f"{wrong_move}\n" * answer_lines

    def _question(self, line: str) -> tuple[int, int]:
        words = line.split()
        if len(words) != 3:
            raise RefereeFault(f'the referee says "{shortened(line)}"; a seat and a number of lines were expected')
        self._require_few_questions()
        return seat_number(words[1], self._setup.players), answer_lines_number(words[2])

    def _outcome(self, line: str) -> Outcome:
        """A seat's score is how many seats are below it."""
        groups = line.split()[1:]
        seats = [seat for group in groups for seat in group]
        if sorted(seats) != [str(seat) for seat in range(self._setup.players)]:
            raise RefereeFault(f'the referee says "{shortened(line)}", which does not give each seat one place')
        scores = dict[str, int]()
        for number, group in enumerate(groups):
            below = sum(len(other) for other in groups[number + 1 :])
            scores |= dict.fromkeys(group, below)
        return self._ended([scores[str(seat)] for seat in range(self._setup.players)], PLACES)

    def _ended(self, scores: Sequence[int], reason: str) -> Outcome:
        verdicts = tuple(NO_ANSWER if seat in self._failed else OK for seat in range(self._setup.players))
        return Outcome(tuple(scores), reason, verdicts)


def _decoded(line: bytes) -> str:
    if b"\0" in line:
        raise RefereeFault("the referee said a line with the character NUL in it")
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        shown = shortened(line.decode("utf-8", "replace"))
        raise RefereeFault(f'the referee said a line that is not UTF-8: "{shown}"') from error
