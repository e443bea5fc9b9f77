"""What `ladder doctor` says first: three lines, and below them what does not work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from cli.doctor.finding import WAIT, Finding
from cli.doctor.languages import GROUP, NAME, NUMPY_OF_BOTS
from cli.doctor.machine import LOAD
from cli.exit_status import ExitStatus
from engine.text import listed


def is_broken(findings: Iterable[Finding]) -> bool:
    return any(finding.needed and not finding.ok for finding in findings)


def status_of(findings: Iterable[Finding]) -> ExitStatus:
    """Return the exit status: whether workers would start, as far as that is known."""
    reasons = [finding for finding in findings if finding.needed and not finding.ok]
    if not reasons:
        return ExitStatus.OK
    return ExitStatus.BUSY if all(finding.remedy == WAIT for finding in reasons) else ExitStatus.MISSING_TOOL


def summary(findings: Sequence[Finding]) -> list[Text]:
    """Say in three lines whether this machine is ready, how many matches it plays at once, and in which languages."""
    found = {finding.name: finding for finding in findings}
    ready = Text("not ready", "red") if is_broken(findings) else Text("ready", "green")
    cores, load = found["cores"].detail, found[LOAD]
    languages = [finding for finding in findings if finding.name.startswith(NAME)]
    works, missing, untried = (
        [one.name.removeprefix(NAME) for one in languages if one.ok is ok] for ok in (True, False, None)
    )
    return [
        Text.assemble(ready, f": {found['sandbox'].detail}"),
        Text(cores) if load.ok else Text.assemble(f"{cores}; ", (load.detail, "yellow")),
        Text(
            f"languages: {listed(works) or 'none'}{numpy_text(found[NUMPY_OF_BOTS])}"
            + (f"; not here: {listed(missing)}" if missing else "")
            + (f"; not known: {listed(untried)}" if untried else "")
        ),
    ]


def numpy_text(numpy: Finding) -> str:
    """Say whether Python bots have numpy, and else how they get it; "" where that is not known."""
    if numpy.ok:
        return "; Python has numpy"
    return f"; Python lacks numpy ({numpy.remedy})" if numpy.remedy else ""


def in_the_way(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what does not work, but for what the first three lines say."""
    return (one for one in findings if one.ok is False and not one.warning and one.group != GROUP)
