"""`ladder gauntlet show`: how a gauntlet went, also as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cli.answer import Found
from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.gauntlet.files import check_html, with_verdict, write_html
from cli.gauntlet.options import WorseOnlyOption
from cli.gauntlet.printing import announced_at_interrupt, follow, read_report, result_of
from cli.options.files import file_option, force_option, write_file
from cli.options.numbers import id_argument
from ladder.gauntlets.rendering.comparisons import ComparisonReport
from ladder.gauntlets.rendering.junit import junit_of
from ladder.gauntlets.report import Report
from ladder.ids import GauntletId


def show_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Follow it to its end; the exit status is the verdict's.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    junit: Annotated[Path | None, file_option("--junit", "Write it as JUnit XML, for CI systems.")] = None,
    html: Annotated[
        Path | None,
        file_option("--html", "Write it as a page, FILE.html, or into a folder with a page for each lost pair too."),
    ] = None,
    force: Annotated[bool, force_option("--html")] = False,
    worse_only: WorseOnlyOption = False,
) -> Found:
    """Show a gauntlet: each opponent, the verdict, the pairs that were lost.

    With --worse-only: all pairs that it lost to the version that decides; with a baseline, all matches that it lost and
    the baseline, in the same seat on the same seed, did not; each with the commands to see it and to play it again.

    The pages need no network. In a lost pair's both matches are side by side, to be played, paused and stepped through.

    Example: ladder gauntlet show 12 --junit gauntlet.xml

    Example: ladder gauntlet show 12 --html gauntlet-12
    """
    context = this(typer_context)
    if html is not None:
        check_html(html, over=force)
    report = read_report(context, gauntlet)
    if worse_only or junit is not None or html is not None:
        with_verdict(report)
    if watch:
        with announced_at_interrupt(context, gauntlet):
            report = follow(context, gauntlet, as_json=as_json)
    answer = result_of(report, worse_only=worse_only)
    return replace(
        answer,
        after=files_written(context, report, junit, html, over=force),
        status=answer.status if watch else ExitStatus.OK,
    )


def files_written(
    context: Context, report: Report | ComparisonReport, junit: Path | None, html: Path | None, *, over: bool
) -> Iterator[str]:
    """Write a gauntlet as files and say so, when its answer is printed."""
    if junit is not None:
        write_file(junit, junit_of(with_verdict(report)).encode(), over=True)
    if html is not None:
        yield from write_html(context, with_verdict(report), html, over=over)
