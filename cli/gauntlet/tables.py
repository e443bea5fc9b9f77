"""How a gauntlet reads: its one sentence, its table, and the gauge of its sequential test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from cli.render import counted
from cli.terminal.table import FittingTable
from ladder.gauntlets.automatic_gauntlets import StandingGauntlet
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.report import Against, LostPair, Report
from ladder.gauntlets.verdict import is_clear
from ladder.statistics.elo import Estimate

VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}
CLAIMS = {"passed": "better", "failed": "worse"}
"""The one word that a sentence may use beside each verdict; beside every other state it may use neither."""
MOST_LOST_SHOWN = 5
GAUGE_COLUMNS = 40
HEADS = ("opponent", "pairs", "worst\nto best", "score", "Elo", "LOS", "even", "pair\nratio", "remark")


def headline(report: Report) -> str:
    """Say in one sentence what a gauntlet has found: how much better, against whom worse, what to look at."""
    words = [f"{comparison(report)} ({pairs_text(report)}, {duration(report.elapsed_s)})"]
    if report.regressions:
        worse = ", ".join(f"{one.opponent} (LOS {percent(one.estimate)})" for one in report.regressions)
        names = {one.opponent for one in report.regressions}
        lost = sum(pair.opponent in names for pair in report.lost)
        words.append(f"worse against {worse}: see {lost} lost pair{'s' * (lost != 1)}")
    return "; ".join(words)


def comparison(report: Report) -> str:
    """Say how the candidate compares with its baseline or with whom it played: what the verdict says, and no more."""
    candidate, other = report.gauntlet.candidate, compared_with(report.gauntlet)
    verdict, estimate = report.gauntlet.verdict, report.judgement.estimate
    if estimate is None:
        return f"nothing is known yet of {candidate} and {other}"
    interval = f"{estimate.low:+.0f} to {estimate.high:+.0f} Elo"
    if verdict == "passed" and estimate.low > 0:
        return f"{candidate} is better than {other} by {estimate.low:.0f} to {estimate.high:.0f} Elo"
    if verdict == "failed" and estimate.high < 0:
        return f"{candidate} is worse than {other} by {-estimate.high:.0f} to {-estimate.low:.0f} Elo"
    if verdict in CLAIMS and CLAIMS[verdict] == leaning(estimate):
        return f"{candidate} is probably {CLAIMS[verdict]} than {other}: {interval}"
    if verdict in CLAIMS:
        return f"{candidate} against {other}: {interval}{nearer_to(report)}"
    if estimate.low <= 0 <= estimate.high:
        return f"{candidate} and {other} are too close to tell apart: {interval}"
    return f"the pairs so far do not decide between {candidate} and {other}: {interval}"


def leaning(estimate: Estimate) -> str | None:
    """Say better or worse where an estimate says so with confidence."""
    if not is_clear(estimate):
        return None
    return "better" if estimate.los > 0.5 else "worse"


def nearer_to(report: Report) -> str:
    """Say between which differences a sequential test has decided; '' without one."""
    test = report.gauntlet.test
    if test is None:
        return ""
    chosen, other = (test.elo1, test.elo0) if report.gauntlet.verdict == "passed" else (test.elo0, test.elo1)
    return f", nearer to {chosen:+g} than to {other:+g} Elo"


def pairs_text(report: Report) -> str:
    """Say how many pairs were played, and how many of them decide."""
    decisive = report.decisive.pairs
    is_part = len(report.gauntlet.deciding) < len(report.gauntlet.opponents)
    return f"pairs {decisive} of the {report.pairs} played" if is_part else f"pairs {report.pairs}"


def compared_with(gauntlet: Gauntlet) -> str:
    """Name the baseline, the one opponent that decides, or how many opponents decide together."""
    if gauntlet.baseline is not None:
        return gauntlet.baseline
    if len(gauntlet.deciding) == 1:
        return gauntlet.deciding[0]
    return f"the average of {len(gauntlet.deciding)} opponents"


def duration(seconds: float) -> str:
    """Say how long something took, in the unit that suits."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"


