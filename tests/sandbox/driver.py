"""A process that runs programs in the sandbox and tells what happened: the parent of the bots in these tests.

It reads a request from stdin, one line of JSON. Asked to be an ordinary user it becomes one *after* its imports, since
that user may not be able to read our own files. `run` lets a program run to its end and reports it; `hold` starts
programs, reports their pids, and then obeys one word per line from stdin: `kill`, `ask`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import ArenaError
from engine.sandbox import open_sandbox
from engine.sandbox.box import Box, BoxedProcess, Limits
from engine.sandbox.run_to_end import run_to_end

ORDINARY_UID = 4242


def main() -> None:
    """Do what the request says."""
    request: dict[str, Any] = json.loads(sys.stdin.readline())
    if request["drop"]:
        os.setgroups([])
        os.setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
        os.setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
    elif os.geteuid() == 0:
        os.setgroups([0, ORDINARY_UID])
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which our children would inherit
    box = Box(
        command=tuple(request["command"]),
        folder=Path(request["folder"]),
        limits=Limits(**request["limits"]),
        writable=Path(request["writable"]) if request["writable"] else None,
        extra_paths=tuple(Path(path) for path in request["extra_paths"]),
        environment=request["environment"],
    )
    try:
        if request["count"]:
            hold([open_sandbox().start(box) for _ in range(request["count"])])
        else:
            run(box, request)
    except ArenaError as error:
        say({"error": type(error).__name__, "message": str(error)})


def run(box: Box, request: dict[str, Any]) -> None:
    """Run the box to its end as often as asked and report the last time, and how many descriptors were left open."""
    stdin = request["stdin"].encode("latin-1")
    sandbox = open_sandbox()
    before = open_descriptors()
    ended = [
        run_to_end(sandbox, box, stdin, wall_limit_s=request["wall_limit_s"], output_kb=request["output_kb"])
        for _ in range(request["times"])
    ]
    report = asdict(ended[-1])
    for stream in ("stdout", "stderr"):
        report[stream] = report[stream].decode("latin-1")
    say({"finished": report, "descriptors_left": open_descriptors() - before})


def open_descriptors() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def hold(processes: list[BoxedProcess]) -> None:
    """Report the pids and obey; end of stdin ends us without any cleaning up."""
    say({"pids": [process.pid for process in processes]})
    for order in sys.stdin:
        if order.strip() == "kill":
            for process in processes:
                process.kill()
                process.kill()
            say({"exit_codes": [process.exit_code() for process in processes]})
        else:
            say({"answers": [ask(process) for process in processes]})


def ask(process: BoxedProcess) -> str:
    """Send a line and return the next one, or nothing where none comes."""
    os.write(process.stdin, b"ping\n")
    ready, _, _ = select.select([process.stdout], [], [], 20)
    return os.read(process.stdout, 4096).decode() if ready else ""


def say(report: dict[str, Any]) -> None:
    """Write one line of JSON."""
    print(json.dumps(report), flush=True)  # noqa: T201 - this is how it reports


if __name__ == "__main__":
    main()
