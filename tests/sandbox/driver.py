"""A process that runs programs in the sandbox and tells what happened: the parent of the bots in these tests.

It obeys requests from stdin, one line of JSON each, and answers each with a line of JSON. The first one says who to be:
asked to be an ordinary user it becomes one *after* it has read all of our own files that it needs, since that user may
not be able to read them. What a request may ask for are the functions of `ORDERS`.

Its matches bear no doubt, as those do in which a bot has wasted all that a match may bear: so an attack by sleep is
caught on a busy machine as well.
"""

import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.bot import stopwatch
from engine.bot.conditions import Conditions
from engine.boxes import Limits
from engine.errors import ArenaError, BuildRefused, HostBusy
from engine.live import play
from engine.machine import patience_s
from engine.match import MatchResult, MatchSpec
from engine.referees.program import ProtocolKind, RefereeProgram
from engine.sandbox import standstill, watchdog
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.choice import offered, open_sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.sandbox.seccomp import CallPolicy, compile_filter
from engine.toolchains.build import build
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import Program
from engine.toolchains.source import Member, Tree, tree_of
from engine.workspace import SCRATCH, open_workspace
from tests.catalogue import GAMES
from tests.processes import open_descriptors

ORDINARY_UID = 4242
ATTACKS = "tests.sandbox.attacks"
SPEC = MatchSpec(GAMES.find("ocean-of-code"), 1, 1337)
"""A short match: whoever surfaces in each of its turns is dead after six."""
PLACES = ("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/dev/mqueue", "/run", "/usr", "/usr/lib", "/usr/bin", "/etc")  # noqa: S108
SYSTEM_V = ("shm", "sem", "msg")
STEPS = 10
KILL_DELAYS_S = (0, 0.002)

_sandboxes: dict[str, Sandbox] = {}
_held: list[BoxedProcess] = []


def main() -> None:
    """Become who we are asked to be, and obey."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which our children would inherit
    become(json.loads(sys.stdin.readline()))
    stopwatch.DOUBT_NS = 0
    standstill.PATIENCE_S = float(os.environ.get("STANDSTILL_PATIENCE_S", standstill.PATIENCE_S))
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        try:
            report = ORDERS[request["order"]](request)
        except ArenaError as error:
            report = {"error": type(error).__name__, "message": str(error), "output": getattr(error, "output", "")}
        print(json.dumps(report), flush=True)  # noqa: T201 - this is how it reports


def become(request: Mapping[str, Any]) -> None:
    """Become an ordinary user if asked to; as root, have a second group, to see that bots do not get it."""
    if request["drop"]:
        languages()
        for flags in itertools.product([False, True], repeat=3):
            compile_filter(CallPolicy(*flags))
        sys.executable = shutil.which("python3", path=os.defpath) or sys.executable  # ours may be in root's home
        watchdog.WATCHDOG = Path(request["watchdog"])
        os.setgroups([])
        os.setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
        os.setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
    elif os.geteuid() == 0:
        os.setgroups([0, ORDINARY_UID])


def sandbox_of(request: Mapping[str, Any]) -> Sandbox:
    """Return the sandbox of the tier that is asked for, tried once."""
    tier = request["tier"]
    if tier not in _sandboxes:
        _sandboxes[tier] = open_sandbox(tier)
    return _sandboxes[tier]


def tell_offers(_: Mapping[str, Any]) -> dict[str, Any]:
    return {"tiers": [tier for tier, fault in offered().items() if fault is None]}


# Single programs.


def box_of(request: Mapping[str, Any]) -> Box:
    flags: Any = {name: bool(request.get(name)) for name in ("writable", "compiles", "forks", "shared_memory")}
    return Box(
        command=tuple(request["command"]),
        folder=Path(request["folder"]),
        limits=Limits(**request.get("limits", {})),
        extra_paths=tuple(Path(path) for path in request.get("extra_paths", ())),
        environment=request.get("environment", {}),
        **flags,
    )


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """Run a program to its end as often as asked; tell of the last time, and how many descriptors were left open."""
    stdin = request.get("stdin", "").encode("latin-1")
    wall_limit_s, output_kb = request.get("wall_limit_s", 30), request.get("output_kb", 64)
    sandbox = sandbox_of(request)
    before = open_descriptors()
    ended = [
        run_to_end(sandbox, box_of(request), stdin, wall_limit_s=wall_limit_s, output_kb=output_kb)
        for _ in range(request.get("times", 1))
    ]
    report = asdict(ended[-1])
    for stream in ("stdout", "stderr"):
        report[stream] = report[stream].decode("latin-1")
    return {"finished": report, "descriptors_left": open_descriptors() - before}


def hold(request: Mapping[str, Any]) -> dict[str, Any]:
    """Start programs, leave them running and tell their pids."""
    started = [sandbox_of(request).start(box_of(request)) for _ in range(request["count"])]
    _held.extend(started)
    for process in started:
        process.ready()
        process.release()
    return {"pids": [process.pid for process in started], "mark": mark()}


def of_held(act: Callable[[BoxedProcess], str | None]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return the order that does this to each program that is held, and tells what each answers."""
    return lambda _: {"answers": [act(process) for process in _held]}


