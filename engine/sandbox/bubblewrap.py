"""Bots in boxes made by bubblewrap: own namespaces, read-only system, resource limits, an ordinary user's uid.

How this works. For every program we start `bwrap`, which builds the box, starts the program as process 1 of a process
namespace of its own, and stays as its *monitor* to reap it. When process 1 dies the kernel ends everything else in that
namespace, so killing one process leaves nothing behind; `--die-with-parent` does the same when we are killed.

The monitor reports to us over a pipe (`--json-status-fd`): first, before the box is built, the program's pid in our
view; and at the end its exit code, *but only if the box had been finished and the program was started*. That is how a
fault of ours (no exit code) and an end of the bot (an exit code) are told apart without guessing from words.

Four things look odd and are needed:

- As root, bwrap itself is started under an ordinary uid. Dropping inside is not enough (see `bot_user.bot_uid`). We let
  `setpriv` drop, as Python would have to copy its own process to do so: 12 ms with 200 MB in use, against 1 ms.
- The monitor gets a session of its own, or Ctrl-C in our terminal would end every bot before we could decide to.
- The limits are set by `prlimit` inside the box, which then becomes the program: set outside, the limit on processes
  would count those of all boxes together.
- The monitor holds copies of the bot's pipes, so a bot that closes its end is not seen as end-of-file by us; watch the
  `pidfd` as well, which becomes readable when the bot ends.

The kernel ties `--die-with-parent` to the *thread* that started the monitor: start bots from one that outlives them.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

from engine.errors import MissingTool, SandboxFault
from engine.sandbox.bot_user import bot_uid
from engine.sandbox.box import Box, Limits
from engine.sandbox.inside import BOT_FOLDER, OUT_FOLDER, PATH_INSIDE

SCRATCH_MB = 512
MEGABYTE = 1024 * 1024
PATIENCE_S = 10.0

PRLIMIT = "/usr/bin/prlimit"
SETPRIV = "/usr/bin/setpriv"
SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64")
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
ADVICE = (
    "bubblewrap needs unprivileged user namespaces: see 'sysctl kernel.unprivileged_userns_clone "
    "user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns'; in a container, its security profiles"
)


class Bubblewrap:
    """The sandbox that needs no privileges: one Debian package, no daemon, no cgroup."""

    name: str = "bubblewrap"

    def probe(self) -> None:
        """Run a trivial program in a box. Raises MissingTool or SandboxFault with what to do about it."""
        try:
            process = self.start(Box(command=("true",), folder=Path("/usr")))
            try:
                _readable(process.pidfd, PATIENCE_S)
                code = process.exit_code()
            finally:
                process.kill()
        except SandboxFault as fault:
            raise SandboxFault(f"{fault} ({ADVICE})") from fault
        if code != 0:
            raise SandboxFault(f"a trivial program in the sandbox ended with {code}, not with 0 ({ADVICE})")

    def start(self, box: Box) -> BubblewrapProcess:
        """Start the program; it may still be on its way into the box when this returns.

        Raises MissingTool without bubblewrap, and SandboxFault where the box cannot be begun. A box that turns out bad
        while it is built (a folder that the bots' account cannot reach) raises SandboxFault in `exit_code()`.
        """
        process = BubblewrapProcess(*_start_monitor(box))
        try:
            process.greet()
        except BaseException:
            process.kill()
            raise
        return process


class BubblewrapProcess:
    """A program in its box, and the monitor that keeps it. See `BoxedProcess`."""

    def __init__(self, monitor: subprocess.Popen[bytes], pipes: _Pipes) -> None:
        self._monitor = monitor
        self.stdin, self.stdout, self.stderr, self._status = pipes.near
        self.pid = -1
        self.pidfd = -1
        self._reports = b""
        self._gone = False
        self._killed = False
        self._exit_code: int | None = None
        self._fault: str | None = None

    def greet(self) -> None:
        """Learn the program's pid and take hold of it. Raises SandboxFault where there is none."""
        while b"\n" not in self._reports:
            if not self._hear_more():
                self._reap()
                raise SandboxFault(self._fault or "bubblewrap started nothing")
        self.pid = json.loads(self._reports.splitlines()[0])["child-pid"]
        try:
            self.pidfd = os.pidfd_open(self.pid)
        except ProcessLookupError:  # over already; the monitor, still ours to reap, stands in for it
            self._gone = True
            self.pidfd = os.pidfd_open(self._monitor.pid)

    def kill(self) -> None:
        """End the program and all it started, reap it and close the descriptors. Safe to call again."""
        if self._status < 0:
            return
        if self._exit_code is None and self._fault is None:
            self._strike()
            self._reap()
        for descriptor in (self.stdin, self.stdout, self.stderr, self._status, self.pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = self.stderr = self._status = self.pidfd = -1

    def exit_code(self) -> int | None:
        """Return how the program ended (negative: killed by that signal), or None while it runs.

        A command that is not there ends with 127, one that cannot be run with 126, as in a shell. Raises SandboxFault
        where the program was never started, because the box could not be built.
        """
        if self._exit_code is None and self._fault is None:
            if not _readable(self.pidfd, 0):
                return None
            self._reap()
        if self._fault is not None:
            raise SandboxFault(self._fault)
        return self._exit_code

    def _strike(self) -> None:
        """Send SIGKILL to the program; to the monitor where the program is not known."""
        if self.pidfd < 0:
            self._monitor.kill()
        elif not self._gone and not _readable(self.pidfd, 0):
            self._killed = True
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def _reap(self) -> None:
        """Wait for the monitor of a program that is over, and settle how it ended."""
        while self._hear_more():
            pass
        code = self._monitor.wait()
        for report in self._reports.splitlines():
            reported = json.loads(report).get("exit-code")
            if reported is not None:
                self._exit_code = 128 - reported if reported > 128 else reported
                return
        if self._killed and code in {128 + signal.SIGKILL, -signal.SIGKILL}:
            self._exit_code = -signal.SIGKILL
        else:
            words = _read_now(self.stderr, 4096).decode(errors="replace").strip()
            self._fault = (
                f"the sandbox could not be built: bwrap ended with {code}; {words or 'its words were read before'}"
            )

    def _hear_more(self) -> bool:
        """Take in what the monitor reports next; False once it is gone. One that hangs is ended."""
        if not _readable(self._status, PATIENCE_S):
            self._monitor.kill()
            return False
        report = _read_now(self._status, 4096)
        self._reports += report
        return report != b""


class _Pipes:
    """The pipes stdin, stdout, stderr and status of one program: `near` are our ends, `far` its monitor's.

    Python makes descriptors close-on-exec, so no other bot inherits them; our ends are non-blocking.
    """

    def __init__(self) -> None:
        self.near: list[int] = []
        self.far: list[int] = []
        try:
            for we_read in (False, True, True, True):
                reading, writing = os.pipe()
                self.near.append(reading if we_read else writing)
                self.far.append(writing if we_read else reading)
                os.set_blocking(self.near[-1], False)
        except OSError:
            self.close(self.near)
            self.close(self.far)
            raise

    @staticmethod
    def close(ends: list[int]) -> None:
        """Close these ends."""
        for end in ends:
            os.close(end)


def _start_monitor(box: Box) -> tuple[subprocess.Popen[bytes], _Pipes]:
    """Start bwrap for `box`, under the bots' account. Raises SandboxFault, MissingTool."""
    launcher = [*_dropped_to(bot_uid()), _bwrap(), *_namespaces(), *_file_system(box), *_environment(box)]
    try:
        pipes = _Pipes()
        try:
            stdin, stdout, stderr, status = pipes.far
            monitor = subprocess.Popen(
                [*launcher, "--as-pid-1", "--json-status-fd", str(status), "--", *_limits(box.limits), *box.command],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=(status,),
                start_new_session=True,
                cwd="/",
                env={},
            )
        except BaseException:
            pipes.close(pipes.near)
            raise
        finally:
            pipes.close(pipes.far)
    except (OSError, ValueError) as error:  # ValueError: a NUL in a command or path
        raise SandboxFault(f"bubblewrap could not be started: {error}") from error
    return monitor, pipes


def _bwrap() -> str:
    """Return where bubblewrap is. Raises MissingTool for it and for the helpers it needs."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise MissingTool("bubblewrap is not installed; on Debian and Ubuntu: sudo apt install bubblewrap")
    for helper in (PRLIMIT, SETPRIV):
        if not Path(helper).exists():
            raise MissingTool(f"{helper} is not there; on Debian and Ubuntu: sudo apt install util-linux")
    return bwrap


def _dropped_to(uid: int | None) -> list[str]:
    """The command that gives up root for the account `uid`, for good; nothing where we are an ordinary user."""
    if uid is None:
        return []
    return [SETPRIV, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


@cache
def _namespaces() -> tuple[str, ...]:
    """What every box is cut off from, and the part of the system it sees."""
    arguments = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"]
    arguments += ["--uid", "1000", "--gid", "1000", "--hostname", "bot", "--cap-drop", "ALL", "--disable-userns"]
    arguments += ["--ro-bind", "/usr", "/usr"]
    for name in SYSTEM_FOLDERS:
        folder = Path("/", name)
        if folder.is_symlink():
            arguments += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            arguments += ["--ro-bind", str(folder), str(folder)]
    for file in SYSTEM_FILES:
        arguments += ["--ro-bind-try", file, file]
    return (*arguments, "--proc", "/proc", "--dev", "/dev")


def _file_system(box: Box) -> list[str]:
    """The folders of this box, after which its root and /dev are sealed."""
    arguments = ["--ro-bind", str(box.folder), BOT_FOLDER, "--chdir", BOT_FOLDER]
    if box.writable is not None:
        arguments += ["--bind", str(box.writable), OUT_FOLDER]
        arguments += ["--size", str(SCRATCH_MB * MEGABYTE), "--tmpfs", "/tmp"]  # noqa: S108 - the box's own /tmp
    for path in box.extra_paths:  # last, as they may lie below what is mounted above
        arguments += ["--ro-bind", str(path), str(path)]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/"]


def _environment(box: Box) -> list[str]:
    """All of the program's environment."""
    variables = {"PATH": PATH_INSIDE, "HOME": BOT_FOLDER, "LANG": "C.UTF-8", **box.environment}
    return [argument for name, value in variables.items() for argument in ("--setenv", name, value)]


def _limits(limits: Limits) -> list[str]:
    """The command that sets the limits and becomes the program. Memory is private writable memory (RLIMIT_DATA)."""
    return [
        PRLIMIT,
        "--core=0",
        f"--nofile={limits.open_files}",
        f"--nproc={limits.threads}",
        f"--data={limits.memory_mb * MEGABYTE}",
        f"--fsize={limits.file_size_mb * MEGABYTE}",
        "--",
    ]


def _readable(descriptor: int, timeout_s: float) -> bool:
    """Say whether `descriptor` has something to read, or has ended, waiting up to `timeout_s`."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def _read_now(descriptor: int, most_bytes: int) -> bytes:
    """Read what is there; nothing at the end, or where nothing is there."""
    try:
        return os.read(descriptor, most_bytes)
    except BlockingIOError:
        return b""
