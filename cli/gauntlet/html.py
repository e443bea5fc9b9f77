"""A gauntlet as one page to look at: it needs no network and no script, and everything in it is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from cli.gauntlet.tables import cells, final_lines, is_marked, question, rows_of, title
from engine.text import duration
from ladder.gauntlets.headline import conclusion
from ladder.gauntlets.report import Report

STYLE = """
:root { color-scheme: light dark; --good: #2a8a4a; --bad: #c0392b; --open: #b7860b; --line: #8888; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.1rem; border-left: .4rem solid var(--open); padding: .3rem .8rem; }
.passed { border-color: var(--good); } .failed { border-color: var(--bad); }
table { border-collapse: collapse; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } tr.bad td { color: var(--bad); }
svg { display: block; max-width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
code { overflow-wrap: anywhere; }
""".strip()

COLUMNS = (
    "opponent",
    "pairs",
    "worst to best",
    "score",
    "as player 0",
    "as player 1",
    "Elo",
    "LOS",
    "even",
    "pair ratio",
    "",
)
WIDTH = 720
LETTER = 8
"""Pixels that a letter of a name takes at most."""
LONGEST_NAME = 44
ROW = 26
MARGIN = 60
"""Pixels at both sides of a gauge."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words in a table that lead to a file in the page's folder."""

    words: str
    file: str

    def __str__(self) -> str:
        """Return it as HTML."""
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
        section("Opponents", COLUMNS, lines_of(report), bad=[row.is_regression for row in rows_of(report)]),
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
    """Return the lines of the table of opponents."""
    return [cells(row, is_marked=is_marked(report, row)) for row in rows_of(report)]


def verdict_of(report: Report) -> str:
    """Say what came of it, and what else ought to be known."""
    state = report.gauntlet.verdict or report.gauntlet.state
    return f'<p class="verdict {escape(state)}"><strong>{escape(conclusion(report))}</strong></p>'


def gauge_of(report: Report) -> str:
    """Draw the log-likelihood ratio between its bounds; empty without a sequential test."""
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr is None or bounds is None:
        return ""
    lower, upper = bounds

    def place(value: float) -> float:
        return MARGIN + (min(max(value, lower), upper) - lower) / (upper - lower) * (WIDTH - 2 * MARGIN)

    left, right, zero, now = (f"{place(value):.1f}" for value in (lower, upper, 0.0, llr))
    colour = "var(--good)" if llr > 0 else "var(--bad)"
    return (
        f'<svg viewBox="0 0 {WIDTH} 60" width="{WIDTH}" height="60" role="img">'
        f"<title>log-likelihood ratio {llr:.2f} between {lower:.2f} and {upper:.2f}</title>"
        f'<line x1="{left}" x2="{right}" y1="30" y2="30" stroke="var(--line)" stroke-width="10"/>'
        f'<line x1="{zero}" x2="{now}" y1="30" y2="30" stroke="{colour}" stroke-width="10"/>'
        f'<line x1="{zero}" x2="{zero}" y1="20" y2="40" stroke="currentColor"/>'
        f'<circle cx="{now}" cy="30" r="8" fill="{colour}"/>'
        f'<text x="{now}" y="14" text-anchor="middle">LLR {llr:+z.2f}</text>'
        f'<text x="{left}" y="55" text-anchor="middle">failed {lower:.2f}</text>'
        f'<text x="{right}" y="55" text-anchor="middle">passed {upper:.2f}</text></svg>'
    )


def bars_of(report: Report) -> str:
    """Draw the share of the points against each opponent, the middle being one half; empty while nothing is known."""
    rows = [(row.opponent, row.score) for row in rows_of(report) if row.score is not None]
    if not rows:
        return ""
    names = LETTER * (1 + min(max(len(name) for name, _ in rows), LONGEST_NAME))
    drawn = "".join(bar(name, score, names, ROW * line) for line, (name, score) in enumerate(rows))
    middle = (names + WIDTH - MARGIN) / 2
    height = ROW * len(rows)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">'
        f"<title>share of the points against each opponent</title>{drawn}"
        f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="0" y2="{height}" stroke="currentColor"/></svg>'
    )


def bar(name: str, score: float, left: int, top: int) -> str:
    """Draw one bar with its name before it and its number behind. `left`, `top`: of the bar, in pixels."""
    room = WIDTH - left - MARGIN
    colour = "var(--good)" if score > 0.5 else "var(--bad)" if score < 0.5 else "var(--open)"
    return (
        f'<text x="0" y="{top + 17}">{escape(name)}</text>'
        f'<rect x="{left}" y="{top + 4}" width="{room}" height="{ROW - 8}" fill="var(--line)" opacity=".4"/>'
        f'<rect x="{left}" y="{top + 4}" width="{room * score:.1f}" height="{ROW - 8}" fill="{colour}"/>'
        f'<text x="{WIDTH}" y="{top + 17}" text-anchor="end">{100 * score:.1f} %</text>'
    )


def lost_of(report: Report, pages: Mapping[Sequence[int], str]) -> str:
    """List the pairs that were lost, worst first, and how to look at them."""
    rows = [
        (pair.opponent, str(pair.seed), f"{pair.half_points / 2:g} of 2", matches_of(pair.match_ids, pages))
        for pair in report.lost
    ]
    hint = "<p>Look at one with <code>ladder match view MATCH</code>.</p>" if any(row[3] for row in rows) else ""
    return section("Lost pairs", ("opponent", "seed", "points", "matches"), rows) + hint


def matches_of(match_ids: Sequence[int], pages: Mapping[Sequence[int], str]) -> str | Link:
    """Return the numbers of a pair's matches, as a link where a file shows them."""
    words, file = ", ".join(map(str, match_ids)), pages.get(tuple(match_ids))
    return words if file is None else Link(words, file)


def faults_of(report: Report) -> str:
    """List who lost by time-outs or other faults."""
    rows = [(row.version, str(row.timeouts), str(row.faults)) for row in report.faults]
    return section("Time-outs and other faults", ("version", "time-outs", "faults"), rows)


def hosts_of(report: Report) -> str:
    """List the machines that played, and which differs from the others by more than chance."""
    rows = [
        (
            host.host,
            "-".join(map(str, host.counts)),
            f"{host.residual:.1f}",
            "differs by more than chance" if host.is_suspicious else "",
        )
        for host in report.hosts
    ]
    heading = ("machine", "pairs, worst to best", "residual", "")
    return section("Machines", heading, rows, bad=[host.is_suspicious for host in report.hosts])


def facts_of(report: Report) -> str:
    """Describe how it was played, with all remarks in words."""
    gauntlet = report.gauntlet
    begun = f"{gauntlet.created_at:%Y-%m-%d %H:%M %Z}".strip()
    facts = [
        f"asked for by {gauntlet.asked_by}, begun {begun}, took {duration(report.elapsed_s)}",
        f"{question(gauntlet)}; {report.pairs} pairs were played; its seed is {gauntlet.seed}",
        *final_lines(report)[1:],
    ]
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
    """Return one line of a table."""
    found = "".join(f"<{tag}>{word if isinstance(word, Link) else escape(word)}</{tag}>" for word in words)
    return f'<tr class="bad">{found}</tr>' if is_bad else f"<tr>{found}</tr>"
