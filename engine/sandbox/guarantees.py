"""What a sandbox guarantees, as a table, and whether that holds on this machine, found out by attacking it from within.

The workers' setting LADDER_GUARANTEES says which guarantees must hold: `strict`, the default, all that are there for a
reason of safety or fairness; `reduced` only those that protect the machine and its people. Those that keep the game
fair (memory, threads, freezing, nothing shared between bots) may then be missing, and so may any that could not be
tried.

How this works. Two boxes are made, as for the bots of a match: a neighbour, which may start processes where the sandbox
can hold them, and an attacker, which tries everything (see `attack`) and reports. A third, the builder, has the box of
a compiler. How much memory builder and hog may have follows from what the interpreter holds in the neighbour. Only we
can see whether a frozen neighbour uses any CPU time, what of it is left after its end, which user the kernel takes it
for, and whether the memory counts that the builder hides. All that runs bears a *mark*, a word in its command line that
no other process has. Where bots see no Python a few lines of shell try what a shell can try.

How the clock is tried (`share_a_core`). Two programs, in boxes as bots are, compute on one core for a moment. If the
meter says that computing and waiting together are all of the time, a bot is not blamed for its host. The kernel counts
a wait when it ends; so both readings are taken while the program runs. `ladder doctor` and workers judge by this.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from engine.boxes import CGROUP, NESTED, NONE, Limits
from engine.errors import HostBusy, MachineBusy, MissingTool, Refused, SandboxFault, StillRunning, UsageFault
from engine.immutable import immutable
from engine.sandbox.attack import BOOT_ID, CALLS, MEGABYTE
from engine.sandbox.box import Box, BoxedProcess, Sandbox, read_now
from engine.sandbox.budget import PATIENCE_S, TOO_BUSY, Family, await_readable, most_in_one
from engine.sandbox.meter import process_clock, state
from engine.sandbox.seccomp import call_number

VARIABLE = "LADDER_GUARANTEES"


class Demand(StrEnum):
    STRICT = "strict"
    REDUCED = "reduced"


def demand_of(environment: Mapping[str, str] = os.environ) -> Demand:
    word = environment.get(VARIABLE) or Demand.STRICT
    try:
        return Demand(word)
    except ValueError:
        raise UsageFault(f"{VARIABLE} is {word!r}; it must be one of {', '.join(Demand)}") from None


ALWAYS = frozenset(Demand)
FAIRNESS = frozenset({Demand.STRICT})
NEVER = frozenset[Demand]()

UPGRADE = "sudo apt update && sudo apt full-upgrade  # a newer kernel, bubblewrap, libseccomp"
UNSET = "unset LADDER_SANDBOX  # the tier `none` guarantees next to nothing"
PYTHON = "sudo apt install python3  # below /usr, where bots see it and can try this"


@immutable
class Guarantee:
    """One promise about a program in a box. `name`: for scripts. `sentence`: for people. `means`: what enforces it,
    where the tier is not named in `otherwise`. `demanded_by`: under which settings workers refuse to start without it.
    `remedies`: by tier, a command that may help, where that is not an upgrade.
    """

    name: str
    sentence: str
    means: str
    demanded_by: frozenset[Demand] = ALWAYS
    otherwise: Mapping[str, str] = field(default_factory=dict[str, str])
    remedies: Mapping[str, str] = field(default_factory=dict[str, str])

    def means_in(self, tier: str) -> str:
        return self.otherwise.get(tier, self.means)

    def remedy_in(self, tier: str) -> str:
        return UNSET if tier == NONE else self.remedies.get(tier, UPGRADE)


TABLE = (
    Guarantee(
        "network",
        "bots reach no network, and have no sockets but for talking to themselves",
        "a network namespace; the filter of system calls lets AF_UNIX through alone",
    ),
    Guarantee(
        "files",
        "bots see the system's programs and their own folder, and no other file of this machine",
        "a mount namespace",
    ),
    Guarantee("writing", "bots can write nowhere", "a file system that is read-only throughout"),
    Guarantee(
        "processes",
        "bots see no process but their own, and can neither signal nor trace one",
        "a process namespace with a /proc of its own; the filter of system calls",
        otherwise={NESTED: "a process namespace without any /proc; the filter of system calls"},
    ),
    Guarantee(
        "environment",
        "bots inherit nothing from us: no variable, no open file",
        "a cleared environment, and descriptors that are closed",
    ),
    Guarantee(
        "privileges",
        "bots are an ordinary user, to the kernel too, and cannot become more",
        "a user namespace made by an ordinary user, no capabilities, no new privileges",
        otherwise={NONE: "an ordinary user, no new privileges"},
    ),
    Guarantee(
        "kernel-settings",
        "bots can change no setting of the kernel",
        "an ordinary uid outside of the box, and a read-only file system",
        otherwise={NONE: "an ordinary uid"},
    ),
    Guarantee(
        "system-calls",
        "bots can make only calls on a list: no io_uring, ptrace, bpf, mounts, namespaces; unknown ones do not exist",
        "the filter of system calls (seccomp)",
    ),
    Guarantee(
        "one-process",
        "a bot has threads, but no second process",
        "the filter of system calls",
        FAIRNESS,
        otherwise={CGROUP: "the filter of system calls; where a language cannot do without, a cgroup holds them all"},
    ),
    Guarantee(
        "memory",
        "a bot has no more memory than its league allows",
        "RLIMIT_DATA, and looking at what it has filled",
        FAIRNESS,
        otherwise={CGROUP: "RLIMIT_DATA, and a cgroup for all of it together"},
    ),
    Guarantee(
        "shared-memory",
        "no memory escapes that limit: shared, in files, System V, in pipes",
        "the filter of system calls; no writable file system",
        FAIRNESS,
    ),
    Guarantee(
        "limits",
        "threads, open files and sizes of files are limited",
        "resource limits, set from outside before it begins",
        FAIRNESS,
        otherwise={CGROUP: "resource limits, set from outside before it begins, and a cgroup"},
    ),
    Guarantee(
        "survivors",
        "nothing of a bot outlives its match, nor a worker that is killed",
        "a process namespace that ends with its first process, which ends with the worker",
    ),
    Guarantee(
        "freezing",
        "a bot gets no time in its opponent's turn",
        "one signal that stops its one process",
        FAIRNESS,
        otherwise={CGROUP: "one signal for one process; a frozen cgroup for many"},
    ),
    Guarantee(
        "neighbours",
        "the bots of a match, and of matches one after another, share nothing",
        "namespaces of their own, nothing writable, the filter of system calls",
        FAIRNESS,
    ),
    Guarantee(
        "host-name",
        "bots do not learn the name of this machine, nor its boot_id",
        "a namespace for names; another file mounted over boot_id in /proc",
        NEVER,
        remedies={NESTED: "--security-opt systempaths=unconfined  # for the container: see deploy/README.md"},
    ),
)


@immutable
class GuaranteeFinding:
    """`holds`: None where it could not be tried. `how`: by what it does, or why not. `remedy`: what may help."""

    guarantee: Guarantee
    holds: bool | None
    how: str
    remedy: str = ""

    def fails(self, demand: Demand) -> bool:
        if demand not in self.guarantee.demanded_by:
            return False
        return self.holds is False or (self.holds is None and demand is Demand.STRICT)


def require(tier: str, findings: Iterable[GuaranteeFinding], demand: Demand) -> None:
    if failed := [finding for finding in findings if finding.fails(demand)]:
        reasons = "; ".join(f"{finding.guarantee.sentence} ({finding.how})" for finding in failed)
        raise Refused(
            f"the sandbox {tier!r} does not keep here what {VARIABLE}={demand} demands: {reasons}. "
            "`ladder doctor` says what would help"
        )


SCRIPT = Path(__file__).with_name("attack.py").read_text("utf-8")
"""Read at once: who gives up root later may not be able to reach the file then."""
LIMITS = Limits(memory_mb=64, threads=12, open_files=32, file_size_mb=1)
HOG_MB = 24
"""What hog and builder may have beside what their interpreter holds: little, as they fill several times as much."""
STANDSTILL_S = 0.1
"""A program takes some fifty microseconds to stop, but longer on a busy host."""
FROZEN_S = 0.1
"""For how long a neighbour is watched at least: on a busy host one that was not frozen may get no CPU for a while."""
STRAY_NS = 1_000_000
"""A thread that waits for a CPU while it is stopped may use a little when it gets one..."""
WATCHES = 3
"""... and it may seem to be much where the hypervisor takes the CPU in that moment, but not again and again."""
MOST_REPORT_BYTES = 65536
HIDDEN = re.compile(r"^hidden (\d+) (\d+)$", re.MULTILINE)
"""The builder's last line: how many megabytes it has filled, and how many pairs of sockets it has."""

