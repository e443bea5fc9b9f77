"""A gauntlet as files: JUnit XML, a page, or a folder with that page and one for each pair that was lost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from rich.progress import track

from cli.context import Context
from cli.options.files import check_free, write_file
from cli.options.pages import page_text
from engine.errors import Refused, UsageFault
from engine.text import counted
from ladder.gauntlets.headline import conclusion
from ladder.gauntlets.rendering.comparisons import ComparisonReport
from ladder.gauntlets.rendering.junit import junit_of
from ladder.gauntlets.rendering.sentences import final_lines, how_it_was_played
from ladder.gauntlets.rendering.table import (
    FAULT_COLUMNS,
    HOST_COLUMNS,
    LOST_COLUMNS,
    cells,
    columns,
    fault_cells,
    host_cells,
    is_marked,
    lost_cells,
    rows_of,
    title,
)
from ladder.gauntlets.report import Report
from ladder.ids import MatchId
from ladder.plots import gauges
from ladder.views.turns.match import MOST_AT_ONCE, watch_matches
from ladder.views.turns.watched import WatchedMatch

STYLE = """
:root { color-scheme: light dark; --good: #2a8a4a; --bad: #c0392b; --open: #b7860b; --line: #8888; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.1rem; border-left: .4rem solid var(--open); padding: .3rem .8rem; }
.passed { border-color: var(--good); } .failed { border-color: var(--bad); }
table { border-collapse: collapse; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } tr.bad td { color: var(--bad); }
svg { display: block; max-width: 45rem; margin: 1rem 0; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
code { overflow-wrap: anywhere; }
""".strip()


@dataclass(frozen=True, slots=True)
class Link:
    """Words in a table that lead to a file in the page's folder."""

    words: str
    file: str

    def __str__(self) -> str:
        return f'<a href="{escape(self.file)}">{escape(self.words)}</a>'


def html_of(report: Report, pages: Mapping[Sequence[int], str] | None = None) -> str:
    """Return a gauntlet as an HTML document.

    `pages`: the files in its folder that show lost pairs, by the numbers of their matches; None: there are none.
    """
    name = title(report.gauntlet)
    parts = [
        f"<h1>{escape(name)}</h1>",
        verdict_of(report),
        gauge_of(report),
        bars_of(report),
        section("Opponents", columns(report), lines_of(report), bad=[row.is_regression for row in rows_of(report)]),
        lost_of(report, pages or {}),
        faults_of(report),
        hosts_of(report),
        facts_of(report),
    ]
    body = "\n".join(filter(None, parts))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(name)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{STYLE}\n</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def lines_of(report: Report) -> list[list[str]]:
    return [cells(row, is_marked=is_marked(report, row)) for row in rows_of(report)]


def verdict_of(report: Report) -> str:
    state = report.gauntlet.verdict or report.gauntlet.state
    return f'<p class="verdict {escape(state)}"><strong>{escape(conclusion(report))}</strong></p>'


def gauge_of(report: Report) -> str:
    llr, bounds = report.judgement.llr, report.judgement.bounds
    return "" if llr is None or bounds is None else gauges.gauge(llr, *bounds)


def bars_of(report: Report) -> str:
    """Draw the share of the points against each opponent, the middle being one half; empty while nothing is known."""
    rows = [(row.opponent, row.score) for row in rows_of(report) if row.score is not None]
    return gauges.shares(rows) if rows else ""


def lost_of(report: Report, pages: Mapping[Sequence[int], str]) -> str:
    rows = [(*lost_cells(pair), links_of(pair.match_ids, pages)) for pair in report.lost]
    hint = "<p>Look at one with <code>ladder match view MATCH</code>.</p>" if any(row[-1] for row in rows) else ""
    return section("Lost pairs", LOST_COLUMNS, rows) + hint


def links_of(match_ids: Sequence[int], pages: Mapping[Sequence[int], str]) -> str | Link:
    words, file = ", ".join(map(str, match_ids)), pages.get(tuple(match_ids))
    return words if file is None else Link(words, file)


def faults_of(report: Report) -> str:
    return section("Time-outs and other faults", FAULT_COLUMNS, map(fault_cells, report.faults))


def hosts_of(report: Report) -> str:
    rows, bad = map(host_cells, report.hosts), [host.is_suspicious for host in report.hosts]
    return section("Machines", HOST_COLUMNS, rows, bad=bad)


def facts_of(report: Report) -> str:
    facts = [*how_it_was_played(report), *final_lines(report)[1:]]
    return "<h2>In words</h2>\n<ul>\n" + "\n".join(f"<li>{escape(fact)}</li>" for fact in facts) + "\n</ul>"


def section(
    heading: str, columns: Sequence[str], rows: Iterable[Sequence[str | Link]], bad: Sequence[bool] | None = None
) -> str:
    """Return a heading with a table, its bad rows marked; empty where there are no rows."""
    lines = [row_of("td", row, is_bad=bool(bad and bad[number])) for number, row in enumerate(rows)]
    if not lines:
        return ""
    table = "\n".join([row_of("th", columns), *lines])
    return f"<h2>{escape(heading)}</h2>\n<table>\n{table}\n</table>"


def row_of(tag: str, words: Iterable[str | Link], *, is_bad: bool = False) -> str:
    found = "".join(f"<{tag}>{word if isinstance(word, Link) else escape(word)}</{tag}>" for word in words)
    return f'<tr class="bad">{found}</tr>' if is_bad else f"<tr>{found}</tr>"


INDEX = "index.html"
PAGE_ENDINGS = (".html", ".htm")


def is_page(path: Path) -> bool:
    return path.suffix.lower() in PAGE_ENDINGS and not path.is_dir()


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


def with_verdict(report: Report | ComparisonReport) -> Report:
    """Return a gauntlet that asks for a verdict. Raises UsageFault for one in which variants are compared."""
    if isinstance(report, ComparisonReport):
        raise UsageFault("its variants are compared for no verdict: leave --worse-only, --junit and --html out")
    return report


def write_html(context: Context, report: Report, path: Path, *, over: bool) -> Iterator[str]:
    """Write a gauntlet as a page, or into a folder with one for each lost pair, and say so. Raises as `check_html`."""
    check_html(path, over=over)
    if is_page(path):
        write_file(path, html_of(report).encode(), over=over)
        return
    pairs = [tuple(pair.match_ids) for pair in report.lost if pair.match_ids]
    try:
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=path.absolute().parent) as draft:
            names = write_pairs(context, pairs, Path(draft))
            write_file(Path(draft) / INDEX, html_of(report, names).encode(), over=False)
            path.mkdir(exist_ok=True)
            for name in [*names.values(), INDEX]:
                (Path(draft) / name).replace(path / name)
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error
    yield f"{path / INDEX} shows the gauntlet, with {counted(len(names), 'lost pair')}: open it in a browser"


def write_pairs(context: Context, pairs: Sequence[tuple[MatchId, ...]], folder: Path) -> dict[Sequence[int], str]:
    """Write a page for each pair, its matches side by side, and return their names. Shows progress on a terminal."""
    names: dict[Sequence[int], str] = {}
    quiet = not context.err.is_terminal
    read = track(matches_of(context, pairs), "pages", len(pairs), console=context.err, transient=True, disable=quiet)
    for pair, matches in read:
        names[pair] = f"pair-{'-'.join(map(str, pair))}.html"
        write_file(folder / names[pair], page_text(context, *matches), over=False)
    return names


def matches_of(
    context: Context, pairs: Sequence[tuple[MatchId, ...]]
) -> Iterator[tuple[tuple[MatchId, ...], list[WatchedMatch]]]:
    """Give each pair with its matches. Some are read at once: for each reading a stopped ladder's database starts."""
    at_once = max(MOST_AT_ONCE // max(map(len, pairs), default=1), 1)
    for first in range(0, len(pairs), at_once):
        some = pairs[first : first + at_once]
        found = context.read(watch_matches, context.games, [match_id for pair in some for match_id in pair])
        by_id = {match.id: match for match in found}
        yield from ((pair, [by_id[match_id] for match_id in pair]) for pair in some)


def files_written(
    context: Context, report: Report | ComparisonReport, junit: Path | None, html: Path | None, *, over: bool
) -> Iterator[str]:
    """Write a gauntlet as files and say so, when its answer is printed."""
    if junit is not None:
        write_file(junit, junit_of(with_verdict(report)).encode(), over=True)
    if html is not None:
        yield from write_html(context, with_verdict(report), html, over=over)
