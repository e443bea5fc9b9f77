"""Ways to run untrusted programs, in a dict you can see."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.errors import UnknownName
from engine.sandbox.box import Sandbox
from engine.sandbox.bubblewrap import Bubblewrap

SANDBOXES: Mapping[str, Callable[[], Sandbox]] = {Bubblewrap.name: Bubblewrap}
DEFAULT = Bubblewrap.name


def open_sandbox(name: str = DEFAULT) -> Sandbox:
    """Return the sandbox of that name. Raises UnknownName."""
    if name not in SANDBOXES:
        raise UnknownName.of("sandbox", name, SANDBOXES)
    return SANDBOXES[name]()