IN_SHELL = """
if command -v python3 >/dev/null; then exec python3 -I -S -c "$@"; fi
if [ "$2" != attacker ]; then echo alone; while :; do :; done; fi
read -r _
got() { echo "got $*"; }
for path in /etc/passwd /etc/hostname /home /root /var /run /sys /boot; do [ ! -e $path ] || got files see $path; done
echo tried files
for folder in / /bot /dev /dev/shm /etc /tmp /usr; do
    if { true >"$folder/$3"; } 2>/dev/null; then rm "$folder/$3"; got writing make a file in $folder; fi
done
echo tried writing
for path in /proc/[0-9]*; do case "$path" in "/proc/$$" | "/proc/[0-9]*") ;; *) got processes see $path ;; esac; done
echo tried processes
for path in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches; do
    if { true >>$path; } 2>/dev/null; then got kernel-settings change $path; fi
done
echo tried kernel-settings
echo tried one-process
(true) 2>/dev/null && got one-process fork
"""
"""Becomes Python where there is one, else tries what a shell can. Forking comes last, as a refusal ends the shell."""


@dataclass(slots=True)
class AttackReport:
    """`breaches`: how each guarantee that was tried was broken. `untried`: why one was not tried to the end."""

    untried: dict[str, str] = field(default_factory=dict[str, str])
    complaint: str = "there is no Python that bots see"
    breaches: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, name: str, breach: str = "") -> None:
        self.breaches.setdefault(name, []).extend([breach] if breach else [])

    def take_in(self, words: str) -> None:
        for line in words.splitlines():
            kind, _, rest = line.partition(" ")
            name, _, breach = rest.partition(" ")
            if kind in {"tried", "got"}:
                self.add(name, breach if kind == "got" else "")

    def finding(self, guarantee: Guarantee, tier: str) -> GuaranteeFinding:
        breaches = self.breaches.get(guarantee.name)
        remedy = guarantee.remedy_in(tier)
        if breaches:
            how = f"a program in the box could {'; '.join(breaches)}"
            return GuaranteeFinding(guarantee, holds=False, how=how, remedy=remedy)
        if breaches is None:
            return GuaranteeFinding(guarantee, holds=None, how=f"not tried: {self.complaint}", remedy=PYTHON)
        if why := self.untried.get(guarantee.name):
            return GuaranteeFinding(guarantee, holds=None, how=f"not tried: {why}", remedy=remedy)
        return GuaranteeFinding(guarantee, holds=True, how=guarantee.means_in(tier))


