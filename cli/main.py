"""The program `ladder`. What it does is in `cli.commands`, which takes a moment to import."""

from __future__ import annotations

import sys

from workers.first_moments import ending_at_ctrl_c


def main() -> None:
    """Be the program `ladder`."""
    with ending_at_ctrl_c():
        from cli.commands import run
    sys.exit(run(sys.argv[1:]))
