"""How a gauntlet reads as a table, and what it is called. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text import counted, duration, listed
from ladder.gauntlets.automatic_gauntlets import AutomaticGauntlet
from ladder.gauntlets.gauntlets import Gauntlet, HostCheck
from ladder.gauntlets.headline import percent
from ladder.gauntlets.plan import BOUNDS
from ladder.gauntlets.report import Against, Report
from ladder.quotas.rules import moment
from ladder.statistics.elo import estimate_text
from ladder.statistics.sprt_settings import SprtSettings, pairs_of_equals

FEW_OUTCOMES = 5
KINDS_OF_MANY = "no points, less than half of them, half, more, and all"


def state_of(gauntlet: Gauntlet) -> str:
    return "waits" if gauntlet.waits else gauntlet.state


def waiting_sentence(gauntlet: Gauntlet) -> str:
    if gauntlet.waits_until is not None:
        goes_on = f"it goes on at {moment(gauntlet.waits_until)}"
        return f"waits: {gauntlet.asked_by} has used up the CPU time of the day; {goes_on}"
    if gauntlet.waits_for_room:
        return f"waits: more gauntlets of {gauntlet.asked_by} run than may at once; it goes on when there is room"
    return ""


def columns(report: Report) -> tuple[str, ...]:
    seats = (f"as player {seat}" for seat in range(report.gauntlet.players))
    return ("opponent", "pairs", "worst to best", "score", *seats, "Elo", "LOS", "even", "pair ratio", "remark")


def meanings(players: int) -> dict[str, str]:
    is_many = players > 2
    return {
        **({"pairs": "seeds, each with the candidate in every seat once"} if is_many else {}),
        "worst to best": f"pairs with {KINDS_OF_MANY if is_many else '0, half, 1, 1.5 and 2 points'}",
        "LOS": "chance that it is the stronger one",
        "even": f"pairs with {'half of the points' if is_many else '1 point'}",
        "pair ratio": "pairs won for each pair lost",
    }


def counts_text(counts: Sequence[int]) -> str:
    if len(counts) > FEW_OUTCOMES:
        middle = len(counts) // 2
        counts = (counts[0], sum(counts[1:middle]), counts[middle], sum(counts[middle + 1 : -1]), counts[-1])
    return "-".join(map(str, counts))


def rows_of(report: Report) -> list[Against]:
    is_one = len(report.opponents) == 1 or report.gauntlet.context_ids
    return report.opponents if is_one else [*report.opponents, report.overall]


def title(gauntlet: Gauntlet) -> str:
    rules = f"{gauntlet.game}, rules of {gauntlet.league}"
    compared = f" compared with {gauntlet.baseline}" if gauntlet.baseline else ""
    name = f"gauntlet {gauntlet.id}" if gauntlet.id else "gauntlet played here"
    return f"{name}: {gauntlet.candidate}{compared} ({rules}), {question(gauntlet)}"


def question(gauntlet: Gauntlet | AutomaticGauntlet) -> str:
    if isinstance(gauntlet, Gauntlet) and gauntlet.is_tune:
        return f"which {listed(sorted(gauntlet.variants[0]))}? {counted(gauntlet.pairs, 'pair')}"
    if gauntlet.test is None:
        return f"{counted(gauntlet.pairs, 'pair')} each"
    model = " normalised" if gauntlet.elo_model == "normalized" else ""
    return f"SPRT {gauntlet.elo0:g} to {gauntlet.elo1:g}{model} Elo, at most {counted(gauntlet.pairs, 'pair')} each"


def outlook(test: SprtSettings | None, pairs: int, players: int = 2, pair_s: float | None = None) -> str:
    """Say how many of `pairs` a test of equals takes, at `pair_s` each if that is known; "" without a test."""
    if test is None:
        return ""
    takes = pairs_of_equals(test, players)
    lasts = f" ({duration(takes * pair_s)})" if pair_s else ""
    words = f"a version that is equally good takes about {rounded(takes)} pairs{lasts}"
    if takes <= pairs:
        return f"{words}, of at most {pairs:,}"
    usual = ",".join(f"{bound:g}" for bound in BOUNDS)
    instead = f"; --sprt={usual} takes about {rounded(pairs_of_equals(SprtSettings(*BOUNDS), players))}"
    return f"{words}, but at most {pairs:,} are played, so it would mostly stay undecided{instead}"


def rounded(number: float) -> str:
    """Write a number with its first two digits: `350`, `13,000`."""
    return f"{int(float(f'{number:.2g}')):,}"


def is_marked(report: Report, row: Against) -> bool:
    """Say whether a line is to be marked as deciding: where not all opponents decide."""
    deciding = sum(one.decides for one in report.opponents)
    return row in report.opponents and row.decides and deciding < len(report.opponents)


def cells(row: Against, *, is_marked: bool = False) -> list[str]:
    estimate = row.estimate if row.pairs > 1 else None
    remarks = ("decides" if is_marked else "", "regression" if row.is_regression else "")
    return [
        row.opponent,
        str(row.pairs),
        counts_text(row.counts),
        "" if row.score is None else f"{100 * row.score:.1f} %",
        *(f"{100 * record.share:.0f} %" if record.matches else "" for record in row.by_seat),
        "" if estimate is None else estimate_text(estimate),
        percent(estimate),
        f"{100 * row.draw_ratio:.0f} %",
        "" if row.pair_ratio is None else f"{row.pair_ratio:.2f}",
        ", ".join(filter(None, remarks)),
    ]


def against_text(gauntlet: Gauntlet) -> str:
    compared = f" (baseline {gauntlet.baseline})" if gauntlet.baseline else ""
    met = ["itself"] if gauntlet.is_tune and not gauntlet.opponents else gauntlet.compared or gauntlet.opponents
    return ", ".join(met) + compared


def host_cells(host: HostCheck) -> list[str]:
    counts, remark = counts_text(host.counts), "differs by more than chance" if host.is_suspicious else ""
    return [host.host, counts, f"{host.residual:.1f}", remark]