def examine(sandbox: Sandbox) -> list[GuaranteeFinding]:
    """Return what came of each guarantee. Raises MissingTool or SandboxFault where no box can be made, MachineBusy."""
    report = AttackReport()
    try:
        _attack(sandbox, f"attack-{secrets.token_hex(8)}", report)
    except HostBusy as busy:
        raise busy if isinstance(busy, MachineBusy) else MachineBusy(f"{TOO_BUSY}: {busy}") from busy
    return [report.finding(guarantee, sandbox.name) for guarantee in TABLE]


def _attack(sandbox: Sandbox, mark: str, report: AttackReport) -> None:
    with socket.socket(socket.AF_UNIX) as server, ExitStack() as running:
        server.bind(f"\0{mark}-us")
        server.listen()
        neighbour = _start(running, sandbox, "neighbour", mark, LIMITS)
        attacker = _start(running, sandbox, "attacker", mark, LIMITS)
        others = [attacker]
        _let_go(neighbour, attacker)
        if not (words := _first_words(neighbour)):  # a Python that cannot run the script
            report.complaint = _complaint(neighbour) or report.complaint
            return
        small = replace(LIMITS, memory_mb=_held_mb(neighbour) + HOG_MB)
        builder = _start(running, sandbox, "builder", mark, small)
        if words == "forks":
            others.append(_start(running, sandbox, "hog", mark, small))
        _let_go(builder, *others[1:])
        with _freezing(neighbour, mark, report):
            with suppress(BrokenPipeError):
                os.write(attacker.stdin, b"\n")
            for process in others:
                await_readable(process.pid, "a program that tries the sandbox did not end", process.pidfd)
                report.take_in(read_now(process.stdout, MOST_REPORT_BYTES).decode())
                report.complaint = _complaint(process) or report.complaint
                process.kill()
        _look_at_builder(builder, report)
        _end_neighbour(neighbour, mark, report)


