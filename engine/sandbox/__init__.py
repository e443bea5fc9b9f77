"""Ways to run untrusted programs, the strongest first, and the choice between them.

The tiers `bubblewrap+cgroup`, `bubblewrap` and `nested` contain whatever a bot does; which of them a machine offers is
found out by trying: a box is made, and attacked from within (see `selftest`). `none` contains nothing and is only
ever used when somebody asks for it by name.

box               what a sandbox is asked to run, and what it gives back
bubblewrap        the three tiers that contain, made by bubblewrap
bare              the tier `none`
guarantees        what each tier guarantees, and who demands it
selftest          attacking ourselves to see whether a guarantee holds
seccomp           the filter of system calls
gate              a program waits in its box until it is let go
rlimits           the limits that the kernel keeps for each program
cgroups           control groups: the kernel's account of a whole box
usage             what a program uses: time, waits, memory, cores
pipes             the pipes between us and a box
copying           a small folder put into a box as a copy
run_to_end        running compilers and probes to their end
starter           the thread that starts boxes
bot_accounts      an account for each box that lives
as_bot_user       a moment in which one thread has such an account
watchdog          cleans up if we are killed while we build a box
watchdog_program  the program that does it
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache

from engine.boxes.tiers import AUTO, BUBBLEWRAP, CGROUP, NESTED, NONE
from engine.errors import ArenaError, HostBusy, SandboxFault, UnknownName
from engine.sandbox.bare import Bare
from engine.sandbox.box import Sandbox
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.cgroups.find import find_cgroups
from engine.sandbox.guarantees import Demand, demand_of, require
from engine.sandbox.selftest.examine import examine

VARIABLE = "LADDER_SANDBOX"
"""Which tier to use: one by its name, or `auto`, the default: the strongest that works here."""

CONTAINING: Mapping[str, Callable[[], Sandbox]] = {
    CGROUP: lambda: Bubblewrap(CGROUP, cgroups=find_cgroups()),
    BUBBLEWRAP: Bubblewrap,
    NESTED: lambda: Bubblewrap(NESTED, nested=True),
}
TIERS: Mapping[str, Callable[[], Sandbox]] = {**CONTAINING, NONE: Bare}


def open_sandbox(name: str | None = None) -> Sandbox:
    """Return a sandbox of that tier; without a name of the one that LADDER_SANDBOX names; `auto` is the strongest here.

    A tier that is named only has to work; for `auto` the guarantees that LADDER_GUARANTEES demands have to hold too.
    Raises UnknownName, MissingTool or SandboxFault where the machine does not offer it, Refused where guarantees fail.
    """
    wanted = name or os.environ.get(VARIABLE) or AUTO
    if wanted == AUTO:
        return strongest(demand_of())
    if wanted not in TIERS:
        raise UnknownName.of("sandbox", wanted, [AUTO, *TIERS])
    sandbox = TIERS[wanted]()
    sandbox.probe()
    return sandbox


@cache
def strongest(demand: Demand) -> Sandbox:
    """Return the strongest tier that works here and keeps what is demanded, found once per process.

    Raises what kept the default tier from it, MachineBusy where a stronger one could not be tried.
    """
    faults: dict[str, ArenaError] = {}
    for tier in CONTAINING:
        try:
            sandbox = open_sandbox(tier)
            require(tier, examine(sandbox), demand)
        except HostBusy:
            raise  # nothing is known of this tier, so a weaker one is not to take its place
        except ArenaError as fault:
            faults[tier] = fault
        else:
            return sandbox
    raise faults.get(BUBBLEWRAP) or SandboxFault("no sandbox works here")


def offered() -> dict[str, ArenaError | None]:
    """Try every tier that contains; return for each why it does not work here, or None where it does."""
    found: dict[str, ArenaError | None] = {}
    for tier in CONTAINING:
        try:
            open_sandbox(tier)
        except ArenaError as fault:
            found[tier] = fault
        else:
            found[tier] = None
    return found
