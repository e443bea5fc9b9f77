"""A match that is led by a referee program: its process, its protocol and its notes together."""

from __future__ import annotations

from engine.errors import RefereeFault, UsageFault
from engine.referees.answers import Conversation
from engine.referees.brutaltester import BrutaltesterMatch
from engine.referees.channel import Channel
from engine.referees.jvm.starting import process_for
from engine.referees.notes import Notebook, Notes
from engine.referees.program import ProtocolKind
from engine.referees.sdk import SdkMatch
from engine.referees.setup import MatchSetup
from engine.sandbox.box import Sandbox


class ProgramReferee:
    """The referee of one match. Use as a context manager: its process ends with the block."""

    def __init__(self, setup: MatchSetup, rules_level: int, sandbox: Sandbox) -> None:
        """Begin to build its box. Raises SandboxFault, MissingTool; UsageFault for a kind that asks no questions."""
        self._notebook = Notebook(setup.players, keep_views=setup.program.keep_views)
        self._process = process_for(setup, rules_level, sandbox)
        self._match = match_by(self._process, setup, self._notebook)

    def __enter__(self) -> ProgramReferee:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def ready(self) -> None:
        """Wait until its box is built. Raises SandboxFault."""
        self._process.ready()

    def conversation(self) -> Conversation:
        """Lead the match. Raises RefereeFault with the evidence, HostBusy where the host kept it from its work."""
        try:
            return (yield from self._match.conversation())
        except RefereeFault as fault:
            fault.evidence = self._process.evidence().text(self._notebook)
            fault.last_seat = self._notebook.last_answer_seat
            raise

    @property
    def questions(self) -> int:
        """How many it has asked so far, those included that no bot hears."""
        return len(self._notebook.questions)

    def notes(self) -> Notes:
        """Return what it said besides."""
        return self._notebook.written(self._match.stray)


def match_by(channel: Channel, setup: MatchSetup, notebook: Notebook) -> SdkMatch | BrutaltesterMatch:
    """Return a match by the protocol of its referee program. Raises UsageFault for one that has none."""
    if setup.program.kind is ProtocolKind.SDK:
        return SdkMatch(channel, setup, notebook)
    if setup.program.kind is ProtocolKind.BRUTALTESTER:
        return BrutaltesterMatch(channel, setup, notebook)
    raise UsageFault("this needs a referee that asks, and that of this game starts the bots itself")