def percent(estimate: Estimate | None) -> str:
    """Write the likelihood of superiority."""
    return "" if estimate is None else f"{100 * estimate.los:.0f} %"


def opponents_table(report: Report) -> FittingTable:
    """Draw how the candidate did against each opponent, and against all."""
    rows = report.opponents if len(report.opponents) == 1 else [*report.opponents, report.overall]
    return FittingTable(
        heads=HEADS,
        rows=[cells(row, is_marked=is_marked(report, row)) for row in rows],
        names={"opponent"},
        leaving=("even", "pair\nratio", "worst\nto best", "LOS"),
        title=title(report.gauntlet),
        words={"remark"},
    )


def title(gauntlet: Gauntlet) -> str:
    """Name a gauntlet and its question."""
    rules = f"{gauntlet.game}, rules of {gauntlet.league}"
    compared = f" compared with {gauntlet.baseline}" if gauntlet.baseline else ""
    name = f"gauntlet {gauntlet.id}" if gauntlet.id else "gauntlet played here"
    return f"{name}: {gauntlet.candidate}{compared} ({rules}), {question(gauntlet)}"


def question(gauntlet: Gauntlet | StandingGauntlet) -> str:
    """Say when a gauntlet ends."""
    if gauntlet.test is None:
        return f"{counted(gauntlet.pairs, 'pair')} each"
    model = " normalised" if gauntlet.elo_model == "normalized" else ""
    return f"SPRT {gauntlet.elo0:g} to {gauntlet.elo1:g}{model} Elo, at most {counted(gauntlet.pairs, 'pair')} each"


def is_marked(report: Report, row: Against) -> bool:
    """Say whether a line is to be marked as deciding: where not all opponents decide."""
    return row in report.opponents and row.decides and len(report.gauntlet.deciding) < len(report.opponents)


def cells(row: Against, *, is_marked: bool = False) -> list[str]:
    """Write one line of the table. `is_marked`: as the one that decides."""
    estimate = row.estimate
    remarks = ("decides" if is_marked else "", "regression" if row.is_regression else "")
    return [
        row.opponent,
        str(row.pairs),
        "-".join(map(str, row.counts)),
        "" if row.score is None else f"{100 * row.score:.1f} %",
        "" if estimate is None else f"{estimate.elo:+.0f} ± {estimate.half_width:.0f}",
        percent(estimate),
        f"{100 * row.draw_ratio:.0f} %",
        "" if row.pair_ratio is None else f"{row.pair_ratio:.2f}",
        ", ".join(filter(None, remarks)),
    ]


def gauge(report: Report) -> str:
    """Draw the log-likelihood ratio between its bounds; empty without a sequential test."""
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr is None or bounds is None:
        return ""
    lower, upper = bounds
    place = round((min(max(llr, lower), upper) - lower) / (upper - lower) * (GAUGE_COLUMNS - 1))
    line = ["─"] * GAUGE_COLUMNS
    line[round(-lower / (upper - lower) * (GAUGE_COLUMNS - 1))] = "┼"
    line[place] = "●"
    return f"LLR {llr:+.2f}  failed {lower:.2f} {''.join(line)} {upper:.2f} passed"


def seconds_left(report: Report) -> float | None:
    """Guess how long it will take yet, in seconds, if it goes on as so far; None where nothing can be said."""
    if not report.pairs:
        return None
    left = float(report.slots - report.pairs)
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr and bounds is not None:
        ahead = bounds[1] if llr > 0 else bounds[0]
        left = min(left, report.pairs * max(ahead / llr - 1, 0))
    return left * report.elapsed_s / report.pairs


