"""Bots in boxes made by bubblewrap: own namespaces, read-only system, limits, filtered system calls, an ordinary uid.

How this works. `bwrap` builds the box, starts the program as process 1 of a process namespace, and stays as its
*monitor* to reap it. When process 1 dies the kernel ends all else in that namespace; `--die-with-parent` does the same
when we are killed. Then bwrap waits at the *gate* (see `Gate`) while the limits are set: nothing of a bot runs before
its box is whole, and building it costs the bot no time. Its first turn bears only that the kernel takes the filter and
loads the program, in less than a millisecond. The monitor reports over a pipe (`--json-status-fd`): before the box is
built the program's pid in our view, at the end its exit code. An end before the gate is a fault of ours, one after it
the bot's.

Some things look odd and are needed:

- As root, bwrap itself is started under an ordinary uid; dropping inside is not enough (see `engine.boxes`). Python
  would copy its process for that, 12 ms with 200 MB in use; so the thread that starts bwrap drops for that moment
  (`as_bot_user`).
- From when the box is built until the program is over the monitor is stopped: it would wake up each time the program is
  frozen or let go, 15 us a turn.
- The monitor gets a session of its own, or Ctrl-C in our terminal would end every bot before we could decide to.
- The limits are set when the box is there: set before, the limit on processes would count those of all boxes together.
- The monitor holds copies of the bot's pipes, so a bot that closes its end sends no end-of-file: watch the `pidfd`,
  too.
- /dev is made by hand, without /dev/zero (shared memory that no limit counts) and terminals. null is a link to a device
  named after the watchdog's mark (see `watch`): so the mark is in the command line of what builds the box, and among
  the mounts of what runs in it, where no program can get rid of it.
- For each mount bwrap reads the list of all, 0.1 ms: so /dev is not a file system of its own, and random a link to
  urandom.

The kernel ties `--die-with-parent` to the *thread* that started the monitor: one that outlives all boxes (`starter`).

Root has a range of uids for bots, and each box takes one that no other has: it binds a name with that number in the
kernel's list of abstract sockets, which is atomic among all workers of a machine and ends with its holder. Numbers are
tried in random order, as workers in containers do not see each other's names. Where all are taken, or bots have one
account, boxes share it, and only their own limits bound them. All have one group, which opens the folders of programs.

A small folder is copied into the box's own root, which is in memory, from descriptors (`folder_arguments`): that is no
slower than a mount.

How the gate works. The last thing bwrap does before it becomes the program is to read the filter from a pipe to its
end. The pipe has room for one page, and we fill it: when there is room again the box is whole. The rest, and the end,
comes when the program is to begin, in parts that end in the middle of an instruction: of such a filter bwrap gives up,
so also if we die before.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from engine.boxes import BOT_FOLDER, MEGABYTE, OUT_FOLDER, PATH_INSIDE, bot_uids
from engine.errors import BoxNotBuilt, MissingTool, SandboxFault, plain_words
from engine.sandbox.box import Box, Pipes, read_now, readable
from engine.sandbox.budget import await_readable, await_soon
from engine.sandbox.cgroups import Cgroup, CgroupMaker
from engine.sandbox.meter import Meter, ProcessMeter
from engine.sandbox.seccomp import CallPolicy, compile_filter
from engine.sandbox.standstill import await_standstill
from engine.sandbox.starter import as_bot_user, make_room_for_threads, require_within_ours, set_limits, start_by_starter
from engine.sandbox.watchdog import our_watch
from engine.sandbox.watchdog_program import end_all


class Gate:
    """The filter on its way. `far`: the end that bwrap reads. `is_reached`: whether bwrap has come to the gate."""

    def __init__(self, filter_of_calls: bytes) -> None:
        """Send its first part, which fills the pipe. It is one instruction of 8 bytes at least."""
        self._unsent = filter_of_calls
        self.is_reached = False
        self.far, self._near = os.pipe()
        try:
            os.set_blocking(self._near, False)
            page_bytes = fcntl.fcntl(self._near, fcntl.F_SETPIPE_SZ, 1)  # the least there is
            self._part_bytes = min(page_bytes, len(filter_of_calls)) - 1
            self._send(self._part_bytes)
        except BaseException:
            self.hand_over()
            self.close()
            raise

    def hand_over(self) -> None:
        os.close(self.far)

    def is_decided(self, builder: int, timeout_s: float) -> bool:
        """Say whether it is known by now if bwrap comes to the gate. `builder`: the pidfd of who builds the box."""
        poll = select.poll()
        poll.register(self._near, select.POLLOUT)
        poll.register(builder, select.POLLIN)
        while True:
            if not (woken := dict(poll.poll(timeout_s * 1000))):
                return False
            if woken.get(self._near) != select.POLLOUT:  # the builder alone has woken us, or the reader is gone
                return True
            if len(self._unsent) <= self._part_bytes:
                self.is_reached = True
                return True
            self._send(self._part_bytes)

    def open(self) -> None:
        self._send(len(self._unsent))
        self.close()

    def close(self) -> None:
        """A program that has not begun never will. Safe to call again."""
        if self._near >= 0:
            os.close(self._near)
        self._near = -1

    def _send(self, most_bytes: int) -> None:
        self._unsent = self._unsent[os.write(self._near, self._unsent[:most_bytes]) :]


MOST_FILES = 64
MOST_BYTES = 256 * 1024
"""A megabyte would take half a millisecond."""


def folder_arguments(folder: Path, place: str, files: list[int]) -> list[str]:
    """Return how bwrap shows a folder at `place`: copied, where it holds little, and files and folders alone; else
    mounted. What is to be copied is opened and added to `files`, which are the caller's to close.
    """
    entries: list[os.DirEntry[str]] = []
    with suppress(PermissionError):  # then it is mounted, and shows what it shows
        for entry in _below(str(folder)):
            entries.append(entry)
            is_plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
            if not is_plain or len(entries) > MOST_FILES:
                return ["--ro-bind", str(folder), place]
        if sum(entry.stat(follow_symlinks=False).st_size for entry in entries) <= MOST_BYTES:
            return _copying(entries, str(folder), place, files)
    return ["--ro-bind", str(folder), place]


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path)


def _copying(entries: list[os.DirEntry[str]], folder: str, place: str, files: list[int]) -> list[str]:
    arguments = ["--dir", place]
    for entry in entries:
        target = place + entry.path.removeprefix(folder)
        if entry.is_dir(follow_symlinks=False):
            arguments += ["--dir", target]
            continue
        files.append(os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW))
        permissions = "0555" if entry.stat(follow_symlinks=False).st_mode & 0o111 else "0444"
        arguments += ["--perms", permissions, "--file", str(files[-1]), target]
    return arguments


def _close_all(files: list[int]) -> None:
    for file in files:
        os.close(file)


NAME = "\0ladder-bot-account-{}"


class BotAccount:
    """The account of one box, until it is closed. `uid`: its number; None where bots run as we do."""

    def __init__(self) -> None:
        """Take one that is free, or share one. Raises SandboxFault."""
        self._held: socket.socket | None = None
        uids = bot_uids()
        self.uid = uids[0] if uids else None
        for uid in random.sample(uids, len(uids)) if len(uids) > 1 else ():
            if (held := _bind(uid)) is not None:
                self.uid, self._held = uid, held
                return

    def close(self) -> None:
        if self._held:
            self._held.close()
            self._held = None


def _bind(uid: int) -> socket.socket | None:
    holder: socket.socket | None = None
    try:
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        holder.bind(NAME.format(uid))
    except OSError as error:
        if holder:
            holder.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise SandboxFault(f"an account for a box could not be held: {plain_words(error)}") from error
    return holder


OUT_MB = 256
SCRATCH_MB = 512
WRITABLE_FOLDERS_MB = {OUT_FOLDER: OUT_MB, "/tmp": SCRATCH_MB}  # noqa: S108 - the box's own /tmp
PATIENCE_S = 10.0

SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64")
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
RANDOM = "/proc/sys/kernel/random"
PROC = ("--proc", "/proc", "--remount-ro", "/proc", "--ro-bind", f"{RANDOM}/uuid", f"{RANDOM}/boot_id")
"""Read-only, as a program could make itself unimportant by its own files there, and then blame the host. The number by
which the machine could be known again is covered by one that is another each time."""
ADVICE = (
    "bubblewrap needs unprivileged user namespaces: see 'sysctl kernel.unprivileged_userns_clone "
    "user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns'; in a container, its security profiles"
)
BWRAP_FAILED = 1
"""What bwrap ends with, and no report, where it could not become the program."""
NOT_FOUND, KILLED = 127, 137
"""As a shell says them, where there is no report."""
ENDED_BY_SIGNAL = range(129, 193)
"""How the monitor reports the signals 1 to 64."""


class Bubblewrap:
    """The sandbox that needs no privileges: one Debian package, no daemon. With `cgroups` each box is also held by a
    cgroup of its own; with `nested` it is made within the narrower limits of a container that covers parts of /proc: no
    /proc, the container's host name.
    """

    def __init__(self, name: str = "bubblewrap", *, cgroups: CgroupMaker | None = None, nested: bool = False) -> None:
        self.name, self._cgroups, self._nested = name, cgroups, nested

    def probe(self) -> None:
        try:
            process = self.start(Box(command=("true",), folder=Path("/usr")))
            try:
                process.ready()
                process.release()
                await_readable(process.pid, "a trivial program in the sandbox did not end", process.pidfd)
                code = process.exit_code()
            finally:
                process.kill()
        except BoxNotBuilt as fault:
            raise SandboxFault(f"{fault} ({ADVICE})") from fault
        if code != 0:
            raise SandboxFault(f"a trivial program in the sandbox ended with {code}, not with 0 ({ADVICE})")

    def start(self, box: Box) -> BubblewrapProcess:
        return start_by_starter(partial(self._start, box))

    def _start(self, box: Box) -> BubblewrapProcess:
        require_within_ours(box.limits)
        if not box.compiles:  # of which there is no pair on each core
            make_room_for_threads(box.limits)
        with contextlib.ExitStack() as giving_up:
            account = BotAccount()
            giving_up.callback(account.close)
            group = self._cgroups.make(box.limits, forks=box.forks) if self._cgroups else None
            if group:
                giving_up.callback(group.remove)
            mark = our_watch().mark_of_a_box()
            with group.entering() if group else contextlib.nullcontext():
                process = self._start_monitor(box, mark, account, group)
            giving_up.pop_all()
            return process

    def _start_monitor(self, box: Box, mark: str, account: BotAccount, group: Cgroup | None) -> BubblewrapProcess:
        may_fork = box.compiles or (group is not None and box.forks)
        policy = CallPolicy(may_fork=may_fork, shared_memory=box.shared_memory, compiles=box.compiles)
        filter_of_calls = compile_filter(policy)
        bwrap = _bwrap(os.environ.get("PATH"))
        launcher = [bwrap, *_namespaces(nested=self._nested), *_devices(mark)]
        try:
            with as_bot_user(account.uid), contextlib.ExitStack() as handing_over, contextlib.ExitStack() as giving_up:
                for folder in (box.folder, *box.beside.values()):
                    _require_enterable(folder)
                pipes = Pipes()  # the bots' own, or they could not open /dev/stdin
                handing_over.callback(pipes.hand_over)
                giving_up.callback(pipes.close)
                copied: list[int] = []
                handing_over.callback(_close_all, copied)
                for place, folder in {BOT_FOLDER: box.folder, **box.beside}.items():
                    launcher += folder_arguments(folder, place, copied)
                gate = Gate(filter_of_calls)
                handing_over.callback(gate.hand_over)
                giving_up.callback(gate.close)
                stdin, stdout, stderr, status = pipes.far
                launcher += _surroundings(box)
                launcher += ["--as-pid-1", "--seccomp", str(gate.far), "--json-status-fd", str(status), "--"]
                monitor = subprocess.Popen(
                    [*launcher, *box.command],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=(status, gate.far, *copied),
                    start_new_session=True,
                    cwd="/",
                    env={},
                )
                giving_up.callback(monitor.kill)
                process = BubblewrapProcess(monitor, pipes, gate, mark, group, account, box)
                giving_up.pop_all()
        except (OSError, ValueError) as error:  # ValueError: a NUL in a command or path
            raise SandboxFault(f"bubblewrap could not be started: {plain_words(error)}") from error
        return process


class BubblewrapProcess:
    """A program in its box, and the monitor that keeps it. See `BoxedProcess`."""

    meter: Meter
    _one: ProcessMeter

    def __init__(
        self,
        monitor: subprocess.Popen[bytes],
        pipes: Pipes,
        gate: Gate,
        mark: str,
        group: Cgroup | None,
        account: BotAccount,
        box: Box,
    ) -> None:
        """`pipes`, `gate`: our ends of what leads into the box. Raises OSError."""
        self._monitor, self._monitor_pidfd = monitor, os.pidfd_open(monitor.pid)
        self._gate, self._mark, self._group, self._account = gate, mark, group, account
        self._many = group if box.forks else None  # one process alone is frozen and measured faster without its group
        self._limits = box.limits
        self.stdin, self.stdout, self.stderr, self._status = pipes.near
        self.pid = self.pidfd = -1
        self._reports = b""
        self._is_ready = self._over = self._is_struck = False
        self._exit_code: int | None = None
        self._fault: str | None = None

    def ready(self) -> None:
        if self._is_ready:
            return
        try:
            self._await_gate()
            self._take_hold()
            if self._group:
                self._group.add(self.pid)
            set_limits(self.pid, self._limits, self._account.uid)
            if self._many:
                self.meter = self._many.meter()
            else:
                self.meter = self._one = ProcessMeter(self.pid)
            self._is_ready = True
            self._monitor.send_signal(signal.SIGSTOP)
        except OSError as error:
            self.kill()
            raise SandboxFault(f"the box could not be made ready: {plain_words(error)}") from error
        except BaseException:
            self.kill()
            raise

    def release(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._gate.open()

    def freeze(self) -> None:
        if self._many:
            self._many.freeze()
        else:
            self._signal(signal.SIGSTOP)
            await_standstill(self._one)

    def thaw(self) -> None:
        if self._many:
            self._many.thaw()
        else:
            self._signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._status < 0:
            return
        if not self._over:
            if self.pidfd < 0:
                self._monitor.kill()
            elif not readable(0, self.pidfd):
                self._is_struck = True
                self._signal(signal.SIGKILL)
            self._reap()
        if self._is_ready:
            self.meter.close()
        self._gate.close()
        for descriptor in (self.stdin, self.stdout, self.stderr, self._status, self._monitor_pidfd, self.pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = self.stderr = self._status = self.pidfd = -1
        if not self._is_ready:
            with contextlib.suppress(OSError):  # it takes descriptors, and then the watchdog does it in the end
                end_all(self._mark)  # a monitor that fails leaves its other half behind, waiting for it
        self._account.close()
        if self._group:
            self._group.remove()

    def exit_code(self) -> int | None:
        """A command that is not there, or cannot be run, ends with 127, as in a shell."""
        if not self._over:
            if not readable(0, self.pidfd):
                return None
            self._reap()
        if self._fault is not None:
            raise SandboxFault(self._fault)
        return self._exit_code

    def files_made(self) -> int:
        return sum(_files_in(Path(f"/proc/{self.pid}/root{folder}")) for folder in WRITABLE_FOLDERS_MB)

    def ran_out_of_memory(self) -> bool:
        return self._group is not None and self._group.ran_out_of_memory()

    def _await_gate(self) -> None:
        is_decided = partial(self._gate.is_decided, self._monitor_pidfd)
        await_soon(is_decided, self._monitor.pid, "the sandbox was not built in time")
        if not self._gate.is_reached:
            self._reap()
            raise BoxNotBuilt(self._fault or "the sandbox could not be built")

    def _take_hold(self) -> None:
        """Learn the program's pid and take hold of it. Raises SandboxFault where it is over already. Not before the
        gate: the monitor reports it in many pieces, each of which would wake us up.
        """
        self._reports = read_now(self._status)
        self.pid = json.loads(self._reports.splitlines()[0])["child-pid"]
        try:
            self.pidfd = os.pidfd_open(self.pid)
        except ProcessLookupError:
            self._reap()
            raise SandboxFault(self._fault or "the box ended when it was built") from None

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # it is over
            signal.pidfd_send_signal(self.pidfd, number)

    def _reap(self) -> None:
        """Let the monitor of a program that is over go on, wait for it, and settle how the program ended."""
        if self._many and self._is_ready:
            self._many.thaw()  # a frozen cgroup of version 1 holds even what was killed, and the monitor with it
        self._monitor.send_signal(signal.SIGCONT)
        if not readable(PATIENCE_S, self._monitor_pidfd):
            self._monitor.kill()
        code = self._monitor.wait()
        self._reports += read_now(self._status)
        self._over = True
        if not self._is_ready:
            words = read_now(self.stderr, 4096).decode(errors="replace").strip()
            self._fault = f"the sandbox could not be built: bwrap ended with {code}; {words or 'it said nothing'}"
            return
        reports = (json.loads(report) for report in self._reports.splitlines())
        codes = [report["exit-code"] for report in reports if "exit-code" in report]
        if codes:
            code = codes[0]
        elif self._is_struck or self.ran_out_of_memory():  # then the kernel may choose the monitor to end
            code = KILLED
        elif code == BWRAP_FAILED:
            code = NOT_FOUND
        else:
            self._fault = f"the box came to an end from outside: bwrap ended with {code}, which we did not ask for"
            return
        self._exit_code = 128 - code if code in ENDED_BY_SIGNAL else code


@cache
def _bwrap(path: str | None) -> str:
    """Looking takes 0.1 ms. Raises MissingTool."""
    if (bwrap := shutil.which("bwrap", path=path)) is None:
        raise MissingTool("bubblewrap is not installed; on Debian and Ubuntu: sudo apt install bubblewrap")
    return bwrap


def _require_enterable(folder: Path) -> None:
    """Raise SandboxFault for what is not a folder, or is closed to this account: bwrap would see it after the gate."""
    try:
        os.stat(f"{folder}/.")  # noqa: PTH116 - a Path drops the dot, which is what needs the way in
    except OSError as error:
        raise SandboxFault(f"the bots' account cannot enter the folder {folder}: {error.strerror}") from error


@cache
def _namespaces(*, nested: bool) -> tuple[str, ...]:
    """What every box is cut off from, and the part of the system it sees."""
    arguments = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"]
    arguments += ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    arguments += [] if nested else ["--hostname", "bot", "--disable-userns", *PROC]
    arguments += ["--ro-bind", "/usr", "/usr"]
    for name in SYSTEM_FOLDERS:
        folder = Path("/", name)
        if folder.is_symlink():
            arguments += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            arguments += ["--ro-bind", str(folder), str(folder)]
    for file in SYSTEM_FILES:
        arguments += ["--ro-bind-try", file, file]
    return tuple(arguments)


def _devices(mark: str) -> list[str]:
    arguments = ["--dev-bind", "/dev/null", f"/dev/{mark}", "--symlink", mark, "/dev/null"]
    arguments += ["--dev-bind", "/dev/urandom", "/dev/urandom", "--symlink", "urandom", "/dev/random"]
    arguments += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        arguments += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return arguments


def _surroundings(box: Box) -> list[str]:
    arguments = ["--chdir", BOT_FOLDER]
    if box.writable:
        for folder, size_mb in WRITABLE_FOLDERS_MB.items():
            arguments += ["--size", str(size_mb * MEGABYTE), "--tmpfs", folder]
    for path in box.extra_paths:  # last, as they may lie below what is mounted above
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--remount-ro", "/"]
    variables = {"PATH": PATH_INSIDE, "HOME": BOT_FOLDER, "LANG": "C.UTF-8", **box.environment}
    return [*arguments, *(word for name, value in variables.items() for word in ("--setenv", name, value))]


def _files_in(mount: Path) -> int:
    try:
        status = os.statvfs(mount)
    except OSError:
        return 0
    return status.f_files - status.f_ffree
