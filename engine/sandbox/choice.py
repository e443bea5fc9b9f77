"""The choice between the tiers: one by its name, or the strongest that works here and keeps what is demanded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache

from engine.boxes import AUTO, BUBBLEWRAP, CGROUP, NESTED, NONE
from engine.errors import ArenaError, HostBusy, SandboxFault, UnknownName
from engine.sandbox.bare import Bare
from engine.sandbox.box import Sandbox
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.cgroups import find_cgroups
from engine.sandbox.guarantees import Demand, demand_of, examine, require

VARIABLE = "LADDER_SANDBOX"

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
    tier = name or os.environ.get(VARIABLE) or AUTO
    if tier == AUTO:
        return strongest(demand_of())
    if tier not in TIERS:
        raise UnknownName.of("sandbox", tier, [AUTO, *TIERS])
    sandbox = TIERS[tier]()
    sandbox.probe()
    return sandbox


@cache
def strongest(demand: Demand) -> Sandbox:
    """Found once per process. Raises what kept the default tier from it, MachineBusy."""
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
    faults: dict[str, ArenaError | None] = dict.fromkeys(CONTAINING)
    for tier in CONTAINING:
        try:
            open_sandbox(tier)
        except ArenaError as fault:
            faults[tier] = fault
    return faults
