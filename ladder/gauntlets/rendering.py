"""A gauntlet in words, for terminals, pages and files alike: its name, its finding in one sentence, its table, remarks.

Sentences name the commands that show more. A gauntlet of variants has a table and a title of its own.
"""

import shlex
from collections.abc import Sequence

from engine.immutable import immutable
from engine.text import counted, duration, listed, one_line
from ladder.bots import versions
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.automatic_gauntlets import AutomaticGauntlet
from ladder.gauntlets.gauntlets import Gauntlet, HostCheck
from ladder.gauntlets.plan import BOUNDS
from ladder.gauntlets.report import Against, GauntletReport, LostPair, WorseMatch, elapsed_s
from ladder.gauntlets.variants import ComparedVariants, PairPoints, VariantComparison, names_of
from ladder.gauntlets.verdict import FEWEST_PAIRS, is_clear
from ladder.ids import MatchId
from ladder.quotas.rules import moment
from ladder.statistics.elo import Estimate, elo_text, estimate_text, outcomes_of
from ladder.statistics.sprt_settings import SprtSettings, pairs_of_equals

MOST_LOST_SHOWN = 5
GAUGE_COLUMNS = 40
FEW_OUTCOMES = 5
KINDS_OF_MANY = "no points, less than half of them, half, more, and all"
COMPARISON_COLUMNS = ("variant", "against", "pairs", "worst to best", "score", "Elo", "95 %")
CLAIMS = {"passed": "better", "failed": "worse"}
"""The one word that a sentence may use beside each verdict; beside every other state it may use neither."""


def state_of(gauntlet: Gauntlet) -> str:
    return "waits" if gauntlet.waits else gauntlet.state


def waiting_sentence(gauntlet: Gauntlet) -> str:
    if gauntlet.waits_until is not None:
        goes_on = f"it goes on at {moment(gauntlet.waits_until)}"
        return f"waits: {gauntlet.asked_by} has used up the CPU time of the day; {goes_on}"
    if gauntlet.waits_for_room:
        return f"waits: more gauntlets of {gauntlet.asked_by} run than may at once; it goes on when there is room"
    return ""


def columns(report: GauntletReport) -> tuple[str, ...]:
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


def rows_of(report: GauntletReport) -> list[Against]:
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
    words = f"a version that is equally good takes about {two_digits(takes)} pairs{lasts}"
    if takes <= pairs:
        return f"{words}, of at most {pairs:,}"
    usual = ",".join(f"{bound:g}" for bound in BOUNDS)
    instead = f"; --sprt={usual} takes about {two_digits(pairs_of_equals(SprtSettings(*BOUNDS), players))}"
    return f"{words}, but at most {pairs:,} are played, so it would mostly stay undecided{instead}"


def two_digits(number: float) -> str:
    """Write a number with its first two digits: `350`, `13,000`."""
    return f"{int(float(f'{number:.2g}')):,}"


def is_marked(report: GauntletReport, row: Against) -> bool:
    """Say whether a line is to be marked as deciding: where not all opponents decide."""
    deciding = sum(opponent.decides for opponent in report.opponents)
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
    remark = "differs by more than chance" if host.is_suspicious else ""
    return [host.host, counts_text(host.counts), f"{host.residual:.1f}", remark]


def conclusion(report: GauntletReport) -> str:
    state = report.gauntlet.verdict or report.gauntlet.state
    return f"{state}{' ' if has_too_few(report) else ': '}{headline(report)}"


def has_too_few(report: GauntletReport) -> bool:
    return report.gauntlet.verdict not in CLAIMS and 0 < report.decisive.pairs < FEWEST_PAIRS


def headline(report: GauntletReport) -> str:
    decisive = report.decisive.pairs
    if has_too_few(report):
        compared = f"{report.gauntlet.candidate} against {compared_with(report.gauntlet)}"
        return f"after {counted(decisive, 'pair')}: too few to tell ({compared})"
    others = f" and {report.pairs - decisive} for information" if report.pairs > decisive else ""
    words = [f"{finding(report)} ({counted(decisive, 'pair')}{others}, {duration(report.elapsed_s)})"]
    if report.regressions:
        worse = ", ".join(f"{row.opponent} (LOS {percent(row.estimate)})" for row in report.regressions)
        names = {row.opponent for row in report.regressions}
        lost = sum(pair.opponent in names for pair in report.lost)
        words.append(f"worse against {worse}: see {lost} lost pair{'s' * (lost != 1)}")
    return "; ".join(words)


