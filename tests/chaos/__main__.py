"""`make chaos`: does the ladder lose or double anything, whatever is killed, stopped, filled or set back?

A ladder with two workers plays under full load for some minutes, and meanwhile this does what can happen to one: see
`faults`. Then it is left alone until it is quiet, and every promise is checked: see `checks`. Each act is printed with
its time and what it hit. The same seed makes the same plan; what it hits depends on the moment. The exit status is 1 if
a promise was broken, a fault could not be made, or one that is not mended did not raise its alert alone: see `alerts`.
"""

import argparse
import signal
import sys
from collections.abc import Callable
from random import Random

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.chaos import game_of_three
from tests.chaos.alerts import Raised, can_watch, watched
from tests.chaos.checks import Finding, check_all, most_attempts, nothing_is_left, reasons_of_failures
from tests.chaos.faults import Fault
from tests.chaos.load import BATTLES
from tests.chaos.run import KILLS, Run, begin, planned, title
from tests.chaos.victim import Stuck, Victim, victim
from workers.embedded import control

ENOUGH = 30
"""Matches waiting: with fewer somebody submits."""
MOST = 10_000


def main() -> int:
    """Do one run and return the exit status."""
    arguments = read_arguments()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    plan = planned(arguments.kills, Random(arguments.seed))
    for number in (signal.SIGINT, signal.SIGTERM):  # also where Ctrl-C was ignored by whoever started this
        signal.signal(number, signal.default_int_handler)
    console.print(f"seed {arguments.seed}: {len(plan)} faults in about {arguments.minutes:g} minutes")
    try:
        with victim() as ladder:
            return chaos(console, ladder, arguments.seed, plan, arguments.minutes)
    except KeyboardInterrupt:
        console.print("interrupted; the ladder is taken away")
        return 130


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the plan and the load [1]")
    parser.add_argument("--minutes", type=float, default=5.0, help="over which the faults are spread [5]")
    parser.add_argument("--kills", type=int, default=120, help="of processes, by SIGKILL [120]")
    arguments = parser.parse_args()
    if arguments.minutes <= 0 or arguments.kills < 1:
        parser.error("--minutes and --kills must be more than nothing")
    return arguments


def chaos(console: Console, ladder: Victim, seed: int, plan: list[Fault], minutes: float) -> int:
    game_of_three.add_to(ladder)
    ladder.ask("UPDATE leagues SET battles = %s", BATTLES)
    run = begin(ladder, seed, lambda line: console.print(escape(line), soft_wrap=True), enough=ENOUGH, most=MOST)
    try:
        stuck = disturb(console, run, plan, minutes)
        raised = wakened(run, stuck)
    finally:
        run.scene.load.end()
        run.scene.readers.end()
    findings = check_all(ladder, run.scene.load, run.scene.readers, run.scene.clients)
    failures = failures_table(reasons_of_failures(ladder), most_attempts(ladder))
    control.down(ladder.home)
    findings.append(nothing_is_left(ladder))
    console.print(faults_table(run), failures, promises_table(findings))
    console.print(alerts_table(raised))
    for words in stuck:
        console.print(f"[red]stuck:[/] {escape(words)}", soft_wrap=True)
    for name in run.missed:
        console.print(f"[red]not made:[/] {name}")
    tried = run.scene.load.tries
    console.print(f"{run.kills} kills; {len(run.scene.load.accepted)} submissions accepted in {tried} tries")
    bad = run.missed or any(finding.wrong for finding in findings) or any(not one.is_good for one in raised)
    return 1 if stuck or bad else 0


def disturb(console: Console, run: Run, plan: list[Fault], minutes: float) -> list[str]:
    """Make the faults and wait until the ladder is quiet, with a bar. Returns what does not end."""
    columns = (TextColumn("  {task.description}"), BarColumn(), TextColumn("{task.fields[state]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("faults", total=len(plan), state="")
        look = watcher(run, lambda words: bar.update(task, completed=sum(run.made.values()), state=words))
        run.do(plan, minutes, look)
        run.scene.load.end()
        run.log("the faults are over; what is left is played")
        bar.update(task, description="playing what is left")
        try:
            run.wait_until_quiet(look)
        except Stuck as error:
            return [str(error)]
        run.log("quiet")
        return []


def wakened(run: Run, stuck: list[str]) -> list[Raised]:
    """Make faults that nobody mends, and wait until the ladder is quiet. Adds to `stuck` what else is wrong."""
    if not can_watch():
        run.log("prometheus is not installed: apt-get install prometheus, and the alerts are tried, too")
        return []
    try:
        raised, wrong = watched(run.scene, run.log)
        run.wait_until_quiet()
    except Stuck as error:
        stuck.append(str(error))
        return []
    stuck += wrong
    return raised


def watcher(run: Run, show: Callable[[str], None]) -> Callable[[], None]:
    """Return what shows how the ladder does."""

    def look() -> None:
        now = run.progress()
        if now is not None:
            matches = now.matches
            show(
                f"{run.kills} kills; matches: {matches.finished} finished, {matches.waiting} wait, {matches.void} void"
            )

    return look


def faults_table(run: Run) -> Table:
    table = Table("fault", "made", title="what was done to it", title_justify="left")
    for fault, count in sorted(run.made.items(), key=lambda entry: -entry[1]):
        table.add_row(f"{title(fault)}{' (SIGKILL)' if fault in KILLS else ''}", str(count))
    return table


def failures_table(reasons: list[tuple[str, int, int]], most: int) -> Table:
    """Draw what is written down of the attempts that failed."""
    title_of_all = f"attempts that failed (no match was begun more than {most} times)"
    table = Table("why", "attempts", "count against the match", title=title_of_all, title_justify="left")
    for why, count, counted in reasons:
        table.add_row(escape(why), str(count), str(counted))
    return table


def alerts_table(raised: list[Raised]) -> Table:
    table = Table("fault", "its alert", "after", "others", title="what nobody mended", title_justify="left")
    for one in raised:
        after = "[red]never[/]" if one.after_s is None else f"{one.after_s:.0f} s"
        table.add_row(
            one.fault, one.alert or "none", after, f"[red]{', '.join(sorted(one.others))}[/]" if one.others else ""
        )
    return table


def promises_table(findings: list[Finding]) -> Table:
    table = Table("promise", "looked at", "kept", title="what was checked afterwards", title_justify="left")
    for finding in findings:
        wrong = "\n".join(finding.wrong[:10])
        table.add_row(finding.promise, finding.looked_at, f"[red]no[/]\n{escape(wrong)}" if wrong else "yes")
    return table


if __name__ == "__main__":
    sys.exit(main())