def _start(running: ExitStack, sandbox: Sandbox, role: str, mark: str, limits: Limits) -> BoxedProcess:
    command = ("/bin/sh", "-c", IN_SHELL, "self-attack", SCRIPT, role, mark, *_facts(mark, limits))
    builds, forks = role == "builder", role in {"neighbour", "hog"}
    process = sandbox.start(Box(command, Path("/usr"), limits, forks=forks, compiles=builds))
    running.callback(process.kill)
    return process


def _let_go(*processes: BoxedProcess) -> None:
    for process in processes:
        process.ready()
        process.release()


def _held_mb(process: BoxedProcess) -> int:
    """Return how much of the memory's limit an interpreter takes that has begun, rounded up. Raises SandboxFault."""
    with suppress(OSError):
        held = re.search(r"^VmData:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
        if held is not None:
            return -(-int(held[1]) // 1024)
    raise SandboxFault("a program that tries the sandbox ended too early")


def _facts(mark: str, limits: Limits) -> Iterator[str]:
    yield f"memory_mb={limits.memory_mb}"
    yield f"room_mb={HOG_MB}"
    yield f"threads={limits.threads}"
    yield f"open_files={limits.open_files}"
    yield f"host_name={socket.gethostname()}"
    yield f"boot_id={Path(BOOT_ID).read_text().strip()}"
    yield f"socket={mark}-us"
    with suppress(MissingTool):
        yield from (f"{name}={number}" for name in CALLS if (number := call_number(name)) >= 0)


def _first_words(process: BoxedProcess) -> str:
    output = b""
    complaint = "a program that tries the sandbox said nothing for too long"
    while not output.endswith(b"\n"):
        await_readable(process.pid, complaint, process.stdout, process.pidfd)
        if not (chunk := read_now(process.stdout)):
            return ""
        output += chunk
    return output.decode().strip()


def _complaint(process: BoxedProcess) -> str:
    return (read_now(process.stderr, MOST_REPORT_BYTES).decode(errors="replace").strip().splitlines() or [""])[-1]


@contextmanager
def _freezing(neighbour: BoxedProcess, mark: str, report: AttackReport) -> Iterator[None]:
    """Freeze the neighbour for the block, and report the CPU time that it uses all the same, and goes on using. One
    that is ready to run and gets no CPU, on a host with much to do, has not shown yet that it rests.
    """
    pids = _neighbours(mark)
    with suppress(StillRunning):  # its time shows it
        neighbour.freeze()
    before_ns = _cpu_ns_at_standstill(pids)
    until = time.monotonic() + FROZEN_S
    deadline = time.monotonic() + PATIENCE_S
    yield
    used_ns, watches = STRAY_NS + 1, 0

    def is_to_be_watched() -> bool:
        if used_ns > STRAY_NS:
            return watches < WATCHES
        return _one_is_ready(pids) and time.monotonic() < deadline

    while is_to_be_watched():
        time.sleep(max(0.0, until - time.monotonic()))
        now_ns = _cpu_ns(pids)
        used_ns, before_ns = now_ns - before_ns, now_ns
        until = time.monotonic() + FROZEN_S
        watches += 1
    report.add("freezing", f"compute for {used_ns / 1e6:.1f} ms while frozen" if used_ns > STRAY_NS else "")


def _end_neighbour(neighbour: BoxedProcess, mark: str, report: AttackReport) -> None:
    if Path(f"/proc/{neighbour.pid}").stat().st_uid == 0:  # whatever its namespace says
        report.add("privileges", "be root to the kernel")
    neighbour.kill()
    survivors = _neighbours(mark)
    report.add("survivors", f"leave {len(survivors)} processes behind" if survivors else "")
    for pid in survivors:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while survivors and time.monotonic() < deadline:
        survivors = _neighbours(mark)


def _look_at_builder(builder: BoxedProcess, report: AttackReport) -> None:
    report.take_in(words := _first_words(builder))
    if (hidden := HIDDEN.search(words)) is None:
        if not builder.ran_out_of_memory():  # if it did, the kernel has held it
            report.untried["memory"] = _complaint(builder) or "a program that hides memory ended without a word"
        return
    filled_mb, pairs = map(int, hidden.groups())
    if builder.meter.memory_bytes() < filled_mb * MEGABYTE:
        report.add("memory", f"fill {filled_mb} MB unseen, by making it read-only")
    with closing(Family(builder.pid)) as family:  # by which the memory of builds is added up
        family.look()
        if family.memory_bytes < filled_mb * MEGABYTE + 2 * pairs * most_in_one():
            report.add("memory", "fill sockets unseen (in a build)")


def _neighbours(mark: str) -> list[int]:
    pids: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"neighbour {mark}".encode() in (process / "cmdline").read_bytes().replace(b"\0", b" "):
                pids.append(int(process.name))
    return pids


def _cpu_ns_at_standstill(pids: list[int]) -> int:
    """Return the CPU time that these processes have used once they use no more, or some time later if they do."""
    deadline = time.monotonic() + STANDSTILL_S
    used_ns, before_ns = _cpu_ns(pids), -1
    while used_ns != before_ns and time.monotonic() < deadline:
        time.sleep(0.001)
        used_ns, before_ns = _cpu_ns(pids), used_ns
    return used_ns


def _one_is_ready(pids: list[int]) -> bool:
    return any(state(str(stat)) == b"R" for pid in pids for stat in Path(f"/proc/{pid}/task").glob("*/stat"))


def _cpu_ns(pids: list[int]) -> int:
    used_ns = 0
    for pid in pids:
        with suppress(OSError):
            used_ns += time.clock_gettime_ns(process_clock(pid))
    return used_ns


LOOK_S = 0.1
STEP_S = 0.001
FAIR_PATIENCE_S = 20.0
LEAST_WAIT_NS = 10_000_000
MOST_UNEXPLAINED_NS = 15_000_000
"""A slice or two, which a hypervisor may take at any time."""
LONGEST_READING_NS = 2_000_000
COMPUTE = ("/bin/sh", "-c", "while :; do :; done")
NOT_FAIR = "these do not add up: only what bots compute, and how long cores are idle, is sure"


@immutable
class Sharing:
    """What the meter says of a program that shared its core with another one, in nanoseconds; and its time slices."""

    wall_ns: int
    cpu_ns: int
    wait_ns: int
    slices: int

    @property
    def adds_up(self) -> bool:
        unexplained_ns = self.wall_ns - self.cpu_ns - self.wait_ns  # it had nothing else to do in that time
        return self.wait_ns >= LEAST_WAIT_NS and abs(unexplained_ns) <= MOST_UNEXPLAINED_NS

    @property
    def words(self) -> str:
        wall, cpu, wait = (f"{time_ns / 1e6:.0f}" for time_ns in (self.wall_ns, self.cpu_ns, self.wait_ns))
        return f"of two programs on one core, in {wall} ms, one computed {cpu} and waited {wait} ms"


def share_a_core(sandbox: Sandbox) -> Sharing:
    """Raises SandboxFault or MissingTool where they cannot be started, MachineBusy where they get no core."""
    allowed = os.sched_getaffinity(0)
    with ExitStack() as running:
        os.sched_setaffinity(0, {min(allowed)})
        running.callback(os.sched_setaffinity, 0, allowed)
        first, second = (sandbox.start(Box(command=COMPUTE, folder=Path("/usr"))) for _ in range(2))
        running.callback(first.kill)
        running.callback(second.kill)
        _let_go(first, second)
        os.sched_setaffinity(0, allowed)
        time.sleep(LOOK_S / 10)  # both have begun
        before = reading_while_it_runs(first)
        time.sleep(LOOK_S)
        return Sharing(*(late - early for early, late in zip(before, reading_while_it_runs(first), strict=True)))


def reading_while_it_runs(process: BoxedProcess) -> tuple[int, int, int, int]:
    """Read all meters where a program has just computed and nobody kept us from reading on. Raises MachineBusy."""
    deadline = time.monotonic() + FAIR_PATIENCE_S
    before = reading(process)
    while time.monotonic() < deadline:
        time.sleep(STEP_S)
        now = reading(process)
        if now[1] > before[1] and time.monotonic_ns() - now[0] < LONGEST_READING_NS:
            return now
        before = now
    raise MachineBusy(TOO_BUSY)


def reading(process: BoxedProcess) -> tuple[int, int, int, int]:
    return time.monotonic_ns(), process.meter.cpu_ns(), process.meter.waited_ns(), slices(process.pid)


def slices(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])
    except (OSError, IndexError):
        return 0
