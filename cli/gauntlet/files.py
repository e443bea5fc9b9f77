"""A gauntlet as files: JUnit XML, a page, or a folder with that page and one for each pair that was lost."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from rich.progress import track

from cli.context import Context
from cli.match.view.command import page_text
from cli.options.files import all_or_nothing, check_free, write_file
from cli.options.matches import all_watched
from engine.errors import Refused, UsageFault
from engine.text import counted
from ladder import web
from ladder.gauntlets.junit import junit_of
from ladder.gauntlets.rendering import ComparisonReport
from ladder.gauntlets.report import GauntletReport
from ladder.ids import MatchId

INDEX = "index.html"


def is_page(path: Path) -> bool:
    return path.suffix.lower() in {".html", ".htm"} and not path.is_dir()


def check_html(path: Path, *, over: bool) -> None:
    """Raise Refused where something is that is not to be written over, UsageFault where nothing can be written."""
    if is_page(path):
        check_free(path, over=over)
    elif path.exists() and not path.is_dir():
        raise UsageFault(f"{path} is not a folder: name a new folder, or a page that ends in .html")
    elif path.exists() and not over and any(path.iterdir()):
        raise Refused(f"{path} has files already: name a new folder, or add --force to write over those of its pages")
    elif not path.absolute().parent.is_dir():
        raise UsageFault(f"cannot write {path}: there is no folder {path.parent}")


def with_verdict(report: GauntletReport | ComparisonReport) -> GauntletReport:
    """Return a gauntlet that asks for a verdict. Raises UsageFault for one in which variants are compared."""
    if isinstance(report, ComparisonReport):
        raise UsageFault("its variants are compared for no verdict: leave --worse-only, --junit and --html out")
    return report


def write_html(context: Context, report: GauntletReport, path: Path, *, over: bool) -> Iterator[str]:
    check_html(path, over=over)
    if is_page(path):
        write_file(path, web.pages.gauntlets.gauntlet_file(report, context.games).encode(), over=over)
        return
    pairs = [tuple(pair.match_ids) for pair in report.lost if pair.match_ids]
    with all_or_nothing(path) as draft:
        write_pairs(context, pairs, draft)
        index = web.pages.gauntlets.gauntlet_file(report, context.games, pairs)
        (draft / INDEX).write_text(index, "utf-8")
    yield f"{path / INDEX} shows the gauntlet, with {counted(len(pairs), 'lost pair')}: open it in a browser"


def write_pairs(context: Context, pairs: Sequence[tuple[MatchId, ...]], folder: Path) -> None:
    """Write a page for each pair, its matches side by side. Shows progress on a terminal."""
    matches = all_watched(context, [match_id for pair in pairs for match_id in pair])
    for pair in track(pairs, "pages", console=context.err, transient=True, disable=not context.err.is_terminal):
        page = page_text(context, *islice(matches, len(pair)))
        (folder / web.pages.gauntlets.pair_file(pair)).write_bytes(page)


def files_written(
    context: Context, report: GauntletReport | ComparisonReport, junit: Path | None, html: Path | None, *, over: bool
) -> Iterator[str]:
    """Write a gauntlet as files and say so, when its answer is printed."""
    if junit is not None:
        write_file(junit, junit_of(with_verdict(report)).encode(), over=True)
    if html is not None:
        yield from write_html(context, with_verdict(report), html, over=over)
