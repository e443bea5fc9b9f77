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
WARNING = ("! ", "yellow")
ALL = "`ladder doctor --all` lists everything that was looked at"


def doctor(
    typer_context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="List everything that was looked at, each guarantee too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Check what this machine can do.

    In three lines: whether it is ready, how many matches it plays at once, and the languages of which a bot was built
    and has run; below them what does not work, with a remedy. --all lists machine, sandbox, each of its guarantees,
    clock, services and languages. Exit status 5 where workers would not start.

    Example: ladder doctor
    """
    from cli.doctor.summary import in_the_way, is_broken, summary

    context = this(typer_context)
    with context.err.status("looking") as status:
        findings = list(examine(context, lambda what: status.update(f"looking at {what}")))
    if as_json:
        context.show_json(findings)
    else:
        context.show(*summary(findings))
        show(context, findings if everything else list(in_the_way(findings)))
        if not everything:
            context.show(ALL)
    return ExitStatus.MISSING_TOOL if is_broken(findings) else ExitStatus.OK


def show(context: Context, findings: Iterable[Finding]) -> None:
    """Print the findings for people, by group."""
    from rich.text import Text

    for group, members in groupby(findings, lambda finding: finding.group):
        context.show(Text(group, style="bold"))
        for finding in members:
            mark, style = WARNING if finding.warning and not finding.ok else MARKS[finding.ok]
            style = "red" if finding.needed and not finding.ok else style
            context.show(Text.assemble("  ", (mark, style), f"  {finding.name}: {finding.detail}"))
            if not finding.ok and finding.remedy:
                context.show(f"        {finding.remedy}")


def examine(context: Context, on_step: Callable[[str], object]) -> Iterator[Finding]:
    """Look at everything. `on_step` receives what comes next."""
    from cli.doctor.clock import clock
    from cli.doctor.languages import language, numpy_of_bots
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
    on_step("numpy")
    yield numpy_of_bots(sandbox)