def progress_lines(report: Report) -> list[str]:
    """Say how far a running gauntlet is."""
    score = report.decisive.score
    left = seconds_left(report)
    parts = [f"pairs {report.pairs} of at most {report.slots}", "" if score is None else f"score {100 * score:.1f} %"]
    parts.append("" if left is None else f"about {duration(left)} left")
    return [", ".join(filter(None, parts)), *filter(None, [gauge(report)])]


def remarks(report: Report) -> list[str]:
    """Return what else ought to be known: lost pairs, faults, a busy host, machines that stand out."""
    lines = [lost_line(pair) for pair in report.lost[:MOST_LOST_SHOWN]]
    if len(report.lost) > MOST_LOST_SHOWN:
        lines.append(f"... and {counted(len(report.lost) - MOST_LOST_SHOWN, 'more lost pair')}: see --json")
    lines += [
        f"{row.version}: {counted(row.timeouts, 'time-out')}, {counted(row.faults, 'other fault')}"
        for row in report.faults
    ]
    if report.host_was_too_busy:
        lines.append(
            f"the host was too busy: {100 * report.starved:.1f} % of the matches had to be played again; use fewer "
            "workers, or a quieter machine"
        )
    lines += [
        f"what {host.host} played differs from the others' results by more than chance: "
        f"`ladder gauntlet purge {report.gauntlet.id} --host {host.host}` takes it back"
        for host in report.hosts
        if host.is_suspicious
    ]
    return lines


def lost_line(pair: LostPair) -> str:
    """Say which pair was lost and how to look at it."""
    numbers = " and ".join(map(str, pair.match_ids))
    matches = f"matches {numbers}: `ladder match show {pair.match_ids[0]}`" if pair.match_ids else "played here"
    return f"lost against {pair.opponent} on seed {pair.seed}, {pair.half_points / 2:g} of 2 points, {matches}"


def final_lines(report: Report) -> list[str]:
    """Return a gauntlet's result in sentences, the verdict first."""
    state = report.gauntlet.verdict or report.gauntlet.state
    return [f"{state}: {headline(report)}", *filter(None, [gauge(report)]), *remarks(report)]


def as_row(report: Report) -> dict[str, Any]:
    """Return a gauntlet as plain data, for scripts."""
    gauntlet = report.gauntlet
    return {
        **asdict(gauntlet),
        "pairs_played": report.pairs,
        "slots": report.slots,
        "sentence": headline(report),
        "counts": report.judgement.counts,
        "llr": report.judgement.llr,
        "bounds": report.judgement.bounds,
        "estimate": report.judgement.estimate and asdict(report.judgement.estimate),
        "compared_with": compared_with(gauntlet),
        "deciding": gauntlet.deciding,
        "overall": against_row(report.overall),
        "against": [against_row(row) for row in report.opponents],
        "regressions": [row.opponent for row in report.regressions],
        "lost_pairs": [asdict(pair) for pair in report.lost],
        "faults": [asdict(row) for row in report.faults],
        "hosts": [asdict(row) for row in report.hosts],
        "starved": report.starved,
        "host_was_too_busy": report.host_was_too_busy,
        "elapsed_s": report.elapsed_s,
    }


def against_row(row: Against) -> dict[str, Any]:
    """Return one opponent's line as plain data."""
    return {**asdict(row), "pairs": row.pairs, "score": row.score}


def gauntlets_table(gauntlets: Sequence[Gauntlet]) -> FittingTable:
    """Draw a list of gauntlets."""
    return FittingTable(
        heads=("id", "candidate", "against", "question", "state", "verdict", "begun"),
        rows=[
            (
                str(one.id),
                one.candidate,
                ", ".join(one.opponents) + (f" (baseline {one.baseline})" if one.baseline else ""),
                question(one),
                one.state,
                Text(one.verdict or "", style=VERDICT_STYLES.get(one.verdict or "", "")),
                one.created_at.astimezone().strftime("%Y-%m-%d %H:%M"),
            )
            for one in gauntlets
        ],
        names={"candidate", "against", "question"},
        leaving=("begun", "question", "state"),
        words={"state", "verdict", "begun"},
    )