def kill_held(_: Mapping[str, Any]) -> dict[str, Any]:
    killed = _held.copy()
    _held.clear()
    for process in killed:
        process.kill()
        process.kill()
    return {"exit_codes": [process.exit_code() for process in killed]}


def ask(process: BoxedProcess, patience_s: float = 20) -> str:
    os.write(process.stdin, b"ping\n")
    ready, _, _ = select.select([process.stdout], [], [], patience_s)
    return os.read(process.stdout, 4096).decode() if ready else ""


# Whole matches, and builds.


def match(request: Mapping[str, Any]) -> dict[str, Any]:
    """Play two attackers, or an attacker and an honest bot, against each other; tell the result and what is left."""
    sandbox = sandbox_of(request)
    first, second = (program_of(seat, request, sandbox) for seat in request["seats"])
    conditions = Conditions(
        limits=Limits(**request.get("limits", {})), early_line_loses=request.get("early_line_loses", False)
    )
    with nothing_left_by(request["token"]) as left:
        result = played((first, second), sandbox, conditions)
    return {**told(result), "left": left}


def led(request: Mapping[str, Any]) -> dict[str, Any]:
    """Play a match whose referee attacks; tell what it said and what is left. Raises RefereeFault."""
    sandbox, folder = sandbox_of(request), Path(request["folder"])
    command = ("python3", "-B", "-m", f"{ATTACKS}.referee", request["attacks"], json.dumps(request["known"]))
    limits = Limits(**request["limits"])
    program = RefereeProgram(ProtocolKind.SDK, folder, command, memory_mb=limits.memory_mb)
    spec = replace(SPEC, game=replace(SPEC.game, program=program))
    bot = Program("", "sh", Path("/usr"), ("sh", "-c", "read line; echo ok; read line"), {"ATTACK": request["token"]})
    with nothing_left_by(request["token"]) as left:
        result = play(spec, (bot, bot), sandbox, Conditions(limits=limits))
    summary = "\n".join(result.notes.summaries) if result.notes else ""
    return {"summary": summary, "scores": result.outcome.scores, "tier": result.sandbox, "left": left}


def tell_left(request: Mapping[str, Any]) -> dict[str, Any]:
    return {"left": list(left_by(request["token"]))}


def played(programs: tuple[Program, Program], sandbox: Sandbox, conditions: Conditions) -> MatchResult:
    """Play a match as workers do: again where the host is too busy. Raises HostBusy where it is so too often.

    Beside so many programs that this is expected it is tried more often than workers do.
    """
    for _ in range(round(patience_s(2))):
        with contextlib.suppress(HostBusy):
            return play(SPEC, programs, sandbox, conditions)
    return play(SPEC, programs, sandbox, conditions)


def told(result: MatchResult) -> dict[str, Any]:
    """Return what the tests want to know of a match."""
    return {
        "verdicts": [verdict.verdict for verdict in result.outcome.verdicts],
        "messages": [verdict.message for verdict in result.outcome.verdicts],
        "winner": result.outcome.winner,
        "turns": [{"seat": turn.seat, "line": turn.line, **asdict(turn.spent)} for turn in result.turns],
        "stderr": result.stderr,
        "early_lines": result.early_lines,
        "dropped_bytes": result.stderr_dropped_bytes,
        "tier": result.sandbox,
    }


def program_of(seat: Mapping[str, Any], request: Mapping[str, Any], sandbox: Sandbox) -> Program:
    """Return the program for a seat: an attack of the package, or a source in another language that is built first."""
    flags = {name: request.get(name, False) for name in ("forks", "shared_memory")}
    environment = {"ATTACK": request["token"], "PYTHONDONTWRITEBYTECODE": "1"}
    if "source" in seat:
        program = build(seat["source"], find_language(seat["language"]), sandbox)
        return replace(program, environment={**program.environment, **environment}, **flags)
    command = ("python3", "-u", "-m", ATTACKS, seat["attack"], json.dumps(seat["known"]))
    return Program("", "python", Path(seat["folder"]), command, environment, **flags)


def build_source(request: Mapping[str, Any]) -> dict[str, Any]:
    """Build a source; tell the compiler's words or what came out, and what is left."""
    sandbox = sandbox_of(request)
    with nothing_left_by(request["token"]) as left:
        try:
            source = folder_of(request["source"]) if request.get("in_folder") else request["source"]
            program = build(source, find_language(request["language"]), sandbox)
        except BuildRefused as refusal:
            return {"refused": str(refusal), "words": refusal.output, "files": {}, "left": left}
    files = {str(path.relative_to(program.folder)): path for path in program.folder.rglob("*") if not path.is_dir()}
    return {
        "refused": "",
        "words": "",
        "files": {name: "a link" if path.is_symlink() else contents(path) for name, path in files.items()},
        "left": left,
    }


