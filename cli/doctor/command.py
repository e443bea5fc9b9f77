"""`ladder doctor`: all examinations in their order: what this machine can do, and the command that would change it.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this

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
    clock, services and languages, and lets bots try to cheat the clock. Exit status 5 where workers would not start, 7
    where this machine is too busy to know.

    Example: ladder doctor
    """
    from cli.doctor.examining import examine, in_the_way, show, status_of, summary

    context = this(typer_context)
    with context.err.status("looking") as status:
        looks = examine(context, lambda what: status.update(f"looking at {what}"), attack_clock=everything)
        findings = list(looks)
    if as_json:
        context.show_json(findings)
    else:
        context.show(*summary(findings))
        show(context, findings if everything else list(in_the_way(findings)))
        if not everything:
            context.show(ALL)
    return status_of(findings)
