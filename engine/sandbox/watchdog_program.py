"""The watchdog: a program that waits for its master to die and then ends what bears the master's mark. See `watch`.

It is started with the mark as its argument and the lifeline as its standard input.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

ALL_IS_WELL = b"."
QUIET_S = 1.0
"""It ends after finding nothing for this long, if we were killed: what had just been started shows up well before."""
PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25
"""Pauses grow by a tenth each, so that what cannot be ended costs little of a core."""
WAYS_TO_END = (("cgroup.kill", b"1"), ("freezer.state", b"THAWED"))
"""What ends a cgroup of version 2 at a blow, and what lets the frozen die in one of version 1."""


def main(mark: str) -> None:
    """Listen until the lifeline ends, then end what bears the mark until nothing comes; nothing can if all is well."""
    lines = b""
    while chunk := os.read(0, 4096):
        lines += chunk
    *roots, last_word = lines.decode().split("\n")
    enough_s = 0 if last_word == ALL_IS_WELL.decode() else QUIET_S
    quiet_since, pause_s = time.monotonic(), PAUSE_S
    while True:
        if any([end_all(mark), remove_groups(roots, mark)]):  # both, as the frozen end only once their group is thawed
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since >= enough_s:
            return
        time.sleep(pause_s)
        pause_s = min(1.1 * pause_s, LONGEST_PAUSE_S)


def end_all(mark: str) -> bool:
    """End whatever bears the mark but ourselves. Return whether there was any."""
    others = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    ended = [end(pid, mark) for pid in others if pid != os.getpid()]
    return any(ended)


def remove_groups(roots: list[str], mark: str) -> bool:
    """Empty and remove the cgroups in these folders whose names begin with the mark. Return whether there was one."""
    groups = [group for root in roots for group in Path(root).glob(f"{mark}*")]
    for group in groups:
        for file, word in WAYS_TO_END:
            with contextlib.suppress(OSError):  # it has no such file
                (group / file).write_bytes(word)
        with contextlib.suppress(OSError):  # it still has processes: it comes again
            for pid in (group / "cgroup.procs").read_text().split():
                if pid != "0":  # one that has just gone, or is in another namespace; to kill, 0 is ourselves
                    os.kill(int(pid), signal.SIGKILL)
            group.rmdir()
    return bool(groups)


def end(pid: int, mark: str) -> bool:
    if not bears(pid, mark):
        return False
    with contextlib.suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            if bears(pid, mark):  # still: the number may have passed to another process before we held it
                signal.pidfd_send_signal(process, signal.SIGKILL)
        finally:
            os.close(process)
    return True


def bears(pid: int, mark: str) -> bool:
    process = Path(f"/proc/{pid}")
    try:
        return any(mark.encode() in (process / name).read_bytes() for name in ("cmdline", "mountinfo"))
    except OSError:
        return False


if __name__ == "__main__":
    main(sys.argv[1])