def folder_of(command: str) -> Tree:
    settings = b'language = "script"\nsource = "make.sh"\nbuild = ["sh", "{source}"]\n'
    return tree_of([Member("ladder.toml", settings), Member("make.sh", command.encode())])


def contents(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(4096).decode("latin-1")


@contextlib.contextmanager
def nothing_left_by(token: str) -> Iterator[list[str]]:
    """Watch a stretch of code: the list that this gives is filled, at the end, with all that was left behind."""
    mark()  # from here on there is a watchdog, whose lifeline is not a leak
    descriptors, scratch = open_descriptors(), scratch_folders()
    left: list[str] = []
    yield left
    left.extend([*left_by(token), *(scratch_folders() - scratch)])
    if open_descriptors() != descriptors:
        left.append("descriptors")


def left_by(token: str) -> Iterator[str]:
    """Name the processes, files, pieces of System V's memory and cgroups that an attack has left on the host."""
    for pid in processes_with(token):
        yield f"process {pid}"
    for child in children():
        yield f"child {child}"
    for place in PLACES:
        if os.access(place, os.R_OK):
            yield from (f"file {place}/{name}" for name in os.listdir(place) if token in name)  # noqa: PTH208
    for kind in SYSTEM_V:
        rows = Path("/proc/sysvipc", kind).read_text().splitlines()
        yield from (f"System V {kind}" for row in rows if row.split()[0] == str(zlib.crc32(token.encode()) & 2**31 - 1))
    for root in watchdog.our_watch()._folders:
        yield from (f"cgroup {group}" for group in root.glob(f"{mark()}*"))


def scratch_folders() -> set[str]:
    return {str(folder) for folder in (open_workspace().root / SCRATCH).iterdir()}


def mark() -> str:
    return watchdog.our_watch().mark


def children() -> list[str]:
    ours = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [pid for pid in ours if b"watchdog_program" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


def processes_with(token: str) -> list[int]:
    """Return the processes of this machine that have the token in their command line or environment."""
    found: set[int] = set()
    for file in (file for folder in Path("/proc").glob("[0-9]*") for file in (folder / "cmdline", folder / "environ")):
        with contextlib.suppress(OSError):
            if token.encode() in file.read_bytes():
                found.add(int(file.parent.name))
    return sorted(found)


# Workers that are killed.


def kill_workers(request: Mapping[str, Any]) -> dict[str, Any]:
    """Fork workers that start boxes and let them run, and kill each with SIGKILL: after each of their steps, or later.

    At once and later take turns, the other way round for root. Tells the marks of their watchdogs, as far as they got
    to have one, and how many workers there were.
    """
    sandbox_of(request)
    marks: set[str] = set()
    for steps in range(STEPS + 1):
        worker, reading = fork_worker(request)
        with os.fdopen(reading) as report:
            said = [report.readline().strip() for _ in range(steps)]
            time.sleep(KILL_DELAYS_S[(steps + bool(os.geteuid())) % 2])
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
        marks.update(said[:1])
    return {"marks": sorted(marks), "workers": STEPS + 1}


def fork_worker(request: Mapping[str, Any]) -> tuple[int, int]:
    """Fork a worker; return its pid and the pipe on which it reports each step, the first with its watchdog's mark."""
    reading, writing = os.pipe()
    worker = os.fork()
    if worker == 0:
        try:
            for step in work(request):
                os.write(writing, f"{step}\n".encode())
            time.sleep(600)
        finally:
            os._exit(1)
    os.close(writing)
    return worker, reading


def work(request: Mapping[str, Any]) -> Iterator[str]:
    """Start two boxes, let both run, freeze both, and let one go on; in STEPS steps."""
    sandbox = sandbox_of(request)
    yield mark()
    running: list[BoxedProcess] = []
    for _ in range(2):
        running.append(sandbox.start(box_of(request)))
        yield "started"
    for process in running:
        process.ready()
        yield "ready"
    for process in running:
        process.release()
        yield "released"
    for process in running:
        process.freeze()
        yield "frozen"
    running[1].thaw()
    yield "thawed"


ORDERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "offers": tell_offers,
    "run": run,
    "hold": hold,
    "ask": of_held(ask),
    "ask frozen": of_held(lambda process: ask(process, patience_s=0.2)),
    "freeze": of_held(lambda process: process.freeze()),
    "thaw": of_held(lambda process: process.thaw()),
    "kill": kill_held,
    "match": match,
    "led": led,
    "left": tell_left,
    "build": build_source,
    "kill workers": kill_workers,
}

if __name__ == "__main__":
    main()
