"""`ladder doctor`: all examinations in their order: what this machine can do, and the command that would change it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Annotated

from rich.text import Text

import workers
from cli.answer import Answer, ExitStatus, option
from cli.context import Context
from cli.doctor.clock import clock, clock_attacks
from cli.doctor.machine import LOAD, WAIT, Finding, MachineTimes, machine, stolen_time
from cli.doctor.sandbox import LANGUAGE, LANGUAGES, NUMPY_OF_BOTS, bots_numpy, guarantees, language, the_sandbox, tiers
from engine.errors import ArenaError
from engine.text import listed
from engine.toolchains.languages import languages
from ladder import views

ALL = "`ladder doctor --all` lists everything that was looked at"


def summary(findings: Sequence[Finding]) -> list[Text]:
    by_name = {finding.name: finding for finding in findings}
    is_ready = all(finding.ok or not finding.needed for finding in findings)
    ready = Text("ready", "green") if is_ready else Text("not ready", "red")
    load = by_name[LOAD]
    numpy = by_name[NUMPY_OF_BOTS]
    languages = [finding for finding in findings if finding.name.startswith(LANGUAGE)]
    works, missing, untried = (
        [finding.name.removeprefix(LANGUAGE) for finding in languages if finding.ok is ok] for ok in (True, False, None)
    )
    lacks_numpy = f"; Python lacks numpy ({numpy.remedy})" if numpy.remedy else ""
    words = f"languages: {listed(works) or 'none'}{'; Python has numpy' if numpy.ok else lacks_numpy}"
    words += f"; not here: {listed(missing)}" if missing else ""
    words += f"; not known: {listed(untried)}" if untried else ""
    cores = by_name["cores"].detail
    can_play = Text(cores) if load.ok else Text.assemble(f"{cores}; ", (load.detail, "yellow"))
    return [Text.assemble(ready, f": {by_name['sandbox'].detail}"), can_play, Text(words)]


def services(context: Context) -> Finding:
    finding = partial(Finding, "services", "services")
    are_named = context.settings.database_url and context.settings.broker_url
    if not are_named and context.services is None:
        return finding(ok=True, detail=f"not running; `ladder up` starts them in {context.home.folder}")
    remedy = "" if are_named else "ladder down && ladder up"  # those that are named belong to others
    try:
        with context.database() as connection:
            version = views.fleet.server_version(connection)
        workers.broker.queue_lengths(context.broker_url)
    except ArenaError as error:
        return finding(ok=False, detail=str(error), remedy=remedy)
    return finding(ok=True, detail=f"PostgreSQL {version} and Redis answer")


MARKS = {True: ("ok", "green"), False: ("no", "yellow"), None: ("--", "dim")}
WARNING = ("! ", "yellow")


def examine(context: Context, on_step: Callable[[str], object], *, attack_clock: bool = False) -> Iterator[Finding]:
    """Look at everything. `on_step` receives what comes next. `attack_clock`: bots try to cheat it, for seconds."""
    begin = MachineTimes.now()
    yield from machine(context.home.folder)
    on_step("the sandbox")
    sandbox, finding = the_sandbox()
    yield finding
    yield from tiers(sandbox)
    on_step("what the sandbox guarantees")
    yield from guarantees(sandbox, finding)
    on_step("the clock")
    yield from clock(sandbox)
    if attack_clock:
        yield from clock_attacks(sandbox)
    yield stolen_time(begin)
    on_step("the services")
    yield services(context)
    for recipe in languages().values():
        on_step(f"bots in {recipe.title}")
        yield language(recipe, sandbox)
    on_step("numpy")
    yield bots_numpy(sandbox)


def findings_text(findings: Iterable[Finding]) -> Iterator[Text | str]:
    for group, members in groupby(findings, lambda finding: finding.group):
        yield Text(group, style="bold")
        for finding in members:
            mark, style = WARNING if finding.warning and not finding.ok else MARKS[finding.ok]
            style = "red" if finding.needed and not finding.ok else style
            yield Text.assemble("  ", (mark, style), f"  {finding.name}: {finding.detail}")
            if not finding.ok and finding.remedy:
                yield f"        {finding.remedy}"


def doctor(
    context: Context,
    everything: Annotated[bool, option("--all -a", "List everything that was looked at, each guarantee too.")] = False,
) -> Annotated[Answer, "Print the findings as JSON."]:
    """Check what this machine can do.

    In three lines: whether it is ready, how many matches it plays at once, and the languages of which a bot was built
    and has run; below them what does not work, with a remedy. --all lists machine, sandbox, each of its guarantees,
    clock, services and languages, and lets bots try to cheat the clock. Exit status 5 where workers would not start, 7
    where this machine is too busy to know.

    Example: ladder doctor
    """
    with context.err.status("looking") as status:
        findings = list(examine(context, lambda what: status.update(f"looking at {what}"), attack_clock=everything))
    faults = (finding for finding in findings if finding.ok is False and not finding.warning)
    in_the_way = [finding for finding in faults if finding.group != LANGUAGES]
    details = findings_text(findings) if everything else [*findings_text(in_the_way), ALL]
    reasons = [finding for finding in findings if finding.needed and not finding.ok]
    problem = ExitStatus.BUSY if all(finding.remedy == WAIT for finding in reasons) else ExitStatus.MISSING_TOOL
    return Answer(findings, [*summary(findings), *details], status=problem if reasons else ExitStatus.OK)
