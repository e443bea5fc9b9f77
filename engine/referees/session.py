"""A match that is led by a referee program: its process, its protocol and its notes together."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from engine.conversation import OK, Outcome
from engine.errors import RefereeFault, UsageFault
from engine.referees.brutaltester import MOST_STRAY_CHARS, BrutaltesterMatch
from engine.referees.jvm import process_for
from engine.referees.notes import Conversation, MatchSetup, Notebook, Notes
from engine.referees.process import Evidence
from engine.referees.program import ProtocolKind
from engine.referees.sdk import SdkMatch
from engine.sandbox.box import Sandbox

PROTOCOLS: Mapping[ProtocolKind, type[SdkMatch] | type[BrutaltesterMatch]] = {
    ProtocolKind.SDK: SdkMatch,
    ProtocolKind.BRUTALTESTER: BrutaltesterMatch,
}


class ProgramReferee(AbstractContextManager["ProgramReferee"]):
    """The referee of one match. Use as a context manager: its process ends with the block."""

    def __init__(self, setup: MatchSetup, rules_level: int, sandbox: Sandbox) -> None:
        protocol = PROTOCOLS.get(setup.program.kind)
        if protocol is None:
            raise UsageFault("this needs a referee that asks, and that of this game starts the bots itself")
        self._notebook = Notebook(setup.players, keep_views=setup.program.keep_views)
        self._process = process_for(setup, rules_level, sandbox)
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
            self._require_questions(outcome)
        except RefereeFault as fault:
            fault.evidence = self._end().text(self._notebook)
            fault.last_seat = self._notebook.last_answer_seat
            raise
        return outcome

    @property
    def questions(self) -> int:
        return len(self._notebook.questions)

    def notes(self) -> Notes:
        """After a match in which it asked too few, also what it wrote to stderr."""
        complaints = self._evidence.stderr.text if self._evidence else ""
        return self._notebook.written(f"{self._match.stray}{complaints}"[:MOST_STRAY_CHARS])

    def _require_questions(self, outcome: Outcome) -> None:
        asked = self._notebook.asked
        if not asked or (len(asked) < self._notebook.players and all(one == OK for one in outcome.verdicts)):
            self._end()
        if not asked:
            raise RefereeFault(f"the referee ended the match without a question to a bot{self.notes().last_words()}")

    def _end(self) -> Evidence:
        self._evidence = self._evidence or self._process.evidence()
        return self._evidence
