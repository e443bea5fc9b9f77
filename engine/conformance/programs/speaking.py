"""Whether a referee program speaks the protocol of its game: it is started, and must ask a bot something."""

from __future__ import annotations

from dataclasses import replace

from engine.conformance.programs.matches import Checked
from engine.conformance.programs.ways import WAYS, seeds_of
from engine.errors import RefereeFault
from engine.game import Game
from engine.referees.java import has_referee_main, jar_of
from engine.referees.program import ProtocolKind, RefereeProgram, Reuse
from engine.sandbox.box import Sandbox


def why_silent(game: Game, program: RefereeProgram, sandbox: Sandbox) -> str:
    """Say why a referee asks no bot anything, with any number of players; "" where it does.

    Raises MissingTool, SandboxFault, and HostBusy where the host kept it from its work.
    """
    why = ""
    narrowest = WAYS[program.kind][-1]
    checked = Checked(game, replace(program, reuse=Reuse.NONE, seed_bits=narrowest), (), sandbox)
    for players in game.players:
        try:
            if checked.first_question(seeds_of(narrowest, 1)[0], players) is not None:
                return ""
        except RefereeFault as fault:
            why = why or str(fault)
    return why


def shows_sdk(program: RefereeProgram) -> bool:
    """Say whether a program is a jar with the class of the SDK that speaks `sdk`. Raises UsageFault for no jar."""
    jar = jar_of(program.command)
    return jar is not None and has_referee_main(program.folder / jar)


def is_doubtful(program: RefereeProgram) -> bool:
    """Say whether a program is to speak `sdk`, and is a jar without the SDK's class: those of before it do, too."""
    return program.kind is ProtocolKind.SDK and jar_of(program.command) is not None and not shows_sdk(program)
