"""Looking at everything, and printing what was found for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from rich.text import Text

from cli.context import Context
from cli.doctor.clock import clock
from cli.doctor.clock_attacks import clock_attacks
from cli.doctor.finding import Finding
from cli.doctor.languages import language, numpy_of_bots
from cli.doctor.machine import CpuTimes, machine, stolen_time
from cli.doctor.sandbox import guarantees, guarantees_without, the_sandbox, tiers
from cli.doctor.services import services
from engine.toolchains.languages import languages

MARKS = {True: ("ok", "green"), False: ("no", "yellow"), None: ("--", "dim")}
WARNING = ("! ", "yellow")


def examine(context: Context, on_step: Callable[[str], object], *, attack_clock: bool = False) -> Iterator[Finding]:
    """Look at everything. `on_step` receives what comes next. `attack_clock`: bots try to cheat it, for seconds."""
    begin = CpuTimes.now()
    yield from machine(context.home.folder)
    on_step("the sandbox")
    sandbox, finding = the_sandbox()
    yield finding
    yield from tiers(sandbox)
    on_step("what the sandbox guarantees")
    yield from guarantees(sandbox) if sandbox is not None else guarantees_without(finding)
    on_step("the clock")
    yield from clock(sandbox)
    if attack_clock:
        yield from clock_attacks(sandbox)
    yield stolen_time(begin)
    on_step("the services")
    yield services(context)
    for known in languages().values():
        on_step(f"bots in {known.title}")
        yield language(known, sandbox)
    on_step("numpy")
    yield numpy_of_bots(sandbox)


def show(context: Context, findings: Iterable[Finding]) -> None:
    """Print the findings for people, by group."""
    for group, members in groupby(findings, lambda finding: finding.group):
        context.show(Text(group, style="bold"))
        for finding in members:
            mark, style = WARNING if finding.warning and not finding.ok else MARKS[finding.ok]
            style = "red" if finding.needed and not finding.ok else style
            context.show(Text.assemble("  ", (mark, style), f"  {finding.name}: {finding.detail}"))
            if not finding.ok and finding.remedy:
                context.show(f"        {finding.remedy}")
