"""A match that is led by a referee program: its process, its protocol and its notes together; and the two protocols.

The protocol of CodinGame's SDK: the referee asks in blocks, and we answer for the bots. The referee starts no bot and
has no clock. It is given `INIT`, and `GET_GAME_INFO` before each question; each is answered by `SET_PLAYER_OUTPUT` or
`SET_PLAYER_TIMEOUT`. A question without answer lines is answered at once, and its lines are put before the next
question to that seat. A seat that has failed is asked no more.

Some such referees say `MONITORING` before they first ask. From then on they want to know how many milliseconds an
answer took, in one more line before it, and their limits are 50 ms above the true ones, for they count strikes
themselves; those that give time by a bank say the true limit. What is reported is what the bot is charged. Under the
policy `strict` a bot over its limit has failed, so nothing above the limit is reported. Under `codingame` the referee
learns of the overrun, and the bot fails only beyond the grace.

The protocol of cg-brutaltester: lines that begin with `###`, and no clock. The referee is given `###Seed N`, if it
knows seeds, and `###Start P`. `###Input p` and the lines after it are for seat p; `###Output p n` wants an answer of n
lines from it; `###Error` is for people; `###End 1 20` gives the places, best first, seats of one group being level.
What it does after that does not matter. It has no word for a missing answer. With two seats the match ends there and
then, and the silent one is last. With more the seat is given the game's *fault line* from then on, which the referee
takes for a wrong move.
"""

import re
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Protocol

from engine.bot.clock import GRACE_MS
from engine.bot.output import Reply
from engine.conversation import NO_ANSWER, OK, Ask, Outcome, SeatVerdict, Verdict
from engine.errors import GameFault, RefereeFault, UsageFault
from engine.referees.blocks import (
    FAIL,
    GET_GAME_INFO,
    INPUT,
    QUESTION,
    SCORES,
    TIMEOUT,
    Block,
    BlockReader,
    RefereeStep,
    beginning_of_match,
    block_of,
)
from engine.referees.jvm import process_for
from engine.referees.notes import SCORES_BELOW, Conversation, Notebook, Notes, Question
from engine.referees.process import Evidence, MatchSetup
from engine.referees.program import ProtocolKind, RefereeProgram
from engine.sandbox.box import Sandbox
from engine.text import shortened

SILENCE_S = 2.0
"""A referee that says nothing for so long has said all that it wants to say, where a block may have been too short."""
AFTER_END_S = 0.05
"""For so long a referee that has said the scores may end, or show that it did not mean it."""
MOST_CHUNKS_AFTER_END = 16
OLDER = re.compile(r"^###(?:Input|Output) [^\n]*", re.MULTILINE)
ENDED = "end"
"""How a match is said to have ended that no fault ended: the protocols have no word for it."""


class RefereeChannel(Protocol):
    def send(self, data: bytes) -> None:
        """Write all of it; with that the time to the next question begins. Raises RefereeFault, as `receive` does."""
        ...

    def receive(self, patience_s: float | None = None) -> bytes:
        """Wait for bytes, no longer than `patience_s`: nothing where it is silent or has ended. Raises RefereeFault
        where it has ended, else, or is over a limit.
        """
        ...


MOST_ANSWER_LINES = 1000
MOST_LIMIT_MS = 60_000
LINE_ENDS_OF_OTHERS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What some readers of lines take for a line end, Java's and Python's among them, and a bot's line goes on after."""
_MADE_VISIBLE = str.maketrans(dict.fromkeys(LINE_ENDS_OF_OTHERS, "\ufffd"))
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


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


class ProtocolMatch:
    """One match by the protocol of a referee program: who has failed, and which lines a seat has not been sent yet."""

    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        self._channel, self._setup, self._notebook = channel, setup, notebook
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


