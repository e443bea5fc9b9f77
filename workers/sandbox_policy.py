"""Which sandbox a worker may use that runs the bots of others, and what it refuses to do.

A worker serves a queue that anybody may have put bots into. So it starts only where the guarantees that
LADDER_GUARANTEES demands hold on this machine, and never without a sandbox. The one exception is a worker that runs
nothing but the bots that ship with Ladder (LADDER_HOUSE_BOTS_ONLY=1): it may use any sandbox, and none. `ladder demo`
starts such workers where a machine offers no better. The variable opens nothing to anybody else's bots, wherever it is
set: `require_house_bot` compares each source's hash with those of the shipped ones before it is built or run.

A machine on which no box can be made stays like that until somebody changes it. So to a worker that is no fault, after
which its service manager should start it again, but a reason to refuse. One that is too busy to try its sandbox does
not stay so: that ends a worker with a status of its own (`MachineBusy`), after which it is started again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from engine.boxes import AUTO, NONE
from engine.errors import ArenaError, BuildRefused, HostBusy, Refused, SandboxFault
from engine.games.catalogue import shipped_games
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import CONTAINING, open_sandbox
from engine.sandbox.choice import VARIABLE as SANDBOX_VARIABLE
from engine.sandbox.guarantees import demand_of, require
from engine.sandbox.selftest.examine import examine
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.languages import languages
from engine.workspace import open_workspace

HOUSE_BOTS_VARIABLE = "LADDER_HOUSE_BOTS_ONLY"


def house_bots_only() -> bool:
    """Say whether this process may run nothing but the bots that ship with Ladder."""
    return os.environ.get(HOUSE_BOTS_VARIABLE, "") not in {"", "0"}


@cache
def serving_sandbox() -> Sandbox:
    """Return the sandbox in which this process, and those that it forks, run the bots of others.

    Raises MachineBusy where it cannot be tried now, Refused where none works here, or the tier that LADDER_SANDBOX
    names does not keep what is demanded,
    UnknownName for an unknown tier, MissingTool where a program is not installed, and UsageFault where the
    cache folder, in which bots are built, or the table of languages cannot be used.
    """
    languages()
    open_workspace()
    if house_bots_only():
        return working_sandbox()
    if os.environ.get(SANDBOX_VARIABLE) == NONE:
        raise Refused(
            f"workers run the bots of others, and {SANDBOX_VARIABLE}={NONE} keeps them from nothing: "
            f"unset it, or set it to {AUTO}. `ladder doctor` says what this machine offers"
        )
    sandbox = working_sandbox()
    if os.environ.get(SANDBOX_VARIABLE, AUTO) not in {"", AUTO}:  # `auto` has been examined already
        with refusing_faults():
            findings = examine(sandbox)
        require(sandbox.name, findings, demand_of())
    return sandbox


def working_sandbox(tier: str | None = None) -> Sandbox:
    """Return what `open_sandbox` returns. Raises Refused where it raises SandboxFault."""
    with refusing_faults():
        return open_sandbox(tier)


@contextmanager
def refusing_faults() -> Iterator[None]:
    """Raise Refused in the place of a SandboxFault, but for MachineBusy."""
    try:
        yield
    except HostBusy:
        raise  # it may work when it is tried again
    except SandboxFault as fault:
        raise Refused(
            f"workers do not start without a sandbox: {fault}. `ladder doctor` says what would help"
        ) from fault


def sandbox_for_house_bots() -> Sandbox:
    """Return what there is for bots that we wrote ourselves: a sandbox that works, whatever it guarantees, else none.

    A tier that LADDER_SANDBOX names is taken as it is. Raises MissingTool or Refused where it does not work, or not
    even `none` can be had.
    """
    named = os.environ.get(SANDBOX_VARIABLE) or AUTO
    for tier in [*CONTAINING, NONE] if named == AUTO else [named]:
        try:
            return working_sandbox(tier)
        except ArenaError:
            if tier in {named, NONE}:
                raise
    raise AssertionError("the last tier was returned, or raised")


def house_bots_alone(sandbox: Sandbox) -> dict[str, str]:
    """Return the variables for workers that use this sandbox, and run nothing but the bots that ship with Ladder."""
    return {SANDBOX_VARIABLE: sandbox.name, HOUSE_BOTS_VARIABLE: "1"}


def require_house_bot(hash_of_source: str) -> None:
    """Raise BuildRefused where this process may run only the bots that ship with Ladder, and this is none of them."""
    if house_bots_only() and hash_of_source not in shipped_sources():
        raise BuildRefused(f"this worker runs only the bots that ship with Ladder ({HOUSE_BOTS_VARIABLE})")


@cache
def shipped_sources() -> frozenset[str]:
    files = (file for game in shipped_games().all for file in game.bots_folder.iterdir() if file.is_file())
    return frozenset(source_hash(file.read_text("utf-8")) for file in files)
