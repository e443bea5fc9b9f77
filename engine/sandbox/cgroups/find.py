"""Which kind of control groups this process may use."""

from __future__ import annotations

from engine.errors import SandboxFault, plain_words
from engine.sandbox.cgroups.common import (
    CgroupMaker,
)
from engine.sandbox.cgroups.v1 import V1Maker, v1_roots
from engine.sandbox.cgroups.v2 import V2Maker, v2_root


def find_cgroups() -> CgroupMaker:
    """Return what makes groups here: version 2 where it is handed to us, else version 1. Raises SandboxFault."""
    try:
        return V2Maker(v2_root())
    except (OSError, SandboxFault) as no_v2:
        try:
            return V1Maker(v1_roots())
        except (OSError, SandboxFault) as no_v1:
            raise SandboxFault(f"no cgroup can be used here: {plain_words(no_v2)}; {plain_words(no_v1)}") from no_v1
