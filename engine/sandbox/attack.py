"""What a program in a box can try against its limits, the machine and its neighbours: run *inside* the box.

How this works. `guarantees` starts this file as two programs, in a box each. The *neighbour* leaves behind whatever
another program could find, starts processes that should outlive it if it can, and computes for ever. The *attacker*
tries everything once, says so, and ends. Where the neighbour could start processes, a *hog* also fills memory with
several of them. The *builder* runs as compilers do: it tries what they may not, and then hides memory, as much as it
gets, and says how much; whether that counts we see from outside. Each says what it did in lines: `tried NAME`, where
NAME is that of a guarantee, and for each breach `got NAME WORDS`.

Nothing here does harm where it succeeds: files are opened and not written to, signals are number 0, little memory is
filled, what is left behind is small and can be taken away. It needs the standard library alone, of
whatever Python (3.9 or newer) the box shows, started by `-c` with a role, a word that marks this run, and facts.
"""

from __future__ import annotations

# Nothing is imported that can be done without: importing takes longer than all attempts together.
# ruff: noqa: PTH108, PTH112, PTH116, PTH118, PTH123, PTH208, S108
import _socket as socket  # the part in C, which is quicker to import
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

MEGABYTE = 1024 * 1024
REFUSALS = (errno.EPERM, errno.ENOSYS)
HARMLESS_NAMES = {"PATH", "HOME", "LANG", "PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
MANY_SIGNALS = 8
"""For each thread that there may be: twice as many as are allowed."""
LONGEST_LIFE_S = 300
"""What got away ends by itself after this long. Whoever looks at us may have to wait for a core for minutes."""

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_NO_NEW_PRIVS = 1, 2, 39
CAPABILITY_VERSION = 0x20080522
MAP_GROWSDOWN, MAP_NORESERVE, MAP_POPULATE = 0x100, 0x4000, 0x8000
CLONE_FILES, CLONE_VFORK, CLONE_THREAD = 0x400, 0x4000, 0x10000
F_SETPIPE_SZ, TIOCSTI = 1031, 0x5412
KEYRING_OF_SESSION = -3
IPC_CREAT, IPC_RMID = 0o1000, 0
FAMILIES = {"IPv4": 2, "IPv6": 10, "netlink": 16, "raw packets": 17, "kernel cryptography": 38, "VSOCK": 40}

OUTSIDE = ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/home", "/root", "/var", "/run", "/srv", "/sys", "/boot")
BOOT_ID = "/proc/sys/kernel/random/boot_id"
CLOSE_RANGE_UNSHARE = 2
MADV_COLLAPSE = 25
OTHER_ADVICE = {"read ahead": 3, "fill memory to read in one call": 22, "fill memory to write in one call": 23}
MEMBARRIER_CMD_GLOBAL = 1
MOST_FILES = 1 << 20
NO_CLOCK = 0x7FFF
MOST_ADDRESSES = 33 << 30
"""More than a program may map: the tables of its pages would take more than 64 MB."""
HIDDEN_MB, PIECE_MB, PAIRS = 32, 8, 8
STACK_BYTES = 256 * 1024
"""Of each thread: by itself the C library takes as much of the memory's limit as one of the pieces that are hidden."""
EXIT = 60 if os.uname().machine == "x86_64" else 93

CALLS: dict[str, tuple[int, ...]] = {
    "add_key": (0, 0, 0, 0, 0),
    "bpf": (0, 0, 0),
    "clone": (CLONE_THREAD, 0, 0, 0, 0),
    "clone3": (0, 0),
    "close_range": (MOST_FILES, MOST_FILES, CLOSE_RANGE_UNSHARE),
    "fanotify_init": (0xFFFF, 0),
    "fsopen": (0, 0),
    "io_uring_enter": (-1, 0, 0, 0, 0, 0),
    "io_uring_register": (-1, 0, 0, 0),
    "io_uring_setup": (0, 0),
    "kcmp": (0, 0, 0, 0, 0),
    "keyctl": (0, KEYRING_OF_SESSION, 0),
    "madvise": (0, 0, MADV_COLLAPSE),
    "membarrier": (MEMBARRIER_CMD_GLOBAL, 1, 0),
    "memfd_secret": (-1,),
    "mount": (0, 0, 0, 0, 0),
    "mq_unlink": (0,),
    "msgget": (0x7FFFFFFF, 0),
    "name_to_handle_at": (-1, 0, 0, 0, 0),
    "open_by_handle_at": (-1, 0, 0),
    "open_tree": (-1, 0, 0),
    "perf_event_open": (0, 0, -1, -1, 0),
    "pidfd_getfd": (-1, 0, 0),
    "process_vm_readv": (0, 0, 0, 0, 0, 0),
    "process_vm_writev": (0, 0, 0, 0, 0, 0),
    "ptrace": (2, 0, 0, 0),
    "sched_setaffinity": (0, 0, 0),
    "sendmsg": (-1, 0, 0),
    "semget": (0x7FFFFFFF, 0, 0),
    "setns": (-1, 0),
    "setsockopt": (-1, 0, 0, 0, 0),
    "signalfd4": (-1, 0, 0, 0),
    "timer_create": (NO_CLOCK, 0, 0),
    "timerfd_create": (-1, 0),
    "unshare": (0,),
    "userfaultfd": (-1,),
}
"""Calls that no bot needs, with arguments that make the kernel complain of them if it gets to see them at all."""

Attempt = tuple[str, Callable[[], object]]
"""Words for what the program could do, and the trial: False or an error means that it was refused."""

WRITABLE = mmap.PROT_READ | mmap.PROT_WRITE
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def main(role: str, mark: str, facts: Mapping[str, str]) -> None:
    """Do what the role asks for.

    `facts`: the limits `memory_mb`, `threads`, `open_files`; `room_mb`, what the memory's limit leaves to a hog;
    `host_name` and `boot_id` of this machine; the address of a `socket` of it; the numbers of system calls by names.
    """
    threading.stack_size(STACK_BYTES)
    if role == "neighbour":
        be_a_neighbour(mark)
    elif role == "hog":
        be_a_hog(int(facts["room_mb"]))
    elif role == "builder":
        be_a_builder(facts)
    else:
        os.read(0, 1)  # until the neighbour is ready for us
        for name, attempts in attacks(mark, facts):
            report(name, attempts)
        call_by_foreign_tables()


def report(name: str, attempts: Iterable[Attempt]) -> None:
    breaches = [words for words, action in attempts if succeeds(action)]
    say([f"tried {name}"] + [f"got {name} {words}" for words in breaches])


def succeeds(action: Callable[[], object]) -> bool:
    try:
        return action() is not False
    except (OSError, ValueError, MemoryError, RuntimeError):
        return False


def say(lines: list[str]) -> None:
    """We may be ended at any moment."""
    os.write(1, "".join(line + "\n" for line in lines).encode())


ALSO_IN_BUILDS = {"network", "files", "environment", "privileges", "kernel-settings", "system-calls", "survivors"}
"""What compilers may do no more than bots."""


def attacks(mark: str, facts: Mapping[str, str]) -> Iterator[tuple[str, Iterable[Attempt]]]:
    yield "network", on_network(facts["socket"])
    yield "files", on_files()
    yield "writing", on_writing(mark)
    yield "processes", on_other_processes()
    yield "environment", on_environment()
    yield "privileges", on_privileges()
    yield "kernel-settings", on_kernel_settings()
    yield "system-calls", on_system_calls({name: int(facts[name]) for name in CALLS if name in facts})
    yield "one-process", on_one_process()
    yield "memory", on_memory(int(facts["memory_mb"]) * MEGABYTE)
    yield "shared-memory", on_shared_memory(mark)
    yield "limits", on_limits(int(facts["threads"]), int(facts["open_files"]))
    yield "survivors", on_life()
    yield "neighbours", on_neighbours(mark)
    yield "host-name", on_identity(facts["host_name"], facts["boot_id"])


def on_network(address: str) -> Iterator[Attempt]:
    """Sockets of other families than that for talking to oneself, and a socket of this machine, waiting for us."""
    for title, family in FAMILIES.items():
        yield f"make a socket for {title}", partial(can_make_socket, family)
    yield "reach a socket of this machine", lambda: can_connect(address)


def can_make_socket(family: int) -> bool:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        with suppress(OSError):
            socket.socket(family, kind).close()
            return True
    return False


def can_connect(address: str) -> bool:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(1)
    client.connect("\0" + address)
    return True


def on_files() -> Iterator[Attempt]:
    """What every Linux has outside of the system's programs, and devices that lead out."""
    for path in OUTSIDE:
        yield f"see {path}", partial(os.stat, path)
    for path in ("/dev/tty", "/dev/kmsg", "/dev/mem", "/dev/kvm", "/dev/fuse", "/proc/kcore"):
        yield f"open {path}", partial(can_open, path, os.O_RDONLY | os.O_NONBLOCK)
    yield (
        "see disks",
        lambda: any(stat.S_ISBLK(entry.stat(follow_symlinks=False).st_mode) for entry in os.scandir("/dev")),
    )


def can_open(path: str, flags: int) -> bool:
    os.close(os.open(path, flags))
    return True


def on_writing(mark: str) -> Iterator[Attempt]:
    """A new file in every folder where something is mounted, and in those that are writable elsewhere."""
    for folder in sorted({"/", "/bot", "/dev", "/dev/shm", "/etc", "/tmp", "/usr", "/var/tmp"} | mounted()):
        yield f"make a file in {folder}", partial(can_make_file, os.path.join(folder, mark))
    yield "write a core file", lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] != 0


