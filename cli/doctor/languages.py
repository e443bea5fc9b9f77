"""Which languages bots can be written in here, found out by building and running a tiny bot in each."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from cli.doctor.finding import Finding
from cli.doctor.sandbox import CONTAINER, weaker_by_choice
from engine.boxes import NESTED
from engine.errors import ArenaError, BuildRefused, HostBusy, MissingTool, SandboxFault
from engine.sandbox.box import Sandbox
from engine.sandbox.budget import PATIENCE_S, WIDE_PATIENCE_S, Budget
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.bot_folder import PROGRAM
from engine.toolchains.build import build, choose_toolchain
from engine.toolchains.languages import Language, find_language

GROUP = "languages"
NAME = "language "
"""How the name of each finding about a language begins."""
PROGRAMS = "programs as they are"
"""The finding about bots that are handed in as a program: no language."""
NUMPY_OF_BOTS = "numpy of Python bots"
TRIALS_FILE = Path(__file__).with_name("trials.toml")
LINE = b"hello\n"
BUDGET = Budget(PATIENCE_S, memory_mb=1_000_000)
"""The bot's own limits hold its memory."""
OWN_RECIPE = "docs/writing-a-bot.md, Languages of your own, says how a recipe is written"
NUMPY = "import sys\nimport numpy\nprint(sys.executable, numpy.__version__)\n"
"""A bot that says which Python runs it, and which numpy it has."""


@cache
def trials() -> dict[str, dict[str, str]]:
    """Return how each language is tried, by its name: `source`, and the Debian `packages` that it takes."""
    return tomllib.loads(TRIALS_FILE.read_text("utf-8"))


def language(known: Language, sandbox: Sandbox | None) -> Finding:
    name = PROGRAMS if known.name == PROGRAM else f"{NAME}{known.title}"
    if sandbox is None:
        return Finding(GROUP, name, ok=None, detail="not tried, for want of a sandbox")
    trial = trials().get(known.name, {})
    try:
        return Finding(GROUP, name, ok=True, detail=what_works(known, trial.get("source"), sandbox))
    except MissingTool as fault:
        packages = trial.get("packages")
        remedy = f"sudo apt install {packages}" if packages else OWN_RECIPE if known.lacking else ""
        return Finding(GROUP, name, ok=False, detail=str(fault), remedy=remedy)
    except HostBusy as busy:
        return Finding(GROUP, name, ok=None, detail=f"not known: {busy}")
    except ArenaError as fault:
        if isinstance(fault, BuildRefused) and fault.out_of_time:
            return Finding(GROUP, name, ok=None, detail=f"not known, as this machine is too slow to try it: {fault}")
        remedy = (weaker_by_choice(sandbox) or CONTAINER) if sandbox.name == NESTED else ""
        return Finding(GROUP, name, ok=False, detail=str(fault), remedy=remedy)


def numpy_of_bots(sandbox: Sandbox | None) -> Finding:
    """Say whether Python bots have numpy. They run by the system's Python, and see no environment of anybody's."""
    name = NUMPY_OF_BOTS
    if sandbox is None:
        return Finding(GROUP, name, ok=None, detail="not tried, for want of a sandbox")
    try:
        program = build(NUMPY, find_language("python"), sandbox)
        finished = run_to_end(sandbox, program.box(), wall_limit_s=WIDE_PATIENCE_S, output_kb=4, budget=BUDGET)
    except ArenaError as fault:
        return Finding(GROUP, name, ok=None, detail=f"not tried: {fault}")
    if finished.exit_code == 0:
        interpreter, version = finished.stdout.decode(errors="replace").split()[:2]
        return Finding(GROUP, name, ok=True, detail=f"version {version}, of {interpreter}")
    detail = "the Python that runs bots has none; only bots that import it need it"
    return Finding(GROUP, name, ok=None, detail=detail, remedy="sudo apt install python3-numpy")


def what_works(known: Language, source: str | None, sandbox: Sandbox) -> str:
    words = choose_toolchain(known, sandbox).name + (f", for {' '.join(known.extensions)}" if known.extensions else "")
    if source is None:
        return f"{words}; not tried: no bot to try it with is known"
    require_answer(source, known, sandbox)
    return f"{words}; a bot was built and answered"


def require_answer(source: str, known: Language, sandbox: Sandbox) -> None:
    program = build(source, known, sandbox)
    finished = run_to_end(sandbox, program.box(), LINE, wall_limit_s=WIDE_PATIENCE_S, output_kb=4, budget=BUDGET)
    if finished.timed_out:
        raise HostBusy(f"a bot was built, and had not answered when it was charged {PATIENCE_S:.0f} s")
    if finished.stdout.split() != LINE.split():
        how = f"ended with {finished.exit_code}"
        said, complained = _last_words(finished.stdout), _last_words(finished.stderr)
        raise SandboxFault(
            f"a bot was built, but {how} instead of answering; it said: {said}; its last words on stderr: {complained}"
        )


def _last_words(output: bytes) -> str:
    return output.decode(errors="replace").strip()[-300:] or "nothing"
