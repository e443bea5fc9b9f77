"""Which tiers of the sandbox work here and why the others do not, what the one that is used guarantees, and which
languages bots can be written in, found out by building and running a tiny bot of each in it."""

import os
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from cli.doctor.machine import Finding, too_busy
from engine.boxes import CGROUP, NESTED, NONE
from engine.errors import ArenaError, BuildRefused, HostBusy, MissingTool, NoBotUser, Refused, SandboxFault
from engine.sandbox.box import Sandbox
from engine.sandbox.budget import PATIENCE_S, WIDE_PATIENCE_S, Budget
from engine.sandbox.choice import VARIABLE, offered, open_sandbox
from engine.sandbox.guarantees import TABLE, GuaranteeFinding, demand_of, examine
from engine.sandbox.run_to_end import run_to_end
from engine.sandbox.starter import AS_ORDINARY_USER
from engine.toolchains.bot_folder import PROGRAM
from engine.toolchains.build import build, choose_toolchain
from engine.toolchains.languages import Language, find_language

PACKAGES = "sudo apt install bubblewrap libseccomp2 util-linux"
ALL = "all guarantees"
"""The finding in their place where this machine is too busy to try any."""
CONTAINER = (
    "docker run --security-opt seccomp=deploy/worker-seccomp.json --security-opt systempaths=unconfined "
    "--security-opt apparmor=unconfined ...  # see deploy/README.md"
)
OBSTACLES = (
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "15000"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Settings of the kernel that keep ordinary users from making boxes: name, value with which they do, a better one."""
LANGUAGES = "languages"
LANGUAGE = "language "
"""How the name of each finding about a language begins."""
NUMPY_OF_BOTS = "numpy of Python bots"
LINE = b"hello\n"
BUDGET = Budget(PATIENCE_S, memory_mb=1_000_000)
"""The bot's own limits hold its memory."""


def the_sandbox() -> tuple[Sandbox | None, Finding]:
    """Return the sandbox by machine and settings, or the strongest that works if none will do, and say which."""
    finding = partial(Finding, "sandbox", "sandbox", needed=True)
    try:
        sandbox = open_sandbox()
    except HostBusy as busy:
        return None, too_busy("sandbox", "sandbox", busy)
    except (MissingTool, Refused, SandboxFault) as fault:
        usable = strongest_that_works() if isinstance(fault, Refused) else None
        return usable, finding(ok=False, detail=str(fault), remedy=remedy_for(fault))
    if sandbox.name == NONE:
        words = "the tier `none`, as LADDER_SANDBOX asks for: for your own bots only, and workers refuse it"
        return sandbox, finding(ok=False, detail=words, remedy="unset LADDER_SANDBOX")
    return sandbox, finding(ok=True, detail=f"bots run in the tier `{sandbox.name}`")


def strongest_that_works() -> Sandbox | None:
    return next((open_sandbox(tier) for tier, fault in offered().items() if fault is None), None)


def tiers(used: Sandbox | None) -> Iterator[Finding]:
    for tier, fault in offered().items():
        if fault is None:
            detail = "works, and is used" if used and used.name == tier else "works"
            yield Finding("sandbox", f"tier {tier}", ok=True, detail=detail)
        elif isinstance(fault, HostBusy):
            yield Finding("sandbox", f"tier {tier}", ok=None, detail=str(fault))
        else:
            remedy = remedy_for(fault)
            if tier == CGROUP and not isinstance(fault, MissingTool | NoBotUser):
                run = f"systemd-run {'' if os.geteuid() == 0 else '--user '}--scope --property=Delegate=yes"
                remedy = f"{run} ladder up  # or deploy/ladder-worker.service"
            yield Finding("sandbox", f"tier {tier}", ok=False, detail=str(fault), remedy=remedy)


def weaker_by_choice(used: Sandbox) -> str:
    """Return the command that would let a stronger tier be used, where one works; else nothing."""
    strongest = strongest_that_works()
    if strongest is None or strongest.name == used.name or not os.environ.get(VARIABLE):
        return ""
    return f"unset {VARIABLE}  # the tier `{strongest.name}` works here as well"


def guarantees(sandbox: Sandbox | None, without: Finding) -> Iterator[Finding]:
    """Attack the sandbox from within and say what holds each guarantee. `without`: found in place of a sandbox."""
    demand = demand_of()
    if sandbox is None and without.ok is None:
        yield replace(without, group="guarantees", name=ALL)
        return
    why = "nothing enforces it, for want of a sandbox"
    unheld = [GuaranteeFinding(guarantee, holds=False, how=why, remedy=without.remedy) for guarantee in TABLE]
    try:
        findings = examine(sandbox) if sandbox else unheld
    except HostBusy as busy:
        yield too_busy("guarantees", ALL, busy)
        return
    by_choice = weaker_by_choice(sandbox) if sandbox else ""
    for finding in findings:
        is_demanded = demand in finding.guarantee.demanded_by
        means = f"enforced by {finding.how}" if finding.holds else finding.how
        detail = f"{finding.guarantee.sentence}; {means}{'' if is_demanded else ' (workers start without it)'}"
        remedy = (by_choice or finding.remedy) if finding.remedy else ""
        needed = is_demanded and (finding.holds is not None or finding.fails(demand))
        yield Finding("guarantees", finding.guarantee.name, finding.holds, detail, remedy, needed)


def remedy_for(fault: ArenaError) -> str:
    if isinstance(fault, MissingTool):
        return PACKAGES
    if isinstance(fault, NoBotUser):
        return AS_ORDINARY_USER
    for name, value, better in OBSTACLES:
        with suppress(OSError):
            if Path("/proc/sys", *name.split(".")).read_text("utf-8").strip() == value:
                return f"sudo sysctl -w {name}={better}"
    if "container" in os.environ or any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return CONTAINER
    return ""


@cache
def trials() -> dict[str, dict[str, str]]:
    """Return how each language is tried, by its name: `source`, and the Debian `packages` that it takes."""
    return tomllib.loads(Path(__file__).with_name("trials.toml").read_text("utf-8"))


def language(entry: Language, sandbox: Sandbox | None) -> Finding:
    is_program = entry.name == PROGRAM  # as it is handed in: of no language
    finding = partial(Finding, LANGUAGES, "programs as they are" if is_program else f"{LANGUAGE}{entry.title}")
    if sandbox is None:
        return finding(ok=None, detail="not tried, for want of a sandbox")
    trial = trials().get(entry.name, {})
    try:
        tool = choose_toolchain(entry, sandbox).name
        works = tool + (f", for {' '.join(entry.extensions)}" if entry.extensions else "")
        if "source" not in trial:
            return finding(ok=True, detail=f"{works}; not tried: no bot to try it with is known")
        require_answer(trial["source"], entry, sandbox)
        return finding(ok=True, detail=f"{works}; a bot was built and answered")
    except MissingTool as fault:
        packages = trial.get("packages")
        recipe = "docs/writing-a-bot.md, Languages of your own, says how a recipe is written" if entry.lacking else ""
        return finding(ok=False, detail=str(fault), remedy=f"sudo apt install {packages}" if packages else recipe)
    except HostBusy as busy:
        return finding(ok=None, detail=f"not known: {busy}")
    except ArenaError as fault:
        if isinstance(fault, BuildRefused) and fault.out_of_time:
            return finding(ok=None, detail=f"not known, as this machine is too slow to try it: {fault}")
        remedy = (weaker_by_choice(sandbox) or CONTAINER) if sandbox.name == NESTED else ""
        return finding(ok=False, detail=str(fault), remedy=remedy)


def bots_numpy(sandbox: Sandbox | None) -> Finding:
    """Say whether Python bots have numpy. They run by the system's Python, and see no environment of anybody's."""
    finding = partial(Finding, LANGUAGES, NUMPY_OF_BOTS)
    if sandbox is None:
        return finding(ok=None, detail="not tried, for want of a sandbox")
    try:
        bot = "import sys\nimport numpy\nprint(sys.executable, numpy.__version__)\n"
        program = build(bot, find_language("python"), sandbox)
        finished = run_to_end(sandbox, program.box(), wall_limit_s=WIDE_PATIENCE_S, output_kb=4, budget=BUDGET)
    except ArenaError as fault:
        return finding(ok=None, detail=f"not tried: {fault}")
    if finished.exit_code == 0:
        interpreter, version = finished.stdout.decode(errors="replace").split()[:2]
        return finding(ok=True, detail=f"version {version}, of {interpreter}")
    detail = "the Python that runs bots has none; only bots that import it need it"
    return finding(ok=None, detail=detail, remedy="sudo apt install python3-numpy")


def require_answer(source: str, recipe: Language, sandbox: Sandbox) -> None:
    program = build(source, recipe, sandbox)
    finished = run_to_end(sandbox, program.box(), LINE, wall_limit_s=WIDE_PATIENCE_S, output_kb=4, budget=BUDGET)
    if finished.timed_out:
        raise HostBusy(f"a bot was built, and had not answered when it was charged {PATIENCE_S:.0f} s")
    if finished.stdout.split() != LINE.split():
        outputs = (output.decode(errors="replace").strip()[-300:] for output in (finished.stdout, finished.stderr))
        answer, complaint = (words or "nothing" for words in outputs)
        said = f"it said: {answer}; its last words on stderr: {complaint}"
        raise SandboxFault(f"a bot was built, but ended with {finished.exit_code} instead of answering; {said}")
