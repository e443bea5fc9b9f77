"""What the pairs of a tune say: how far each value has come and how surely, what that gains; all of it in words. Pure.

How this works. Each pair measures the slope of strength in the direction in which its two ends lay. For each parameter
the mean slope times the way from the start is the gain that can be expected; a pair weighs as much as of the way is
made at its time, which is less and less where the slope falls. What other parameters do at the same time is noise for
it, as lots move all of them independently.

The same luck leads a value astray and makes that look like a gain. How much of it is so on average follows from how far
each pair has moved the result and the mean slope, and is taken off: by so much less as the slope leads the value back,
of which the upper end of the interval assumes what pairs say, and the lower end nothing. `make sprt` shows that both
ends are about right. A gain is known for sure only when the result has met the start on fresh seeds.

The band about a value's path is what luck alone would have made of it: each pair's noise moves it by a step, and the
slope leads it back.
"""

import shlex
from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate
from math import copysign, log, sqrt
from operator import mul
from typing import ClassVar

from engine.immutable import immutable
from engine.text import counted, duration
from engine.toolchains.params import Params
from ladder.choices import GauntletState
from ladder.gauntlets.variants import ComparedVariants, compared
from ladder.ids import GauntletId, VersionId
from ladder.plots.curves import CurvePoint
from ladder.statistics.elo import EloInterval, elo_text, estimate_text, outcomes_of
from ladder.tuning.parameters import Parameter
from ladder.tuning.plan import Ends, Places, Spsa, TunePlan, clip, mean_of_second_half

IN_95_PERCENT = 1.96
BEND = 1000.0
"""The slope's change over a whole range, in Elo, that is likely: what pairs say counts against it."""
FEWEST_FAULTS = 5
SURE_DEVIATIONS = 3.0
"""Faults at one end that are by so many standard deviations more than at the other are the value's."""
MOST_POINTS = 200
"""Of a curve."""


@immutable
class PlayedPair:
    """A pair that was played. `base`: the places from which it was; `places`: where they were when it had counted."""

    number: int
    base: Places
    ends: Ends
    places: Places


@immutable
class Found:
    """A parameter. `start`, `value`: as the bot is given them; `gain`: of the way between, None before enough is known.

    `is_read`: False where both ends of its range played alike; None before they have played.
    """

    name: str
    kind: str
    range: str
    start: str
    value: str
    low: str
    high: str
    gain: EloInterval | None
    is_read: bool | None
    curve: list[CurvePoint]


@immutable
class Findings:
    """All parameters, the gain of all of them together, and sentences that people should know."""

    parameters: list[Found]
    gain: EloInterval | None
    remarks: list[str]

    @property
    def values(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in sorted(self.params.items()))

    @property
    def params(self) -> dict[str, str]:
        return {parameter.name: parameter.value for parameter in self.parameters}

    @property
    def start(self) -> dict[str, str]:
        return {parameter.name: parameter.start for parameter in self.parameters}


def findings_of(plan: TunePlan, pairs: Sequence[PlayedPair], bot: str) -> Findings:
    """Say what pairs have found. `pairs`: in the order in which they counted; `bot`: what the candidate is called."""
    rule = plan.rule
    moving = [pair for pair in pairs if pair.number >= rule.first_pairs]
    end = mean_of_second_half([pair.places for pair in moving], rule.start)
    leads = [plan.lead(pair.ends.points) for pair in moving]
    noise = sqrt(sum(lead * lead for lead in leads) / max(len(leads), 1))
    per_elo = lead_per_elo(plan, moving)
    alike = {pair.number: pair.ends.are_alike for pair in pairs if pair.number < rule.first_pairs}
    moves = [(rule.lots(pair.number), rule.reaches(pair.number), rule.rate(pair.number)) for pair in moving]
    results, gains = list[Found](), list[Gain]()
    for place, parameter in enumerate(rule.parameters):
        track = Track(
            moves=[lots[place] * reaches[place] for lots, reaches, _ in moves],
            steps=[rate * reaches[place] for _, reaches, rate in moves],
            ways=[pair.base[place] - rule.start[place] for pair in moving],
            leads=leads,
            noise=noise,
        )
        fall = fall_of(track, BEND * per_elo)
        widths = band(track, fall)
        gain = gain_of(track, fall, end[place] - rule.start[place]) if len(moving) > 1 else None
        gains += [gain] if gain is not None else []
        width = widths[-1] if widths else 0.0
        results.append(
            Found(
                name=parameter.name,
                kind=parameter.kind.value,
                range=parameter.range_text,
                start=parameter.text_at(rule.start[place]),
                value=parameter.text_at(end[place]),
                low=parameter.text_at(clip(end[place] - width)),
                high=parameter.text_at(clip(end[place] + width)),
                gain=None if gain is None else elo_of([gain], per_elo),
                is_read=None if place not in alike else not alike[place],
                curve=curve(parameter, place, moving, widths, len(pairs) - len(moving)),
            )
        )
    return Findings(results, elo_of(gains, per_elo) if gains else None, remarks(plan, pairs, bot))


