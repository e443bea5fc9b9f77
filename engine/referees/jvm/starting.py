"""How the referee program of a match is started here: as its game says, as a class of a jar, or in a JVM that runs."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from engine.errors import MissingTool, SandboxFault
from engine.referees.java import JarStart
from engine.referees.jvm.class_data import FirstMatch, with_class_data
from engine.referees.jvm.launcher import with_launcher
from engine.referees.jvm.reused import Jvm, jvm_for
from engine.referees.process import RefereeProcess, box_of, start_of
from engine.referees.program import RefereeProgram, Reuse
from engine.referees.setup import MatchSetup
from engine.sandbox.box import Sandbox


def process_for(setup: MatchSetup, rules_level: int, sandbox: Sandbox) -> RefereeProcess | Jvm:
    """Begin to build the box of a match's referee, or take one that waits.

    Raises SandboxFault, and MissingTool where what the referee needs is not here.
    """
    program = setup.program
    start = start_of(program, rules_level)
    if start is None:
        return RefereeProcess(sandbox, box_of(program), program.bounds)
    if program.reuse is Reuse.LOADER:
        purpose = (sandbox.name, program, start)
        with suppress(MissingTool, SandboxFault):  # without a compiler each match has a JVM of its own
            return jvm_for(partial(with_word, sandbox, program, start), purpose)
    box = box_of(program, start)
    first_match = FirstMatch(setup.players, setup.given)
    return RefereeProcess(sandbox, with_class_data(box, start, sandbox, first_match), program.bounds)


def with_word(sandbox: Sandbox, program: RefereeProgram, start: JarStart, word: str) -> RefereeProcess:
    """Begin to build the box of a JVM for many matches."""
    return RefereeProcess(sandbox, with_launcher(box_of(program, start), start, word), program.bounds)
