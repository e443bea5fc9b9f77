"""What a gauntlet has found and how far it is, in sentences, with the commands that show more. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from engine.text import counted, duration, listed, one_line
from ladder.gauntlets.headline import compared_with, conclusion
from ladder.gauntlets.rendering.table import waiting_sentence
from ladder.gauntlets.report import LostPair, Report, WorseMatch
from ladder.ids import MatchId

MOST_LOST_SHOWN = 5
GAUGE_COLUMNS = 40


def final_lines(report: Report) -> list[str]:
    return [conclusion(report), *filter(None, [gauge(report)]), *remarks(report)]


def gauge(report: Report) -> str:
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr is None or bounds is None:
        return ""
    lower, upper = bounds
    place = round((min(max(llr, lower), upper) - lower) / (upper - lower) * (GAUGE_COLUMNS - 1))
    line = ["─"] * GAUGE_COLUMNS
    line[round(-lower / (upper - lower) * (GAUGE_COLUMNS - 1))] = "┼"
    line[place] = "●"
    return f"LLR {llr:+z.2f}  failed {lower:.2f} {''.join(line)} {upper:.2f} passed"


def progress_lines(report: Report) -> list[str]:
    score = report.decisive.score
    left = seconds_left(report)
    parts = [f"pairs {report.pairs} of at most {report.slots}", "" if score is None else f"score {100 * score:.1f} %"]
    parts.append("" if left is None or report.gauntlet.waits else f"about {duration(left)} left")
    return [", ".join(filter(None, parts)), *filter(None, [waiting_sentence(report.gauntlet), gauge(report)])]


def seconds_left(report: Report) -> float | None:
    if not report.pairs:
        return None
    left = float(report.slots - report.pairs)
    llr, bounds = report.judgement.llr, report.judgement.bounds
    if llr and bounds is not None:
        ahead = bounds[1] if llr > 0 else bounds[0]
        left = min(left, report.pairs * max(ahead / llr - 1, 0))
    return left * report.elapsed_s / report.pairs


def remarks(report: Report) -> list[str]:
    lost = [lost_line(report, pair) for pair in report.lost[:MOST_LOST_SHOWN]]
    if len(report.lost) > MOST_LOST_SHOWN:
        lost.append(f"... and {counted(len(report.lost) - MOST_LOST_SHOWN, 'more lost pair')}: see --json")
    faults = [
        f"{row.version}: {counted(row.timeouts, 'time-out')}, {counted(row.faults, 'other fault')}"
        for row in report.faults
    ]
    worse = [worse_sum(report)] if report.worse else []
    return [*sentences(report), *lost, *worse, *faults, *warnings(report)]


def remarks_beside_tables(report: Report) -> list[str]:
    return [*sentences(report), *([worse_sum(report)] if report.worse else []), *warnings(report)]


def sentences(report: Report) -> list[str]:
    gauntlet, drawn = report.gauntlet, ""
    if names := [gauntlet.name_of(one) for one in gauntlet.plan.field_ids]:
        drawn = f"the others of each match were drawn from {listed(names)}"
    return [*filter(None, [drawn, report.seats_sentence])]


def warnings(report: Report) -> list[str]:
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


def lost_line(report: Report, pair: LostPair) -> str:
    if pair.match_ids:
        matches = listed([f"`ladder match view {match_id}`" for match_id in pair.match_ids])
    else:
        others = pair.others or [pair.opponent]
        matches = f"`{play_command(report, others, pair.seed, '--matches', str(pair.players))}`"
    return f"lost against {listed(pair.against)} on seed {pair.seed}, {pair.points} points, {matches}"


def play_command(report: Report, others: Sequence[str], seed: int, *more: str) -> str:
    gauntlet = report.gauntlet
    bots = [report.words.get(name, name) for name in (gauntlet.candidate, *others)]
    league = gauntlet.league.lower().replace(" ", "-")
    words = ["ladder", "play", gauntlet.game, *bots, "--seed", str(seed), *more, "--league", league, *report.options]
    return one_line(shlex.join(words))


def worse_lines(report: Report) -> list[str]:
    if report.gauntlet.baseline is not None:
        return [*(worse_line(report, match) for match in report.worse), worse_sum(report)]
    deciding = {row.opponent for row in report.opponents if row.decides}
    lost = [pair for pair in report.lost if pair.opponent in deciding]
    lines = [f"{lost_line(report, pair)}{again_text(pair.match_ids)}" for pair in lost]
    played = counted(report.decisive.pairs, "pair")
    return [*lines, f"lost {len(lost)} of {played} against {compared_with(report.gauntlet)}"]


def worse_line(report: Report, match: WorseMatch) -> str:
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


def worse_sum(report: Report) -> str:
    matches = counted(len(report.worse), "match", "matches")
    return f"{report.gauntlet.candidate} lost {matches} that {report.gauntlet.baseline} did not lose"