@immutable
class Track:
    """What pairs did with one parameter.

    `moves`: how far its upper end lay from its place; `steps`: by how much one match won moves it; `ways`: how far from
    the start its place was; `leads`: of the pairs, of which `noise` is the deviation.
    """

    moves: list[float]
    steps: list[float]
    ways: list[float]
    leads: list[float]
    noise: float


def fall_of(track: Track, bend: float) -> float:
    """Return by how much the slope falls over the whole range, by least squares, 0 at least. `bend`: what is likely."""
    xx = xz = xy = zy = 0.0
    zz = (track.noise / bend) ** 2
    for move, way, lead in zip(track.moves, track.ways, track.leads, strict=True):
        x, z = 2 * move, -2 * move * way
        xx += x * x
        xz += x * z
        zz += z * z
        xy += x * lead
        zy += z * lead
    size = xx * zz - xz * xz
    return max((xx * zy - xz * xy) / size, 0.0) if size > 0 else 0.0


def shares_left(track: Track, fall: float) -> list[float]:
    """Return which share of what luck has done to a place is left after each pair: the slope leads it back."""
    return [max(1 - 2 * fall * step * abs(move), 0.0) for step, move in zip(track.steps, track.moves, strict=True)]


@immutable
class Gain:
    """Of a way from the start, in leads. `least`, `most`: if the slope falls not at all, or as pairs say."""

    least: float
    most: float
    variance: float


def gain_of(track: Track, fall: float, way: float) -> Gain:
    parts = accumulate(shares_left(track, fall)[:-1], mul, initial=1.0)
    steps = zip(parts, track.steps, track.moves, strict=True)
    weights = [part * step * abs(move) * 2 * move for part, step, move in steps]
    square = sum(weight * 2 * move for weight, move in zip(weights, track.moves, strict=True))
    slope = sum(weight * lead for weight, lead in zip(weights, track.leads, strict=True)) / square
    variance = sum(weight**2 for weight in weights) / square**2
    luck, most_luck = (luck_of(track, weights, shares_left(track, slope_fall)) / square for slope_fall in (fall, 0.0))
    variance = (way**2 * variance + (luck * track.noise) ** 2) * track.noise**2
    return Gain(way * slope - most_luck * track.noise**2, way * slope - luck * track.noise**2, variance)


def luck_of(track: Track, weights: Sequence[float], shares: Sequence[float]) -> float:
    """Return how far pairs have moved the result, each times its weight. `shares`: see `shares_left`."""
    pairs, moved, luck = len(weights), 0.0, 0.0
    half = pairs // 2
    for number in reversed(range(pairs)):
        carried = shares[number + 1] * moved if number + 1 < pairs else 0.0
        moved = carried + (number >= half) / (pairs - half)
        luck += moved * track.steps[number] * copysign(1.0, track.moves[number]) * weights[number]
    return luck


def band(track: Track, fall: float) -> list[float]:
    """Return how far luck alone can have led a place astray after each pair, with 95 %."""
    variance, widths = 0.0, list[float]()
    for step, share in zip(track.steps, shares_left(track, fall), strict=True):
        variance = variance * share**2 + (step * track.noise) ** 2
        widths.append(IN_95_PERCENT * sqrt(variance))
    return widths


