"""`ladder doctor`: what this machine can do, what it cannot, and the one command that would change it.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus

if TYPE_CHECKING:
    from cli.doctor.finding import Finding

MARKS = {True: ("ok", "green"), False: ("no", "yellow"), None: ("--", "dim")}


def doctor(
    typer_context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Check what this machine can do.

    Machine, sandbox and each of its guarantees, the clock, services, and each language by building and running a bot;
    what is missing comes with a remedy. Exit status 5 where workers would not start.

    Example: ladder doctor
    """
    context = this(typer_context)
    with context.err.status("looking") as status:
        findings = list(examine(context, lambda what: status.update(f"looking at {what}")))
    if as_json:
        context.show_json(findings)
    else:
        show(context, findings)
    broken = any(finding.needed and not finding.ok for finding in findings)
    return ExitStatus.MISSING_TOOL if broken else ExitStatus.OK


def show(context: Context, findings: Iterable[Finding]) -> None:
    """Print the findings for people, by group."""
    from rich.text import Text

    for group, members in groupby(findings, lambda finding: finding.group):
        context.show(Text(group, style="bold"))
        for finding in members:
            mark, style = MARKS[finding.ok]
            style = "red" if finding.needed and not finding.ok else style
            context.show(Text.assemble("  ", (mark, style), f"  {finding.name}: {finding.detail}"))
            if not finding.ok and finding.remedy:
                context.show(f"        {finding.remedy}")


def examine(context: Context, on_step: Callable[[str], object]) -> Iterator[Finding]:
    """Look at everything. `on_step` receives what comes next."""
    from cli.doctor.clock import clock
    from cli.doctor.languages import language
    from cli.doctor.machine import CpuTimes, machine, stolen_time
    from cli.doctor.sandbox import guarantees, guarantees_without, the_sandbox, tiers
    from cli.doctor.services import services
    from engine.toolchains.languages import languages

    begin = CpuTimes.now()
    yield from machine(context.home.folder)
    on_step("the sandbox")
    sandbox, finding = the_sandbox()
    yield finding
    yield from tiers(sandbox)
    on_step("what the sandbox guarantees")
    yield from guarantees(sandbox) if sandbox is not None else guarantees_without(finding.remedy)
    on_step("the clock")
    yield from clock(sandbox)
    yield stolen_time(begin)
    on_step("the services")
    yield services(context)
    for known in languages().values():
        on_step(f"bots in {known.title}")
        yield language(known, sandbox)
