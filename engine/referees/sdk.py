"""The protocol of CodinGame's SDK: the referee asks in blocks, and we answer for the bots.

How this works. The referee starts no bot and has no clock. It is given `INIT`, and `GET_GAME_INFO` before each
question; each is answered by `SET_PLAYER_OUTPUT` or `SET_PLAYER_TIMEOUT`. A question without answer lines is answered
at once, and its lines are put before the next question to that seat. A seat that has failed is asked no more.

Some referees say `MONITORING` before they first ask. From then on they want to know how many milliseconds an answer
took, in one more line before it, and their limits are 50 ms above the true ones, for they count strikes themselves;
those that give time by a bank say the true limit. What is reported is what the bot is charged. Under the policy
`strict` a bot over its limit has failed, so nothing above the limit is reported. Under `codingame` the referee learns
of the overrun, and the bot fails only beyond the grace.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from functools import lru_cache

from engine.bot.clock import GRACE_MS
from engine.bot.reply import Reply
from engine.conversation import NO_ANSWER, OK, Ask, Outcome, SeatVerdict, Verdict
from engine.errors import RefereeFault
from engine.referees.blocks import FAIL, INPUT, QUESTION, SCORES, Block, BlockReader, Step, block_of
from engine.referees.notes import (
    MOST_LIMIT_MS,
    SCORES_BELOW,
    Conversation,
    MatchSetup,
    Notebook,
    ProtocolMatch,
    RefereeChannel,
    answer_for,
    answer_lines_number,
    seat_number,
    whole_number,
)
from engine.text import shortened

GET_GAME_INFO = block_of("GET_GAME_INFO")
TIMEOUT = block_of("SET_PLAYER_TIMEOUT") + GET_GAME_INFO
SILENCE_S = 2.0
"""A referee that says nothing for so long has said all that it wants to say, where a block may have been too short."""
AFTER_END_S = 0.05
"""For so long a referee that has said the scores may end, or show that it did not mean it."""
MOST_CHUNKS_AFTER_END = 16
OLDER = re.compile(r"^###(?:Input|Output) [^\n]*", re.MULTILINE)
END = "end"
"""How a match is said to have ended that no fault ended: the protocol has no word for it."""


class SdkMatch(ProtocolMatch):
    def __init__(self, channel: RefereeChannel, setup: MatchSetup, notebook: Notebook) -> None:
        super().__init__(channel, setup, notebook)
        self._reader = BlockReader()

    @property
    def stray(self) -> str:
        return self._reader.stray

    def conversation(self) -> Conversation:
        self._setup.require_seed_in_range()
        given = [f"{key}={value}" for key, value in self._setup.given.items()]
        self._channel.send(block_of("INIT", [str(self._setup.players), *given]) + GET_GAME_INFO)
        while True:
            step = self._next_step()
            self._notebook.take(step)
            if step.last.name == SCORES:
                self._require_end()
                return self._outcome(step.last)
            answer = yield from self._answered(step)
            self._channel.send(answer)

    def _next_step(self) -> Step:
        step = self._reader.take()
        while step is None:
            chunk = self._channel.receive(SILENCE_S if self._reader.is_unsure else None)
            if chunk:
                self._reader.feed(chunk)
            step = self._reader.take() if chunk else self._reader.silence()
            self._require_blocks()
        if step.last.name == FAIL:
            raise RefereeFault(f"the referee says that it broke: {shortened(' '.join(step.last.lines[:2]))}")
        return step

    def _require_blocks(self) -> None:
        """Else, of a referee that begins by the older protocol, nothing more would come."""
        if not self._notebook.questions and (found := OLDER.search(self._reader.stray)):
            raise RefereeFault(f'the referee says "{found[0]}": it speaks the older protocol, of the kind brutaltester')

    def _answered(self, step: Step) -> Generator[Ask, Reply, bytes]:
        """Ask where a bot is to answer, and return what the referee is sent."""
        seat, answer_lines, own_limit_ms = self._question(step.last)
        block = step.find(INPUT)
        asked = yield from self._ask(seat, block.lines if block else (), answer_lines, own_limit_ms)
        if seat in self._failed:
            return TIMEOUT
        if asked is None:
            return self._output([], 0)
        reply, limit_ms = asked
        answer = answer_for(self._setup.program, reply.line or "")
        took_ms = self._report_ms(reply, limit_ms, own_limit_ms) if self._notebook.is_monitored else 0
        return self._output(answer.split("\n"), took_ms)

    def _question(self, block: Block) -> tuple[int, int, int]:
        self._require_few_questions()
        seat, answer_lines, limit_ms = question_of(block.lines, self._setup.players)
        if self._notebook.is_monitored and not self._setup.program.has_time_bank:
            limit_ms = max(1, limit_ms - GRACE_MS)
        return seat, answer_lines, limit_ms

    def _output(self, answer: list[str], took_ms: int) -> bytes:
        lines = [str(took_ms), *answer] if self._notebook.is_monitored else answer
        return block_of("SET_PLAYER_OUTPUT", lines) + GET_GAME_INFO

    def _report_ms(self, reply: Reply, limit_ms: int, own_limit_ms: int) -> int:
        """Its own limit, and what the bot was over ours."""
        rule = self._setup.time
        counted_us = reply.spent.counted_us(rule.clock)
        if not rule.is_overrun(reply.spent, limit_ms):
            return min(counted_us // 1000, own_limit_ms)
        return own_limit_ms - (1000 * limit_ms - counted_us) // 1000  # rounded up: an overrun is one for it, too

    def _require_end(self) -> None:
        for _ in range(MOST_CHUNKS_AFTER_END):
            chunk = self._channel.receive(AFTER_END_S)
            if not chunk:
                break
            self._reader.feed(chunk)
        if self._reader.take() is not None or self._reader.has_begun:
            raise RefereeFault(f"the referee goes on after its {SCORES}")

    def _outcome(self, block: Block) -> Outcome:
        scores: dict[int, int] = {}
        for line in block.lines:
            seat_word, _, score_word = line.strip().partition(" ")
            seat, score = seat_number(seat_word, self._setup.players), whole_number(score_word.strip(), "a score")
            if seat in scores:
                raise RefereeFault(f"the referee gives two scores to seat {seat}")
            if not -SCORES_BELOW <= score < SCORES_BELOW:
                raise RefereeFault(f"the referee gives seat {seat} a score of {score}, which is too large")
            scores[seat] = score
        if len(scores) != self._setup.players:
            raise RefereeFault(f"the referee gives scores to {len(scores)} of {self._setup.players} seats")
        verdicts = tuple(self._verdict(seat, scores[seat]) for seat in range(self._setup.players))
        ended_by_fault = self._setup.players == 2 and self._failed
        return Outcome(
            tuple(scores[seat] for seat in range(self._setup.players)),
            NO_ANSWER.verdict.value if ended_by_fault else END,
            verdicts,
        )

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
