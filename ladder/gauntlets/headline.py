"""What a gauntlet has found, in one sentence, and the words that it is made of. Pure."""

from __future__ import annotations

from engine.text import counted, duration
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.report import Report
from ladder.gauntlets.verdict import FEWEST_PAIRS, is_clear
from ladder.statistics.elo import Estimate, elo_text

CLAIMS = {"passed": "better", "failed": "worse"}
"""The one word that a sentence may use beside each verdict; beside every other state it may use neither."""


def conclusion(report: Report) -> str:
    state = report.gauntlet.verdict or report.gauntlet.state
    return f"{state} {too_few(report)}" if has_too_few(report) else f"{state}: {headline(report)}"


def has_too_few(report: Report) -> bool:
    return report.gauntlet.verdict not in CLAIMS and 0 < report.decisive.pairs < FEWEST_PAIRS


def too_few(report: Report) -> str:
    found = f"after {counted(report.decisive.pairs, 'pair')}: too few to tell"
    return f"{found} ({report.gauntlet.candidate} against {compared_with(report.gauntlet)})"


def headline(report: Report) -> str:
    if has_too_few(report):
        return too_few(report)
    decisive = report.decisive.pairs
    others = f" and {report.pairs - decisive} for information" if report.pairs > decisive else ""
    words = [f"{comparison(report)} ({counted(decisive, 'pair')}{others}, {duration(report.elapsed_s)})"]
    if report.regressions:
        worse = ", ".join(f"{one.opponent} (LOS {percent(one.estimate)})" for one in report.regressions)
        names = {one.opponent for one in report.regressions}
        lost = sum(pair.opponent in names for pair in report.lost)
        words.append(f"worse against {worse}: see {lost} lost pair{'s' * (lost != 1)}")
    return "; ".join(words)


def comparison(report: Report) -> str:
    candidate, other = report.gauntlet.candidate, compared_with(report.gauntlet)
    verdict, estimate = report.gauntlet.verdict, report.judgement.estimate
    if estimate is None:
        return f"nothing is known yet of {candidate} and {other}"
    interval = f"{elo_text(estimate.low)} to {elo_text(estimate.high)} Elo"
    if verdict == "passed" and estimate.low > 0:
        return f"{candidate} is better than {other} by {estimate.low:.0f} to {estimate.high:.0f} Elo"
    if verdict == "failed" and estimate.high < 0:
        return f"{candidate} is worse than {other} by {-estimate.high:.0f} to {-estimate.low:.0f} Elo"
    leaning = "better" if estimate.los > 0.5 else "worse"
    if verdict in CLAIMS and CLAIMS[verdict] == leaning and is_clear(estimate):
        return f"{candidate} is probably {CLAIMS[verdict]} than {other}: {interval}"
    if verdict in CLAIMS:
        test = report.gauntlet.test
        ends = None if test is None else (test.elo1, test.elo0) if verdict == "passed" else (test.elo0, test.elo1)
        nearer = "" if ends is None else f", nearer to {ends[0]:+g} than to {ends[1]:+g} Elo"
        return f"{candidate} against {other}: {interval}{nearer}"
    if estimate.low <= 0 <= estimate.high:
        return f"{candidate} and {other} are too close to tell apart: {interval}"
    return f"the pairs so far do not decide between {candidate} and {other}: {interval}"


def compared_with(gauntlet: Gauntlet) -> str:
    if gauntlet.baseline is not None:
        return gauntlet.baseline
    if len(gauntlet.deciding) == 1:
        return gauntlet.deciding[0]
    return f"the average of {len(gauntlet.deciding)} opponents"


def percent(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{100 * estimate.los:.0f} %"
