"""A gauntlet as JUnit XML, which every CI system reads.

There is no standard; this keeps to the strictest description in use (Ant's, as windyroad/JUnit-Schema has it): one
suite within `testsuites`, a time stamp without zone (in UTC), `properties` first, `system-out` and `system-err` last.
A case is the gauntlet's question: failed, or skipped where it is undecided. Each opponent is one more, failed if it is
an earlier version that is better.
"""

import re
from datetime import UTC
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ladder.gauntlets.rendering import compared_with, conclusion, final_lines, lost_line, percent, title
from ladder.gauntlets.report import Against, GauntletReport

UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(report: GauntletReport) -> str:
    root = Element("testsuites")
    suite = SubElement(root, "testsuite")
    properties = SubElement(suite, "properties")
    for name, value in numbers(report).items():
        if value is not None:
            add(properties, "property", name=name, value=str(value))
    cases = [add_question(suite, report), *(add_opponent(suite, report, row) for row in report.opponents)]
    SubElement(suite, "system-out").text = clean("\n".join(final_lines(report)))
    SubElement(suite, "system-err").text = ""
    attributes = {
        "name": title(report.gauntlet),
        "package": "ladder.gauntlet",
        "id": "0",
        "timestamp": f"{report.gauntlet.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        "hostname": report.hosts[0].host if len(report.hosts) == 1 and report.hosts[0].host else "localhost",
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
        "time": seconds(report.elapsed_s),
    }
    for name, text in attributes.items():
        suite.set(name, clean(text))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n"


def numbers(report: GauntletReport) -> dict[str, object]:
    gauntlet, judgement = report.gauntlet, report.judgement
    estimate, bounds = judgement.estimate, judgement.bounds or (None, None)
    return {
        "gauntlet": gauntlet.id,
        "game": gauntlet.game,
        "league": gauntlet.league,
        "candidate": gauntlet.candidate,
        "baseline": gauntlet.baseline,
        "opponents": ", ".join(gauntlet.opponents),
        "deciding": ", ".join(gauntlet.deciding),
        "context": ", ".join(gauntlet.context) or None,
        "state": gauntlet.state,
        "verdict": gauntlet.verdict,
        "seed": gauntlet.seed,
        "pairs": report.pairs,
        "most_pairs": report.slots,
        "counts": "-".join(map(str, judgement.counts)),
        "score": report.decisive.score,
        "elo": estimate and estimate.elo,
        "elo_low": estimate and estimate.low,
        "elo_high": estimate and estimate.high,
        "los": estimate and estimate.los,
        "elo_model": gauntlet.elo_model if gauntlet.test else None,
        "elo0": gauntlet.elo0,
        "elo1": gauntlet.elo1,
        "llr": judgement.llr,
        "llr_lower": bounds[0],
        "llr_upper": bounds[1],
        "even_pairs": report.decisive.draw_ratio,
        "pair_ratio": report.decisive.pair_ratio,
        "starved": report.starved,
        "timeouts": sum(row.timeouts for row in report.faults),
        "faults": sum(row.faults for row in report.faults),
        "suspicious_hosts": ", ".join(host.host for host in report.hosts if host.is_suspicious) or None,
    }


def add_question(suite: Element, report: GauntletReport) -> Element:
    gauntlet = report.gauntlet
    case = add_case(suite, report, f"better than {compared_with(gauntlet)}", report.elapsed_s)
    message = conclusion(report)
    if gauntlet.verdict == "failed":
        add_failure(case, message, "failed", final_lines(report))
    elif gauntlet.verdict != "passed":
        add(case, "skipped", message=message)
    return case


def add_opponent(suite: Element, report: GauntletReport, row: Against) -> Element:
    case = add_case(suite, report, f"against {row.opponent}", 0)
    if row.is_regression:
        message = f"{row.opponent} is better than {report.gauntlet.candidate} (LOS {percent(row.estimate)})"
        lines = [lost_line(report, pair) for pair in report.lost if pair.opponent == row.opponent]
        add_failure(case, message, "regression", lines)
    return case


def add_failure(case: Element, message: str, kind: str, lines: list[str]) -> None:
    add(case, "failure", message=message, type=kind).text = clean("\n".join(lines))


def add_case(suite: Element, report: GauntletReport, name: str, time_s: float) -> Element:
    classname = f"ladder.gauntlet.{report.gauntlet.candidate}"
    return add(suite, "testcase", classname=classname, name=name, time=seconds(time_s))


def add(parent: Element, tag: str, **attributes: str) -> Element:
    return SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})


def clean(text: str) -> str:
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def seconds(time_s: float) -> str:
    return f"{max(time_s, 0):.3f}"