def curve(
    parameter: Parameter, place: int, pairs: Sequence[PlayedPair], widths: Sequence[float], first: int
) -> list[CurvePoint]:
    """Return the path of a value, thinned out. `first`: pairs that had counted before and moved nothing."""
    every = max(-(-len(pairs) // MOST_POINTS), 1)
    chosen = [*range(0, len(pairs) - 1, every), *([len(pairs) - 1] if pairs else [])]
    points: list[CurvePoint] = []
    for number in chosen:
        at, width = pairs[number].places[place], widths[number]
        value, low, high = map(parameter.number_at, (at, clip(at - width), clip(at + width)))
        points.append(CurvePoint(first + number + 1, value, low, high))
    return points


def lead_per_elo(plan: TunePlan, pairs: Sequence[PlayedPair]) -> float:
    """Return what one Elo is worth in a pair: less where the opponents are much stronger or weaker."""
    if not plan.opponent_ids or not pairs:
        return log(10) / 400
    score = sum(sum(pair.ends.points) for pair in pairs) / (2 * len(pairs))
    return log(10) / 100 * max(score * (1 - score), 0.01)


def elo_of(gains: Sequence[Gain], per_elo: float) -> EloInterval:
    """Sum up gains: the middle of the least and the most that can be expected."""
    width = IN_95_PERCENT * sqrt(sum(gain.variance for gain in gains))
    least = sum(gain.least for gain in gains)
    most = sum(gain.most for gain in gains)
    return EloInterval((least + most) / 2 / per_elo, (least - width) / per_elo, (most + width) / per_elo)


def remarks(plan: TunePlan, pairs: Sequence[PlayedPair], bot: str) -> list[str]:
    """Say what is not read, and what is not strength but time or crashes."""
    rule = plan.rule
    first = (pair for pair in pairs if pair.number < rule.first_pairs)
    unread = [rule.parameters[pair.number].name for pair in first if pair.ends.are_alike]
    sentences = [f"both ends of {name} played alike: {bot} seems not to read it" for name in sorted(unread)]
    for place, parameter in enumerate(rule.parameters):
        sentences += lost_otherwise(rule, place, parameter, pairs, bot)
    return sentences


def lost_otherwise(rule: Spsa, place: int, parameter: Parameter, pairs: Sequence[PlayedPair], bot: str) -> list[str]:
    """Say where a bot loses by the clock, or breaks down, with the one end of a parameter and not with the other."""
    sentences = []
    timeouts = [(pair.number, *pair.ends.timeouts) for pair in pairs]
    faults = [(pair.number, *pair.ends.faults) for pair in pairs]
    for what, once, of in (
        ("by the clock", "by the clock", timeouts),
        ("by crashes or wrong answers", "by a crash or a wrong answer", faults),
    ):
        lost = [(direction(rule, place, number), upper, under) for number, upper, under in of if upper or under]
        higher = sum(upper if lot > 0 else under for lot, upper, under in lost if lot)
        lower = sum(under if lot > 0 else upper for lot, upper, under in lost if lot)
        if higher + lower >= FEWEST_FAULTS and abs(higher - lower) >= SURE_DEVIATIONS * sqrt(higher + lower):
            more, less = ("higher", "lower") if higher > lower else ("lower", "higher")
            matches = counted(max(higher, lower), "match", "matches")
            sentences.append(
                f"with a {more} {parameter.name} {bot} lost {matches} {what}, with a {less} one "
                f"{min(higher, lower)}: that says nothing about how well it plays"
            )
        sentences += [
            f"with {parameter.name}={parameter.text_at(1.0 if upper else 0.0)} {bot} lost its first match {once}"
            for number, upper, under in of
            if number == place and bool(upper) != bool(under)
        ]
    return sentences


def direction(rule: Spsa, place: int, number: int) -> int:
    """Return 1 where a pair's upper end had the higher value of a parameter, -1 where the lower one, 0 where both."""
    if number < rule.first_pairs:
        return int(number == place)
    return rule.lots(number)[place]


RESULT, START = VersionId(0), VersionId(1)
"""The variants of the gauntlet in which the result meets the start."""
CONFIRMING = "confirming"
"""The state of a tune whose result meets the start."""


@immutable
class Tune:
    """A tune, as it was asked for. `id`: of its gauntlet, 0 where it is played here; `against`: empty: itself.

    `pairs`: that look for values; `confirming_pairs`: in which the result meets the start, in the gauntlet
    `confirming_id` where workers play it; `unknown`: parameters of which nobody said a value: the middle is the start.
    """

    id: GauntletId
    game: str
    league: str
    bot: str
    against: list[str]
    asked_by: str
    seed: int
    pairs: int
    confirming_pairs: int
    state: str
    created_at: datetime
    ended_at: datetime | None = None
    unknown: tuple[str, ...] = ()
    confirming_id: GauntletId | None = None


@immutable
class TuneReport:
    """A tune and what came of it. `gain`: that can be expected; `confirmed`: the result against the start.

    `submit`: the line that submits the values.
    """

    MERGED: ClassVar = ("tune",)

    tune: Tune
    pairs_played: int
    confirming_played: int
    parameters: list[Found]
    gain: EloInterval | None
    confirmed: ComparedVariants | None
    remarks: list[str]
    sentence: str
    submit: str
    elapsed_s: float


def report_of(
    tune: Tune,
    plan: TunePlan,
    pairs: Sequence[PlayedPair],
    confirmed: Sequence[int],
    *,
    elapsed_s: float,
    submit: Sequence[str],
) -> TuneReport:
    """Say how a tune stands. `confirmed`: half points of pairs against the start; `submit`: the line to complete."""
    findings = findings_of(plan, pairs, tune.bot)
    most = outcomes_of(plan.players) - 1
    met = compared("result", "start", confirmed, most) if confirmed else None
    params = {**plan.own, **findings.params}
    values = [word for name, value in params.items() for word in ("--param", f"{name}={value}")]
    middle = "is known, so the start is the middle of the range; --start says another"
    unknown = [f"no value of {', '.join(tune.unknown)} {middle}"] if tune.unknown else []
    return TuneReport(
        tune=tune,
        pairs_played=len(pairs),
        confirming_played=len(confirmed),
        parameters=findings.parameters,
        gain=findings.gain,
        confirmed=met,
        remarks=[*unknown, *findings.remarks],
        sentence=sentence(tune, findings, met, len(pairs)),
        submit=shlex.join([*submit, *values]),
        elapsed_s=elapsed_s,
    )


def has_moved(findings: Findings) -> bool:
    return findings.params != findings.start


def sentence(tune: Tune, findings: Findings, met: ComparedVariants | None, played: int) -> str:
    values = findings.values
    if tune.state == GauntletState.FINISHED:
        return f"{values}: {verdict(findings, met)}"
    if tune.state == CONFIRMING:
        confirming = 0 if met is None else met.pairs
        return f"{values}: meets the start on fresh seeds, {confirming} of {counted(tune.confirming_pairs, 'pair')}"
    gain = findings.gain
    expected = "" if gain is None else f", {estimate_text(gain)} Elo expected"
    stopped = "stopped: " if tune.state == GauntletState.STOPPED else ""
    return f"{stopped}{values} after {played} of {counted(tune.pairs, 'pair')}{expected}"


def verdict(findings: Findings, met: ComparedVariants | None) -> str:
    if not has_moved(findings):
        return "no better than the start, as they are the start's"
    if met is None or met.elo is None:
        return "nothing is known of them and the start"
    elo = met.elo
    pairs = counted(met.pairs, "pair")
    if elo.low > 0:
        return f"better by {elo.low:.0f} to {elo.high:.0f} Elo ({pairs})"
    judged = "no better" if elo.high <= 0 else "not surely better"
    return f"{judged} than the start: {elo_text(elo.low)} to {elo_text(elo.high)} Elo ({pairs})"


COLUMNS = ("parameter", "range", "start", "value", "95 %", "expected Elo")


def cells(row: Found) -> tuple[str, ...]:
    between = "" if not row.curve else f"{row.low} to {row.high}"
    return row.name, row.range, row.start, row.value, between, "" if row.gain is None else estimate_text(row.gain)


def title(tune: Tune) -> str:
    met = ", ".join(tune.against) or "itself"
    return f"{tune.bot} against {met} ({tune.game}, rules of {tune.league}), seed {tune.seed}"


def progress(report: TuneReport) -> str:
    """Say how far it is, and how long the rest takes, as far as can be told."""
    tune = report.tune
    played = report.pairs_played + report.confirming_played
    left_s = report.elapsed_s / played * (tune.pairs + tune.confirming_pairs - played) if played else None
    pairs = f"pairs {report.pairs_played} of {tune.pairs}, then {tune.confirming_pairs} against the start"
    if tune.state == CONFIRMING:
        pairs = f"pairs {report.confirming_played} of {tune.confirming_pairs} against the start"
    return pairs if left_s is None else f"{pairs}, about {duration(left_s)} left"


def lines(report: TuneReport) -> list[str]:
    state = report.tune.state
    going = [progress(report)] if state in {GauntletState.RUNNING, CONFIRMING} else []
    submit = [] if report.pairs_played == 0 else [f"to submit these values: {report.submit}"]
    return [report.sentence, *going, *report.remarks, *submit]


def variants_of(findings: Findings, own: Params) -> tuple[Params, Params]:
    """Return the parameters of the result and of the start, as they meet."""
    return {**own, **findings.params}, {**own, **findings.start}