def mounted() -> set[str]:
    """Without those of the kernel's own files."""
    try:
        with open("/proc/self/mountinfo") as file:
            places = {line.split()[4] for line in file}
    except OSError:
        return set()
    return {place for place in places if os.path.isdir(place) and not place.startswith("/proc")}


def can_make_file(path: str) -> bool:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return take_away(path)


def take_away(path: str) -> bool:
    os.stat(path)
    with suppress(OSError):
        os.unlink(path)
    return True


def on_other_processes() -> Iterator[Attempt]:
    yield "see its parent", lambda: os.getppid() != 0
    yield "see other processes", lambda: {*filter(str.isdigit, os.listdir("/proc"))} != {str(os.getpid())}
    yield "send signals to others", partial(os.kill, -1, 0)


def on_environment() -> Iterator[Attempt]:
    """Variables and open files of our parent process."""
    strange = set(os.environ) - HARMLESS_NAMES
    yield f"read the variables {', '.join(sorted(strange))}", lambda: bool(strange)
    yield "use an open file of its parent", lambda: any(succeeds(partial(os.fstat, file)) for file in range(3, 256))


def on_privileges() -> Iterator[Attempt]:
    yield "be root", lambda: 0 in {os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups()}
    yield "become root", partial(os.setuid, 0)
    yield "use capabilities", capabilities
    yield "gain privileges by a program that has them", lambda: libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1