class SdkMatch(ProtocolMatch):
    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        super().__init__(channel, setup, notebook)
        self._reader = BlockReader()

    @property
    def stray(self) -> str:
        return self._reader.stray

    def conversation(self) -> Conversation:
        self._setup.require_seed_in_range()
        self._channel.send(beginning_of_match(self._setup.spec.players, self._setup.all_parameters))
        while True:
            step = self._next_step()
            self._notebook.take(step)
            if step.last.name == SCORES:
                self._require_end()
                return self._outcome(step.last)
            answer = yield from self._answer_to(step)
            self._channel.send(answer)

    def _next_step(self) -> RefereeStep:
        step = self._reader.take()
        while step is None:
            chunk = self._channel.receive(SILENCE_S if self._reader.is_unsure else None)
            if chunk:
                self._reader.feed(chunk)
            step = self._reader.take() if chunk else self._reader.silence()
            if not self._notebook.questions and (line := OLDER.search(self._reader.stray)):  # then no more would come
                raise RefereeFault(
                    f'the referee says "{line[0]}": it speaks the older protocol, of the kind brutaltester'
                )
        if step.last.name == FAIL:
            raise RefereeFault(f"the referee says that it broke: {shortened(' '.join(step.last.lines[:2]))}")
        return step

    def _answer_to(self, step: RefereeStep) -> Generator[Ask, Reply, bytes]:
        seat, answer_lines, own_limit_ms = question_of(step.last.lines, self._setup.spec.players)
        if self._notebook.is_monitored and not self._setup.program.has_time_bank:
            own_limit_ms = max(1, own_limit_ms - GRACE_MS)
        block = step.find(INPUT)
        answered = yield from self._ask(seat, block.lines if block else (), answer_lines, own_limit_ms)
        if seat in self._failed:
            return TIMEOUT
        if answered is None:
            return self._output([], 0)
        reply, limit_ms = answered
        answer = answer_for(self._setup.program, reply.line or "")
        took_ms = self._report_ms(reply, limit_ms, own_limit_ms) if self._notebook.is_monitored else 0
        return self._output(answer.split("\n"), took_ms)

    def _output(self, answer: list[str], took_ms: int) -> bytes:
        lines = [str(took_ms), *answer] if self._notebook.is_monitored else answer
        return block_of("SET_PLAYER_OUTPUT", lines) + GET_GAME_INFO

    def _report_ms(self, reply: Reply, limit_ms: int, own_limit_ms: int) -> int:
        """A bot that was over our limit was as much over the referee's own one."""
        rule = self._setup.time
        counted_us = reply.spent.counted_us(rule.clock)
        if not rule.is_overrun(reply.spent, limit_ms):
            return min(counted_us // 1000, own_limit_ms)
        return own_limit_ms - (1000 * limit_ms - counted_us) // 1000  # rounded up: an overrun is one for it, too

    def _require_end(self) -> None:
        for _ in range(MOST_CHUNKS_AFTER_END):
            if not (chunk := self._channel.receive(AFTER_END_S)):
                break
            self._reader.feed(chunk)
        if self._reader.take() is not None or self._reader.has_begun:
            raise RefereeFault(f"the referee goes on after its {SCORES}")

    def _outcome(self, block: Block) -> Outcome:
        scores: dict[int, int] = {}
        for line in block.lines:
            seat_word, _, score_word = line.strip().partition(" ")
            seat, score = seat_number(seat_word, self._setup.spec.players), whole_number(score_word.strip(), "a score")
            if seat in scores:
                raise RefereeFault(f"the referee gives two scores to seat {seat}")
            if not -SCORES_BELOW <= score < SCORES_BELOW:
                raise RefereeFault(f"the referee gives seat {seat} a score of {score}, which is too large")
            scores[seat] = score
        if len(scores) != self._setup.spec.players:
            raise RefereeFault(f"the referee gives scores to {len(scores)} of {self._setup.spec.players} seats")
        in_order = tuple(scores[seat] for seat in range(self._setup.spec.players))
        reason = NO_ANSWER.verdict.value if self._setup.spec.players == 2 and self._failed else ENDED
        return Outcome(in_order, reason, tuple(map(self._verdict, range(self._setup.spec.players), in_order)))

    def _verdict(self, seat: int, score: int) -> SeatVerdict:
        if seat in self._failed:
            return NO_ANSWER
        if score >= 0 or not self._setup.program.negative_score_is_fault:
            return OK
        words = self._notebook.last_tooltip(seat)
        return SeatVerdict(Verdict.ILLEGAL, shortened(words) or f"the referee gave it a score of {score}")


@lru_cache(maxsize=64)
def question_of(lines: tuple[str, ...], players: int) -> tuple[int, int, int]:
    """Return the seat, how many answer lines, and the limit in ms. Most are alike, so each is read once."""
    if len(lines) != 3:
        raise RefereeFault(f"the referee's {QUESTION} has {len(lines)} lines, not 3")
    seat = seat_number(lines[0], players)
    answer_lines = answer_lines_number(lines[1])
    limit_ms = whole_number(lines[2], "a limit of time")
    if answer_lines and not 0 < limit_ms <= MOST_LIMIT_MS:
        raise RefereeFault(f"the referee gives a limit of {limit_ms} ms; 1 to {MOST_LIMIT_MS:,} are possible")
    return seat, answer_lines, limit_ms


MARK = "###"
INPUT_MARK, OUTPUT_MARK, ERROR_MARK, END_MARK = "###Input", "###Output", "###Error", "###End"
MOST_QUESTION_LINES = 100_000
MOST_STRAY_CHARS = 4096


class BrutaltesterMatch(ProtocolMatch):
    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        super().__init__(channel, setup, notebook)
        self._lines: list[str] = []
        self._partial = b""
        self._said_to: defaultdict[int, list[str]] = defaultdict(list)
        self._addressed: int | None = None
        self._at = self._lines_since_question = 0
        self._words: list[str] = []
        self.stray = ""

    def conversation(self) -> Conversation:
        self._setup.require_seed_in_range()
        seed = f"###Seed {self._setup.spec.seed}\n" if self._setup.program.seed_bits else ""
        self._channel.send(f"{seed}###Start {self._setup.spec.players}\n".encode())
        while True:
            word, line = self._next_word()
            if word == END_MARK:
                return self._outcome(line)
            answer = yield from self._answer_to(line)
            if answer is None:
                scores = [0 if seat in self._failed else 1 for seat in range(self._setup.spec.players)]
                return self._outcome_by_scores(scores, NO_ANSWER.verdict.value)
            self._channel.send(answer.encode())

    def _next_word(self) -> tuple[str, str]:
        while True:
            line = self._line()
            word = line.split(maxsplit=1)[0] if line.startswith(MARK) else ""
            if word in {OUTPUT_MARK, END_MARK}:
                self._addressed, self._lines_since_question = None, 0
                self._notebook.take_words(self._words)
                self._words.clear()
                return word, line
            if word == INPUT_MARK:
                self._addressed = seat_number(line[len(INPUT_MARK) :].strip(), self._setup.spec.players)
            elif word:
                self._addressed = None
                self._words.append(line[len(ERROR_MARK) :].strip() if word == ERROR_MARK else line)
            elif self._addressed is None:
                if not self._notebook.questions and line.startswith(f"[[{QUESTION}]"):  # then no more would come
                    raise RefereeFault(f'the referee says "{shortened(line)}": it speaks the protocol of the kind sdk')
                self.stray += f"{line}\n"[: MOST_STRAY_CHARS - len(self.stray)]
            else:
                self._lines_since_question += 1
                if self._lines_since_question > MOST_QUESTION_LINES:
                    raise RefereeFault(f"the referee said more than {MOST_QUESTION_LINES:,} lines without a question")
                self._said_to[self._addressed].append(line)

    def _line(self) -> str:
        while self._at == len(self._lines):
            *complete, self._partial = (self._partial + self._channel.receive()).split(b"\n")
            self._lines, self._at = [_text_of(line) for line in complete], 0
        self._at += 1
        return self._lines[self._at - 1]

    def _answer_to(self, line: str) -> Generator[Ask, Reply, str | None]:
        words = line.split()
        if len(words) != 3:
            raise RefereeFault(f'the referee says "{shortened(line)}"; a seat and a number of lines were expected')
        seat, answer_lines = seat_number(words[1], self._setup.spec.players), answer_lines_number(words[2])
        answered = yield from self._ask(seat, tuple(self._said_to.pop(seat, ())), answer_lines)
        if seat not in self._failed:
            return "" if answered is None else f"{answer_for(self._setup.program, answered[0].line or '')}\n"
        if self._setup.spec.players == 2:
            return None
        if (wrong_move := self._setup.program.fault_line) is None:
            raise GameFault("a bot gave no answer, and this game has no fault line that its referee takes instead")
        return f"{wrong_move}\n" * answer_lines

    def _outcome(self, line: str) -> Outcome:
        """A seat's score is how many seats are below it."""
        groups = line.split()[1:]
        seats = [seat for group in groups for seat in group]
        if sorted(seats) != [str(seat) for seat in range(self._setup.spec.players)]:
            raise RefereeFault(f'the referee says "{shortened(line)}", which does not give each seat one place')
        below = {seat: sum(map(len, groups[number + 1 :])) for number, group in enumerate(groups) for seat in group}
        return self._outcome_by_scores([below[str(seat)] for seat in range(self._setup.spec.players)], ENDED)

    def _outcome_by_scores(self, scores: Sequence[int], reason: str) -> Outcome:
        verdicts = tuple(NO_ANSWER if seat in self._failed else OK for seat in range(self._setup.spec.players))
        return Outcome(tuple(scores), reason, verdicts)


def _text_of(line: bytes) -> str:
    if b"\0" in line:
        raise RefereeFault("the referee said a line with the character NUL in it")
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        words = shortened(line.decode("utf-8", "replace"))
        raise RefereeFault(f'the referee said a line that is not UTF-8: "{words}"') from error


class ProgramReferee(AbstractContextManager["ProgramReferee"]):
    """The referee of one match. Use as a context manager: its process ends with the block."""

    def __init__(self, setup: MatchSetup, sandbox: Sandbox) -> None:
        if setup.program.starts_bots:
            raise UsageFault("this needs a referee that asks, and that of this game starts the bots itself")
        protocol = SdkMatch if setup.program.kind is ProtocolKind.SDK else BrutaltesterMatch
        self._notebook = Notebook(setup.spec.players, keep_views=setup.program.keep_views)
        self._process = process_for(setup, sandbox)
        self._match = protocol(self._process, setup, self._notebook)
        self._evidence: Evidence | None = None

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def ready(self) -> None:
        self._process.ready()

    def conversation(self) -> Conversation:
        """Raises RefereeFault with the evidence, HostBusy where the host kept it from its work."""
        try:
            outcome = yield from self._match.conversation()
            seats, verdicts = self._notebook.asked, outcome.verdicts
            if not seats or (len(seats) < self._notebook.players and all(verdict == OK for verdict in verdicts)):
                self._end()
            self._require_questions()
        except RefereeFault as fault:
            fault.evidence = self._end().text(self._notebook)
            fault.last_seat = self._notebook.last_answer_seat
            raise
        return outcome

    def _require_questions(self) -> None:
        if not self._notebook.asked:
            raise RefereeFault(f"the referee ended the match without a question to a bot{self.notes().last_words()}")

    @property
    def questions(self) -> int:
        return len(self._notebook.questions)

    def notes(self) -> Notes:
        """After a match in which it asked too few, also what it wrote to stderr."""
        complaints = self._evidence.stderr.text if self._evidence else ""
        return self._notebook.notes(f"{self._match.stray}{complaints}"[:MOST_STRAY_CHARS])

    def _end(self) -> Evidence:
        self._evidence = self._evidence or self._process.evidence()
        return self._evidence
