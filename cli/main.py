"""The program `ladder`. What it does is in `cli.run`, which takes a moment to import."""

import codecs
import gc
import io
import os
import signal
import sys

import cli
from engine.interrupts import ending_at_interrupt

MANY_OBJECTS = 250_000
"""So many new ones there are before Python looks for garbage. Imports make up to a hundred thousand and leave next to
nothing to collect, and to look for it takes a tenth of their time."""


def open_streams() -> None:
    """Let results for a closed stream, as by `>&-`, go nowhere; write what an encoding lacks as JSON does."""
    codecs.register_error("escaped", escaped)
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
            os.set_inheritable(descriptor, True)  # noqa: FBT003 - it has no names
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="escaped")


def escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


def main() -> None:
    open_streams()
    # With more, numpy takes twice the CPU time for the same work, and from matches that wait for a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(MANY_OBJECTS)
    with ending_at_interrupt():
        run = cli.run.run  # Ctrl-C is heard before anything else is imported
        cli.drivers.import_them_quickly()
        cli.program.assembly.program_for(sys.argv[1:])
    status = run(sys.argv[1:])
    gc.freeze()  # or Python looks through everything once more at its end
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C finds only Python, which is tidying up
    sys.exit(status)