def capabilities() -> bool:
    header, sets = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    return libc.capget(header, sets) == 0 and any(sets)


def on_kernel_settings() -> Iterator[Attempt]:
    """Opening for writing what changes the whole machine, and how important the kernel takes a program to be."""
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/kernel/panic",
        "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger",
        "/sys/kernel/uevent_helper",
        "/proc/self/autogroup",
    ):
        yield f"change {path}", partial(can_open, path, os.O_WRONLY)


def on_system_calls(numbers: dict[str, int]) -> Iterator[Attempt]:
    """Making calls that neither a bot nor a compiler needs. `numbers`: of those that this processor has."""
    for name, number in numbers.items():
        yield f"call {name}", partial(reaches_kernel, number, *CALLS[name])
    if "clone" in numbers:
        flags = CLONE_THREAD | CLONE_FILES | CLONE_VFORK
        yield "wait for a thread's end", partial(reaches_kernel, numbers["clone"], flags, 0, 0, 0, 0)
    if "madvise" in numbers:
        for words, advice in OTHER_ADVICE.items():
            yield words, partial(reaches_kernel, numbers["madvise"], 0, 0, advice)
    yield "type into a terminal", lambda: not_refused(libc.ioctl(0, TIOCSTI, None))


def reaches_kernel(number: int, *arguments: int) -> bool:
    return not_refused(libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)))


def not_refused(result: int) -> bool:
    """Well or badly, the kernel itself answered."""
    return result >= 0 or ctypes.get_errno() not in REFUSALS


def on_one_process() -> Iterator[Attempt]:
    yield "fork", can_fork
    yield "start a program", lambda: wait_for(os.posix_spawn("/bin/true", ["true"], {}))


def can_fork() -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return wait_for(pid)


def wait_for(pid: int) -> bool:
    os.waitpid(pid, 0)
    return True


