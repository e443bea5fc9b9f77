"""The program `ladder`. What it does is in `cli.run`, which takes a moment to import.

Imports inside functions: Ctrl-C is caught before anything else is imported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from engine.interrupts import ending_at_interrupt


def main() -> None:
    """Be the program `ladder`."""
    # With more, numpy takes twice the CPU time for the same work, and from matches that wait for a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # imports leave next to nothing to collect, and to look for it takes a tenth of their time
    with ending_at_interrupt():
        from cli.program import program_for
        from cli.run import run

        program_for(sys.argv[1:])
    gc.enable()
    status = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C finds only Python, which is tidying up
    sys.exit(status)
