"""`ladder doctor`: what this machine can do, what it cannot, and the one command that would change it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.status import ExitStatus
from engine.errors import ArenaError

if TYPE_CHECKING:
    from engine.languages import Language

LEAST_FREE_MB = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `needed`: nothing works without it. `remedy`: what to do if it is not ok."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    needed: bool = False


def doctor(
    typer_context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Check what this machine can do.

    Sandbox, services, cores, disk and the toolchains for bots; what is missing comes with a remedy.

    Example: ladder doctor
    """
    context = this(typer_context)
    findings = list(examine(context))
    if as_json:
        context.show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mark, style = ("ok", "green") if finding.ok else ("no", "red" if finding.needed else "yellow")
            context.show(f"[{style}]{mark:3}[/] {finding.name}: {finding.detail}")
            if not finding.ok and finding.remedy:
                context.show(f"      {finding.remedy}")
    broken = any(finding.needed and not finding.ok for finding in findings)
    return ExitStatus.MISSING_TOOL if broken else ExitStatus.OK


def examine(context: Context) -> Iterator[Finding]:
    """Look at everything."""
    yield Finding("Python", ok=True, detail=sys.version.split()[0])
    yield sandbox()
    yield from sandbox_guarantees()
    yield services(context)
    yield machine()
    yield disk(context)
    yield from toolchains()


def finding_of(name: str, look: Callable[[], str], *, needed: bool) -> Finding:
    """Make a finding of something that says a detail or raises an error of ours."""
    try:
        return Finding(name, ok=True, detail=look(), needed=needed)
    except ArenaError as error:
        return Finding(name, ok=False, detail=str(error), needed=needed)


def sandbox() -> Finding:
    """Start a trivial program in the sandbox."""
    from engine.sandbox import open_sandbox

    def look() -> str:
        open_sandbox().probe()
        return "bubblewrap starts programs in namespaces of their own"

    return finding_of("sandbox", look, needed=True)


def sandbox_guarantees() -> Iterator[Finding]:
    """Say what the sandbox enforces at this point, and what it does not."""
    for name, how in (
        ("bots see no network, other processes or files of this machine", "namespaces and a read-only system"),
        ("bots run as an ordinary user", "a user namespace; as root also another uid"),
        (
            "memory, threads, open files and file sizes are limited",
            "resource limits; memory counts private memory only",
        ),
        ("bots inherit nothing from our environment", "a cleared environment"),
    ):
        yield Finding(name, ok=True, detail=f"enforced by {how}")
    yield Finding(
        "system calls are filtered", ok=False, detail="not yet", remedy="nothing to install: Ladder lacks it so far"
    )
    yield Finding(
        "a busy host costs no bot its turn",
        ok=False,
        detail="not yet: turns are measured by wall time",
        remedy="leave a core free of other work, or play fewer matches at once (`ladder up --workers 1`)",
    )


def services(context: Context) -> Finding:
    """Look for the services."""
    if context.settings.database_url and context.settings.broker_url:
        return finding_of("services", lambda: reachable(context), needed=False)
    if context.services is None:
        return Finding("services", ok=True, detail=f"not running; `ladder up` starts them in {context.home.folder}")
    return finding_of("services", lambda: reachable(context), needed=False)


def reachable(context: Context) -> str:
    """Ask both services. Raises Unavailable."""
    from workers.bell import queue_lengths

    with context.database() as connection:
        row = connection.execute("SHOW server_version").fetchone()
    queue_lengths(context.broker_url)
    return f"PostgreSQL {row[0] if row else '?'} and Redis answer"


def machine() -> Finding:
    """Compare the load with the cores."""
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return Finding(
        "cores",
        ok=load < cores,
        detail=f"{cores}, load {load:.1f} in the last minute",
        remedy="other programs are busy here: bots may lose turns to them",
    )


def disk(context: Context) -> Finding:
    """Look for room for data."""
    folder = next(path for path in (context.home.folder, *context.home.folder.parents) if path.exists())
    free_mb = shutil.disk_usage(folder).free // 2**20
    return Finding("disk", ok=free_mb > LEAST_FREE_MB, detail=f"{free_mb:,} MB free for {context.home.folder}")


def toolchains() -> Iterator[Finding]:
    """Look for each language's tools where bots can use them."""
    from engine.languages import languages
    from engine.sandbox import open_sandbox
    from engine.toolchain import choose_toolchain

    for language in languages().values():

        def look(language: Language = language) -> str:
            return f"{choose_toolchain(language, open_sandbox()).name}, for {' '.join(language.extensions)}"

        yield finding_of(f"language {language.title}", look, needed=False)