def finding(report: GauntletReport) -> str:
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
        return f"these pairs cannot tell {candidate} and {other} apart: {interval}"
    return f"the pairs so far do not decide between {candidate} and {other}: {interval}"


def compared_with(gauntlet: Gauntlet) -> str:
    if gauntlet.baseline is not None:
        return gauntlet.baseline
    if len(gauntlet.deciding) == 1:
        return gauntlet.deciding[0]
    return f"the average of {len(gauntlet.deciding)} opponents"


def percent(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{100 * estimate.los:.0f} %"


def final_lines(report: GauntletReport) -> list[str]:
    return [conclusion(report), *filter(None, [gauge(report)]), *remarks(report)]


def gauge(report: GauntletReport) -> str:
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr is None or bounds is None:
        return ""
    lower, upper = bounds
    place = round((min(max(llr, lower), upper) - lower) / (upper - lower) * (GAUGE_COLUMNS - 1))
    line = ["─"] * GAUGE_COLUMNS
    line[round(-lower / (upper - lower) * (GAUGE_COLUMNS - 1))] = "┼"
    line[place] = "●"
    return f"LLR {llr:+z.2f}  failed {lower:.2f} {''.join(line)} {upper:.2f} passed"


def progress_lines(report: GauntletReport) -> list[str]:
    score = report.decisive.score
    pairs_left = float(report.slots - report.pairs)
    parts = [f"pairs {report.pairs} of at most {report.slots}", "" if score is None else f"score {100 * score:.1f} %"]
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr and bounds is not None:
        ahead = bounds[1] if llr > 0 else bounds[0]
        pairs_left = min(pairs_left, report.pairs * max(ahead / llr - 1, 0))
    if report.pairs and not report.gauntlet.waits:
        parts.append(f"about {duration(pairs_left * report.elapsed_s / report.pairs)} left")
    return [", ".join(filter(None, parts)), *filter(None, [waiting_sentence(report.gauntlet), gauge(report)])]


def remarks(report: GauntletReport) -> list[str]:
    lost = [lost_line(report, pair) for pair in report.lost[:MOST_LOST_SHOWN]]
    if len(report.lost) > MOST_LOST_SHOWN:
        lost.append(f"... and {counted(len(report.lost) - MOST_LOST_SHOWN, 'more lost pair')}: see --json")
    faults = [
        f"{row.version}: {counted(row.timeouts, 'time-out')}, {counted(row.faults, 'other fault')}"
        for row in report.faults
    ]
    worse = [worse_sum(report)] if report.worse else []
    return [*sentences(report), *lost, *worse, *faults, *warnings(report)]


def remarks_beside_tables(report: GauntletReport) -> list[str]:
    return [*sentences(report), *([worse_sum(report)] if report.worse else []), *warnings(report)]


def sentences(report: GauntletReport) -> list[str]:
    gauntlet, drawn = report.gauntlet, ""
    if names := [gauntlet.name_of(version_id) for version_id in gauntlet.plan.field_ids]:
        drawn = f"the others of each match were drawn from {listed(names)}"
    return [*filter(None, [drawn, report.seats_sentence])]


def warnings(report: GauntletReport) -> list[str]:
    lines: list[str] = []
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


def lost_line(report: GauntletReport, pair: LostPair) -> str:
    if pair.match_ids:
        matches = listed([f"`ladder match view {match_id}`" for match_id in pair.match_ids])
    else:
        others = pair.others or [pair.opponent]
        matches = f"`{play_command(report, others, pair.seed, '--matches', str(pair.players))}`"
    return f"lost against {listed(pair.against)} on seed {pair.seed}, {pair.points} points, {matches}"


def play_command(report: GauntletReport, others: Sequence[str], seed: int, *more: str) -> str:
    gauntlet = report.gauntlet
    bots = [report.words.get(name, name) for name in (gauntlet.candidate, *others)]
    league = gauntlet.league.lower().replace(" ", "-")
    words = ["ladder", "play", gauntlet.game, *bots, "--seed", str(seed), *more, "--league", league, *report.options]
    return one_line(shlex.join(words))


def worse_lines(report: GauntletReport) -> list[str]:
    if report.gauntlet.baseline is not None:
        return [*(worse_line(report, match) for match in report.worse), worse_sum(report)]
    deciding = {row.opponent for row in report.opponents if row.decides}
    lost = [pair for pair in report.lost if pair.opponent in deciding]
    lines = [f"{lost_line(report, pair)}{again_text(pair.match_ids)}" for pair in lost]
    played = counted(report.decisive.pairs, "pair")
    return [*lines, f"lost {len(lost)} of {played} against {compared_with(report.gauntlet)}"]


def worse_line(report: GauntletReport, match: WorseMatch) -> str:
    how = f"lost to {listed(match.against)} on seed {match.seed} as player {match.seat}"
    if match.match_id is None and match.others:
        every_seat = play_command(report, match.others, match.seed, "--matches", str(report.gauntlet.players))
        return f"{how}, among `{every_seat}`"
    if match.match_id is None:
        swapped = ["--swap"] * match.seat
        return f"{how}: `{play_command(report, [match.opponent], match.seed, *swapped)}`"
    return f"{how}: `ladder match view {match.match_id}`{again_text([match.match_id])}"


def again_text(match_ids: Sequence[MatchId]) -> str:
    commands = " and ".join(f"`ladder match rematch {match_id}`" for match_id in match_ids)
    return f", played again by {commands}" if commands else ""


def worse_sum(report: GauntletReport) -> str:
    matches = counted(len(report.worse), "match", "matches")
    return f"{report.gauntlet.candidate} lost {matches} that {report.gauntlet.baseline} did not lose"


@immutable
class ComparisonReport:
    """A gauntlet of variants and what came of it. `elapsed_s`: so far, or in all; `pairs`: played, of `slots`."""

    gauntlet: Gauntlet
    comparison: VariantComparison
    pairs: int
    slots: int
    elapsed_s: float


def comparison_report_of(connection: Connection, gauntlet: Gauntlet) -> ComparisonReport:
    tally = PairPoints(outcomes_of(gauntlet.players) - 1)
    pairs = gauntlets.pairs_of(connection, gauntlet.id)
    for pair in pairs:
        tally.take(gauntlet.schedule.slot(pair.slot), pair.outcome)
    params = versions.find_version(connection, gauntlet.candidate_id).params
    names = names_of(gauntlet.variants)
    comparison = VariantComparison(
        game=gauntlet.game,
        league=gauntlet.league,
        bot=gauntlet.candidate,
        seed=gauntlet.seed,
        pairs=gauntlet.pairs,
        state=gauntlet.state,
        variants=tally.scores(names, [{**params, **variant} for variant in gauntlet.variants]),
        compared=tally.compared(names),
    )
    return ComparisonReport(
        gauntlet, comparison, pairs=len(pairs), slots=gauntlet.schedule.slots, elapsed_s=elapsed_s(gauntlet)
    )


def comparison_title(comparison: VariantComparison) -> str:
    rules = f"{comparison.game}, rules of {comparison.league}"
    return f"variants of {comparison.bot} ({rules}), {counted(comparison.pairs, 'pair')} each, seed {comparison.seed}"


def comparison_progress(report: ComparisonReport) -> str:
    pairs = f"pairs {report.pairs} of {report.slots}"
    if report.gauntlet.waits:
        return f"{pairs}; {waiting_sentence(report.gauntlet)}"
    if not report.pairs:
        return pairs
    return f"{pairs}, about {duration(report.elapsed_s / report.pairs * (report.slots - report.pairs))} left"


def comparison_cells(row: ComparedVariants) -> tuple[str, ...]:
    elo = row.elo
    return (
        row.first,
        row.second,
        str(row.pairs),
        counts_text(row.counts),
        "" if row.share is None else f"{100 * row.share:.1f} %",
        "" if elo is None else elo_text(elo.elo),
        "" if elo is None else f"{elo_text(elo.low)} to {elo_text(elo.high)}",
    )
