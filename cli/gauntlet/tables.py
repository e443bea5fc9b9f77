"""How a gauntlet reads: its table, and the gauge of its sequential test."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.text import Text

from cli.terminal.table import FittingTable
from engine.text import counted, duration
from ladder.gauntlets.automatic_gauntlets import AutomaticGauntlet
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.headline import compared_with, conclusion, percent
from ladder.gauntlets.report import Against, LostPair, Report, WorseMatch
from ladder.ids import MatchId
from ladder.statistics.elo import elo_text

VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}
MOST_LOST_SHOWN = 5
GAUGE_COLUMNS = 40
HEADS = (
    "opponent",
    "pairs",
    "worst\nto best",
    "score",
    "as\nplayer 0",
    "as\nplayer 1",
    "Elo",
    "LOS",
    "even",
    "pair\nratio",
    "remark",
)


MEANINGS = {
    "worst\nto best": "pairs with 0, half, 1, 1.5 and 2 points",
    "LOS": "chance that it is the stronger one",
    "even": "pairs with 1 point",
    "pair\nratio": "pairs won for each pair lost",
}


def opponents_table(report: Report) -> FittingTable:
    """Draw how the candidate did against each opponent, and against all."""
    return FittingTable(
        heads=HEADS,
        rows=[cells(row, is_marked=is_marked(report, row)) for row in rows_of(report)],
        names={"opponent"},
        leaving=("even", "pair\nratio", "worst\nto best", "LOS", "as\nplayer 0", "as\nplayer 1"),
        title=title(report.gauntlet),
        words={"remark"},
        meanings=MEANINGS,
    )


def rows_of(report: Report) -> list[Against]:
    """Return the opponents, and all together where they are met for one question."""
    is_one = len(report.opponents) == 1 or report.gauntlet.context_ids
    return report.opponents if is_one else [*report.opponents, report.overall]


def title(gauntlet: Gauntlet) -> str:
    """Name a gauntlet and its question."""
    rules = f"{gauntlet.game}, rules of {gauntlet.league}"
    compared = f" compared with {gauntlet.baseline}" if gauntlet.baseline else ""
    name = f"gauntlet {gauntlet.id}" if gauntlet.id else "gauntlet played here"
    return f"{name}: {gauntlet.candidate}{compared} ({rules}), {question(gauntlet)}"


def question(gauntlet: Gauntlet | AutomaticGauntlet) -> str:
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
        *(f"{100 * record.share:.0f} %" if record.matches else "" for record in row.by_seat),
        "" if estimate is None else f"{elo_text(estimate.elo)} ± {estimate.half_width:.0f}",
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
    return f"LLR {llr:+z.2f}  failed {lower:.2f} {''.join(line)} {upper:.2f} passed"


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
    lines = [*filter(None, [report.seats_sentence])]
    lines += [lost_line(report, pair) for pair in report.lost[:MOST_LOST_SHOWN]]
    if len(report.lost) > MOST_LOST_SHOWN:
        lines.append(f"... and {counted(len(report.lost) - MOST_LOST_SHOWN, 'more lost pair')}: see --json")
    if report.worse:
        lines.append(worse_sum(report))
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


def lost_line(report: Report, pair: LostPair) -> str:
    """Say which pair was lost and how to look at it, or to play it again."""
    if pair.match_ids:
        matches = " and ".join(f"`ladder match view {match_id}`" for match_id in pair.match_ids)
    else:
        matches = f"`{play_command(report, pair.opponent, pair.seed, '--matches', '2')}`"
    return f"lost against {pair.opponent} on seed {pair.seed}, {pair.half_points / 2:g} of 2 points, {matches}"


def play_command(report: Report, opponent: str, seed: int, *more: str) -> str:
    """Return the command that plays again what was played without the ladder."""
    gauntlet = report.gauntlet
    bots = [report.words.get(name, name) for name in (gauntlet.candidate, opponent)]
    league = gauntlet.league.lower().replace(" ", "-")
    words = ["ladder", "play", gauntlet.game, *bots, "--seed", str(seed), *more, "--league", league, *report.options]
    return shlex.join(words)


def worse_lines(report: Report) -> list[str]:
    """Say where the candidate lost and the version that it is compared with did not, with the command for each."""
    if report.gauntlet.baseline is not None:
        return [*(worse_line(report, match) for match in report.worse), worse_sum(report)]
    lost = [pair for pair in report.lost if pair.opponent in report.gauntlet.deciding]
    lines = [f"{lost_line(report, pair)}{again_text(pair.match_ids)}" for pair in lost]
    played = counted(report.decisive.pairs, "pair")
    return [*lines, f"lost {len(lost)} of {played} against {compared_with(report.gauntlet)}"]


def worse_line(report: Report, match: WorseMatch) -> str:
    """Say in which match the candidate lost and its baseline did not."""
    how = f"lost to {match.opponent} on seed {match.seed} as player {match.seat}"
    if match.match_id is None:
        swapped = ["--swap"] * match.seat
        return f"{how}: `{play_command(report, match.opponent, match.seed, *swapped)}`"
    return f"{how}: `ladder match view {match.match_id}`{again_text([match.match_id])}"


def again_text(match_ids: Sequence[MatchId]) -> str:
    """Say how stored matches are played again."""
    commands = " and ".join(f"`ladder match rematch {match_id}`" for match_id in match_ids)
    return f", played again by {commands}" if commands else ""


def worse_sum(report: Report) -> str:
    """Say how many matches the candidate lost and its baseline did not."""
    matches = counted(len(report.worse), "match", "matches")
    return f"{report.gauntlet.candidate} lost {matches} that {report.gauntlet.baseline} did not lose"


def final_lines(report: Report) -> list[str]:
    """Return a gauntlet's result in sentences, the verdict first."""
    return [conclusion(report), *filter(None, [gauge(report)]), *remarks(report)]


def coloured_lines(report: Report) -> list[str | Text]:
    """Return the same with the verdict in its colour."""
    verdict, *others = final_lines(report)
    return [Text(verdict, style=VERDICT_STYLES.get(report.gauntlet.verdict or "", "")), *others]


def gauntlets_table(gauntlets: Sequence[Gauntlet]) -> FittingTable:
    """Draw a list of gauntlets."""
    return FittingTable(
        heads=("id", "candidate", "against", "question", "state", "verdict", "begun"),
        rows=[
            (
                str(one.id),
                one.candidate,
                ", ".join(one.compared or one.opponents) + (f" (baseline {one.baseline})" if one.baseline else ""),
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
