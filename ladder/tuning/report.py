"""All there is to say about a tune: for the terminal, scripts and pages alike. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from engine.immutable import immutable
from engine.text import counted, duration
from engine.toolchains.params import Params
from ladder.choices import GauntletState
from ladder.gauntlets.variants import ComparedVariants, tally_of
from ladder.ids import GauntletId, VersionId
from ladder.statistics.elo import elo_text
from ladder.tuning.findings import Elo, Findings, Found, PlayedPair, findings_of
from ladder.tuning.plan import TunePlan

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

    `submit`: the line that submits the values; `left_s`: how long the rest takes, as far as can be told.
    """

    MERGED: ClassVar = ("tune",)

    tune: Tune
    pairs_played: int
    confirming_played: int
    parameters: list[Found]
    gain: Elo | None
    confirmed: ComparedVariants | None
    remarks: list[str]
    sentence: str
    submit: str
    elapsed_s: float

    @property
    def left_s(self) -> float | None:
        played, all_ = self.pairs_played + self.confirming_played, self.tune.pairs + self.tune.confirming_pairs
        return self.elapsed_s / played * (all_ - played) if played else None


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
    findings, compared = findings_of(plan, pairs, tune.bot), None
    if confirmed:
        tally = tally_of(plan.players)
        tally.played[RESULT, START] = list(confirmed)
        compared = tally.compared(["result", "start"])[0]
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
        confirmed=compared,
        remarks=[*unknown, *findings.remarks],
        sentence=sentence(tune, findings, compared, len(pairs)),
        submit=shlex.join([*submit, *values]),
        elapsed_s=elapsed_s,
    )


def has_moved(findings: Findings) -> bool:
    return findings.params != findings.start


def sentence(tune: Tune, findings: Findings, compared: ComparedVariants | None, played: int) -> str:
    values = findings.values
    if tune.state == GauntletState.FINISHED:
        return f"{values}: {verdict(findings, compared)}"
    if tune.state == CONFIRMING:
        confirming = 0 if compared is None else compared.pairs
        return f"{values}: meets the start on fresh seeds, {confirming} of {counted(tune.confirming_pairs, 'pair')}"
    gain = findings.gain
    expected = "" if gain is None else f", {gain_text(gain)} Elo expected"
    stopped = "stopped: " if tune.state == GauntletState.STOPPED else ""
    return f"{stopped}{values} after {played} of {counted(tune.pairs, 'pair')}{expected}"


def verdict(findings: Findings, compared: ComparedVariants | None) -> str:
    if not has_moved(findings):
        return "no better than the start, as they are the start's"
    if compared is None or compared.elo is None:
        return "nothing is known of them and the start"
    elo, pairs = compared.elo, counted(compared.pairs, "pair")
    if elo.low > 0:
        return f"better by {elo.low:.0f} to {elo.high:.0f} Elo ({pairs})"
    return f"no better than the start: {elo_text(elo.low)} to {elo_text(elo.high)} Elo ({pairs})"


def gain_text(gain: Elo) -> str:
    return f"{elo_text(gain.elo)} ({elo_text(gain.low)} to {elo_text(gain.high)})"


COLUMNS = ("parameter", "range", "start", "value", "95 %", "expected Elo")


def cells(row: Found) -> tuple[str, ...]:
    between = "" if not row.curve else f"{row.low} to {row.high}"
    return row.name, row.range, row.start, row.value, between, "" if row.gain is None else gain_text(row.gain)


def title(tune: Tune) -> str:
    met = ", ".join(tune.against) or "itself"
    return f"{tune.bot} against {met} ({tune.game}, rules of {tune.league}), seed {tune.seed}"


def progress(report: TuneReport) -> str:
    tune, left_s = report.tune, report.left_s
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