def on_memory(limit_bytes: int) -> Iterator[Attempt]:
    """Mapping as much as is allowed in all, in ways that some limits do not count; and raising the limit."""
    yield "have more private memory than its limit", lambda: can_map(limit_bytes, WRITABLE, PRIVATE)
    yield "have a stack beyond the limit", lambda: can_map(limit_bytes, WRITABLE, PRIVATE | MAP_GROWSDOWN)
    yield "make reserved memory usable beyond the limit", lambda: can_map(limit_bytes, 0, PRIVATE, later=WRITABLE)
    yield "have memory filled while it is mapped", lambda: can_map(4096, WRITABLE, PRIVATE | MAP_POPULATE)
    yield (
        "map as much as takes 64 MB of page tables",
        lambda: can_map(MOST_ADDRESSES, mmap.PROT_READ, PRIVATE | MAP_NORESERVE),
    )
    yield "raise its limit", lambda: can_raise(resource.RLIMIT_DATA)


def can_map(size: int, protection: int, flags: int, later: int | None = None, *, filled: bool = False) -> bool:
    """`later`: the protection that it is then given. `filled`: it is filled before that, and stays."""
    address = libc.mmap(None, size, protection, flags, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        return False
    if filled:
        ctypes.memset(address, 1, size)
    usable = later is None or libc.mprotect(address, size, later) == 0
    if not filled:
        libc.munmap(address, size)
    return usable


def can_raise(limit: int) -> bool:
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        resource.setrlimit(limit, (hard + 1, hard + 1))
    return True


def on_shared_memory(mark: str) -> Iterator[Attempt]:
    """Memory that no limit of a process counts."""
    yield "map shared memory", lambda: can_map(4096, WRITABLE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    yield "make a file in memory", lambda: os.close(os.memfd_create("attack"))
    yield "have System V shared memory", lambda: remove_segment(libc.shmget(0, 4096, IPC_CREAT | 0o600))
    yield "have POSIX shared memory", lambda: can_make_file(f"/dev/shm/{mark}-memory")
    yield "have pairs of sockets for messages", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    yield "enlarge its pipes", lambda: not_refused(libc.fcntl(0, F_SETPIPE_SZ, 4096))


def remove_segment(segment: int) -> bool:
    return segment >= 0 and libc.shmctl(segment, IPC_RMID, None) == 0


def on_limits(threads: int, open_files: int) -> Iterator[Attempt]:
    yield "queue signals without end", lambda: has_signals(MANY_SIGNALS * threads)
    yield f"have more than {threads} threads", lambda: has_threads(threads + 1)
    yield f"open more than {open_files} files", lambda: has_files(open_files + 1)
    yield "write files of any size", lambda: can_raise(resource.RLIMIT_FSIZE)
    yield "raise its limit on open files", lambda: can_raise(resource.RLIMIT_NOFILE)


def has_threads(count: int) -> bool:
    over = threading.Event()
    started = 1
    with suppress(RuntimeError):
        while started < count:
            threading.Thread(target=over.wait, daemon=True).start()
            started += 1
    over.set()
    return started >= count


def has_files(count: int) -> bool:
    files: list[int] = []
    with suppress(OSError):
        while len(files) + 3 < count:
            files.append(os.open("/", os.O_RDONLY))
    for file in files:
        os.close(file)
    return len(files) + 3 >= count


def has_signals(count: int) -> bool:
    """Say whether this many signals can be queued for us; the kernel counts those of all boxes together.

    To be asked while there is one thread: another one would not block them, and would be ended.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    return all(libc.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0 for _ in range(count))


def on_life() -> Iterator[Attempt]:
    """Cutting the bond that ends us when our worker dies."""
    yield "outlive a killed worker", lambda: death_signal() != signal.SIGKILL
    yield "cut its bond to the worker", lambda: libc.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0


def death_signal() -> int:
    number = ctypes.c_int(0)
    libc.prctl(PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0)
    return number.value


def on_neighbours(mark: str) -> Iterator[Attempt]:
    """Finding what the neighbour has left for us."""
    yield "talk to another box by a socket", lambda: can_connect(mark)
    for folder in ("/dev/shm", "/tmp", "/var/tmp"):
        path = f"{folder}/{mark}-neighbour"
        yield f"read a file of another box in {folder}", partial(take_away, path)
    yield "share memory with another box", lambda: remove_segment(libc.shmget(key_of(mark), 1, 0))
    yield "see locks of another box", sees_lock


def on_identity(host_name: str, boot_id: str) -> Iterator[Attempt]:
    yield "read it", lambda: os.uname().nodename == host_name
    yield "read the machine's boot_id", lambda: contents(BOOT_ID) == boot_id


def contents(path: str) -> str:
    with open(path) as file:
        return file.read().strip()


def sees_lock() -> bool:
    try:
        fcntl.flock(os.open("/usr", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def key_of(mark: str) -> int:
    return int(mark[-7:], 16)


def call_by_foreign_tables() -> None:
    """At last: call by the tables of x32 and of 32-bit programs. The filter should end us for it."""
    if os.uname().machine != "x86_64":
        return
    if not_refused(libc.syscall(ctypes.c_long(0x40000000 | 39))):
        say(["got system-calls call by the table of x32"])
    code = mmap.mmap(-1, 4096, PRIVATE, WRITABLE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
    getpid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if getpid() == os.getpid():
        say(["got system-calls call by the table of 32-bit programs"])


def be_a_neighbour(mark: str) -> None:
    """Leave things behind, start processes if that can be done, and compute until somebody ends it."""
    with suppress(OSError):
        server = socket.socket(socket.AF_UNIX)
        server.bind("\0" + mark)
        server.listen()
    for folder in ("/dev/shm", "/tmp", "/var/tmp"):
        with suppress(OSError):
            os.close(os.open(f"{folder}/{mark}-neighbour", os.O_WRONLY | os.O_CREAT, 0o600))
    libc.shmget(key_of(mark), 1, IPC_CREAT | 0o600)
    with suppress(OSError):
        fcntl.flock(os.open("/usr", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    say(["forks" if multiply() else "alone"])
    threading.Thread(target=compute, daemon=True).start()
    compute()


def multiply() -> bool:
    """Start a child, and a grandchild in a session of its own that wakes us; both compute. False where we cannot."""
    first = os.getpid()
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        signal.alarm(LONGEST_LIFE_S)
        if os.fork() == 0:
            os.setsid()
            signal.alarm(LONGEST_LIFE_S)
            os.write(writing, b".")
            while True:
                with suppress(OSError):
                    os.kill(first, signal.SIGCONT)
        compute()
    return os.read(reading, 1) == b"."


def compute() -> None:
    while True:
        pass


def be_a_hog(room_mb: int) -> None:
    """Fill more memory than one box may have, with processes that each stay below it. `room_mb`: what it leaves."""
    say(["tried memory"])
    share_mb = room_mb // 2
    for _ in range(4):
        fill(share_mb)
    if all(os.wait()[1] == 0 for _ in range(4)):
        say([f"got memory fill {4 * share_mb} MB with several processes"])


def fill(share_mb: int) -> None:
    """Start a child that fills its share, and keeps it until the others have filled theirs."""
    if os.fork() == 0:
        signal.alarm(LONGEST_LIFE_S)
        share = bytearray(b"x") * (share_mb * MEGABYTE)
        time.sleep(0.05)
        os._exit(0 if share else 1)


def be_a_builder(facts: Mapping[str, str]) -> None:
    """Try what compilers may not; then end the first thread, and let another one hide memory and say all."""
    breaches = [
        f"got {name} {words} (in a build)"
        for name, attempts in attacks("", facts)
        if name in ALSO_IN_BUILDS
        for words, action in attempts
        if succeeds(action)
    ]
    threading.Thread(target=hide, args=(breaches,)).start()
    libc.syscall(ctypes.c_long(EXIT), 0)


def hide(breaches: list[str]) -> None:
    """Have memory that no limit of a process counts, filled and made read-only or in pairs of sockets; say how much."""
    time.sleep(0.005)  # until the first thread has ended
    pairs: list[object] = []
    with suppress(OSError):
        pairs += (socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(PAIRS))
    filled_mb = 0
    for _ in range(HIDDEN_MB // PIECE_MB):  # read-only memory is not in what RLIMIT_DATA counts
        if can_map(PIECE_MB * MEGABYTE, WRITABLE, PRIVATE, later=mmap.PROT_READ, filled=True):
            filled_mb += PIECE_MB
    say([*breaches, f"hidden {filled_mb} {len(pairs)}"])
    time.sleep(LONGEST_LIFE_S)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], dict(word.split("=", 1) for word in sys.argv[3:]))
