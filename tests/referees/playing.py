"""Leading matches by the protocols without a process: a referee that follows a script, and bots that do."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.bot.clock import Spent
from engine.bot.output import Reply
from engine.conversation import NO_ANSWER, Ask, Outcome
from engine.errors import RefereeFault
from engine.referees.notes import Conversation
from engine.referees.program import ProtocolKind, RefereeProgram

FAILED = Reply(None, Spent(), NO_ANSWER)


@dataclass
class ScriptedChannel:
    """A referee that says one text after each thing that it is sent, in pieces of so many bytes, and then nothing."""

    says: Iterable[str | bytes]
    piece_bytes: int = 1 << 20
    sent: list[bytes] = field(default_factory=list)
    _said: bytes = b""

    def __post_init__(self) -> None:
        self._texts = iter(self.says)

    def send(self, data: bytes) -> None:
        self.sent.append(data)
        text = next(self._texts, b"")
        self._said += text.encode() if isinstance(text, str) else text

    def receive(self, patience_s: float | None = None) -> bytes:
        piece, self._said = self._said[: self.piece_bytes], self._said[self.piece_bytes :]
        if not piece and patience_s is None:
            raise RefereeFault("silent")
        return piece


def a_program(kind: ProtocolKind = ProtocolKind.SDK, **settings: Any) -> RefereeProgram:
    return replace(RefereeProgram(kind, Path("/nowhere"), ("referee",)), **settings)


def led(conversation: Conversation, answer: Callable[[Ask], Reply]) -> tuple[list[Ask], Outcome]:
    """Lead a conversation to its end; return what was asked and how it ended."""
    asks: list[Ask] = []
    try:
        ask = next(conversation)
        while True:
            asks.append(ask)
            ask = conversation.send(answer(ask))
    except StopIteration as end:
        return asks, end.value
