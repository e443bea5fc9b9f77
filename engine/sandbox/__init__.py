"""Ways to run untrusted programs, in a dict you can see."""

from __future__ import annotations

from collections.abc import Mapping

from engine.sandbox.box import Sandbox
from engine.sandbox.bubblewrap import Bubblewrap

SANDBOXES: Mapping[str, type[Sandbox]] = {Bubblewrap.name: Bubblewrap}
