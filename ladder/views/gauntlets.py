"""Gauntlets: what one has found, the results of a bot's versions, and what is played by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import ClassVar, TypeAlias

from engine.errors import Refused
from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.gauntlets import automatic_gauntlets, gauntlets, variants
from ladder.gauntlets.gauntlets import Gauntlet, HostCheck
from ladder.gauntlets.rendering import ComparisonReport, compared_with, comparison_report_of, conclusion, headline
from ladder.gauntlets.report import (
    Against,
    FaultCounts,
    GauntletReport,
    LostPair,
    PathPoint,
    WorseMatch,
    llr_path,
    report_of,
)
from ladder.gauntlets.verdict import Judgement, judge
from ladder.ids import GauntletId
from ladder.leagues import leagues
from ladder.ratings import standings
from ladder.row_limits import require_limit
from ladder.statistics.elo import Estimate

MOST_JUDGED = 50
"""Of a list: counting a gauntlet's pairs takes some milliseconds."""
MOST_RUNNING = 100
MOST_VERSIONS = 10
"""Results are counted for this many of a bot's latest versions: counting a gauntlet's pairs takes a while."""
Judge: TypeAlias = Callable[[Connection, Gauntlet], Judgement | None]


def latest(
    connection: Connection,
    limit: int,
    bot: str | None = None,
    game: str | None = None,
    before: GauntletId | None = None,
) -> list[ListedGauntlet]:
    """Return the latest gauntlets, of one bot's versions, begun `before` that one. Raises UnknownName, UsageFault."""
    require_limit(limit)
    bot_id = None if bot is None else bots.find_bot(connection, bot, game).id
    return listed(connection, gauntlets.latest(connection, limit, bot_id, before))


@immutable
class ListedGauntlet:
    """A gauntlet in a list. `note`: on its candidate; `judgement`: how far it is, of the first MOST_JUDGED alone."""

    MERGED: ClassVar = ("gauntlet",)

    gauntlet: Gauntlet
    note: str
    judgement: Judgement | None

    @property
    def pairs_played(self) -> int | None:
        return None if self.judgement is None else sum(self.judgement.counts)


def listed(connection: Connection, rows: Sequence[Gauntlet], judge: Judge | None = None) -> list[ListedGauntlet]:
    """Return gauntlets as lines of a list. `judge`: `judgement_of`, or what has kept that."""
    notes = versions.notes(connection, {row.candidate_id for row in rows})
    judged = [(judge or judgement_of)(connection, row) for row in rows[:MOST_JUDGED]]
    return [
        ListedGauntlet(row, notes.get(row.candidate_id, ""), judgement) for row, judgement in zip_longest(rows, judged)
    ]


@immutable
class GauntletPage:
    """Some gauntlets. `running`: with the first page alone; `next`: the gauntlet before which the next page begins."""

    running: list[ListedGauntlet]
    over: list[ListedGauntlet]
    next: GauntletId | None


def page_of(
    connection: Connection,
    limit: int,
    bot: bots.Bot | None = None,
    before: GauntletId | None = None,
    game: str | None = None,
    judge: Judge | None = None,
) -> GauntletPage:
    """Return a page of gauntlets, the latest first, of one bot or game or of all. `judge`: see `listed`."""
    bot_id = None if bot is None else bot.id
    running = gauntlets.running(connection, MOST_RUNNING, bot_id, game) if before is None else []
    over = gauntlets.latest(connection, limit + 1, bot_id, before, over=True, game=game)
    next_before = over[limit - 1].id if len(over) > limit else None
    return GauntletPage(listed(connection, running, judge), listed(connection, over[:limit], judge), next_before)


def read_report(connection: Connection, gauntlet_id: GauntletId) -> GauntletReport | ComparisonReport:
    """Read a gauntlet and what came of it. The connection must see one snapshot. Raises UnknownName, Refused."""
    gauntlet = gauntlets.find(connection, gauntlet_id)
    if gauntlet.is_tune:
        raise Refused(f"gauntlet {gauntlet_id} is a tune: `ladder tune show {gauntlet_id}` shows it")
    return comparison_report_of(connection, gauntlet) if gauntlet.compares_variants else report_of(connection, gauntlet)


def read_in_full(connection: Connection, gauntlet_id: GauntletId) -> GauntletInDetail | ComparisonInDetail:
    report = read_report(connection, gauntlet_id)
    return comparison_in_detail(report) if isinstance(report, ComparisonReport) else in_detail(report)


@immutable
class ReportWithPath:
    """A gauntlet and what came of it, and how its sequential test went; `path` is empty without one."""

    report: GauntletReport
    path: list[PathPoint]


def with_path(connection: Connection, gauntlet: Gauntlet) -> ReportWithPath | ComparisonReport:
    if gauntlet.compares_variants:
        return comparison_report_of(connection, gauntlet)
    pairs, plan = gauntlets.pairs_of(connection, gauntlet.id), gauntlet.plan
    return ReportWithPath(report_of(connection, gauntlet, pairs, plan), llr_path(plan, gauntlet.test, pairs))


def judgement_of(connection: Connection, gauntlet: Gauntlet) -> Judgement | None:
    """Say how far a gauntlet is; None for one that asks another question: a tune, or a comparison of variants."""
    if gauntlet.is_tune or gauntlet.compares_variants:
        return None
    outcomes = {pair.slot: pair.outcome for pair in gauntlets.pairs_of(connection, gauntlet.id)}
    return judge(gauntlet.plan, gauntlet.test, outcomes, is_over=gauntlet.state == GauntletState.FINISHED)


@immutable
class GauntletInDetail:
    """A gauntlet and all that came of it, as scripts see it; see `GauntletReport`."""

    MERGED: ClassVar = ("gauntlet",)

    gauntlet: Gauntlet
    pairs_played: int
    slots: int
    sentence: str
    counts: tuple[int, ...]
    llr: float | None
    bounds: tuple[float, float] | None
    estimate: Estimate | None
    compared_with: str
    deciding: list[str]
    overall: Against
    against: list[Against]
    regressions: list[str]
    lost_pairs: list[LostPair]
    faults: list[FaultCounts]
    hosts: list[HostCheck]
    starved: float
    host_was_too_busy: bool
    elapsed_s: float
    context: list[str]
    conclusion: str
    seats_sentence: str
    worse: list[WorseMatch]


def in_detail(report: GauntletReport) -> GauntletInDetail:
    judgement = report.judgement
    return GauntletInDetail(
        gauntlet=report.gauntlet,
        pairs_played=report.pairs,
        slots=report.slots,
        sentence=headline(report),
        counts=judgement.counts,
        llr=judgement.llr,
        bounds=judgement.bounds,
        estimate=judgement.estimate,
        compared_with=compared_with(report.gauntlet),
        deciding=report.gauntlet.deciding,
        overall=report.overall,
        against=report.opponents,
        regressions=[row.opponent for row in report.regressions],
        lost_pairs=report.lost,
        faults=report.faults,
        hosts=report.hosts,
        starved=report.starved,
        host_was_too_busy=report.host_was_too_busy,
        elapsed_s=report.elapsed_s,
        context=report.gauntlet.context,
        conclusion=conclusion(report),
        seats_sentence=report.seats_sentence,
        worse=report.worse,
    )


@immutable
class ComparisonInDetail:
    """A gauntlet of variants and all that came of it, as scripts see it."""

    MERGED: ClassVar = ("comparison",)

    id: int
    comparison: variants.VariantComparison
    asked_by: str
    created_at: datetime
    ended_at: datetime | None
    pairs_played: int
    slots: int
    elapsed_s: float
    conclusion: str


def comparison_in_detail(report: ComparisonReport) -> ComparisonInDetail:
    gauntlet, comparison = report.gauntlet, report.comparison
    return ComparisonInDetail(
        id=gauntlet.id,
        comparison=comparison,
        asked_by=gauntlet.asked_by,
        created_at=gauntlet.created_at,
        ended_at=gauntlet.ended_at,
        pairs_played=report.pairs,
        slots=report.slots,
        elapsed_s=report.elapsed_s,
        conclusion=variants.conclusion(comparison),
    )


@immutable
class Result:
    """A version's gauntlet. `verdict` is None unless it is finished; `holds_back`: whether the version waits for it."""

    version: str
    gauntlet: GauntletId
    state: str
    verdict: str | None
    gates: bool
    holds_back: bool
    sentence: str
    conclusion: str


def results(connection: Connection, versions: Sequence[Version]) -> list[Result]:
    """Return the latest gauntlet of each version, and those that hold one back. `versions`: of a bot, latest first."""
    ids = [version.id for version in versions]
    latest_of = automatic_gauntlets.latest_by_version(connection, ids[:MOST_VERSIONS])
    held_of = automatic_gauntlets.held_by(connection, ids)
    of_versions = [
        gauntlet for id_ in ids for gauntlet in (latest_of.get(id_), held_of.get(id_)) if gauntlet is not None
    ]
    return [
        result_of(connection, gauntlet, holds_back=held_of.get(gauntlet.candidate_id) == gauntlet)
        for gauntlet in {gauntlet.id: gauntlet for gauntlet in of_versions}.values()
    ]


def result_of(connection: Connection, gauntlet: Gauntlet, *, holds_back: bool) -> Result:
    report = report_of(connection, gauntlet)
    return Result(
        version=gauntlet.candidate,
        gauntlet=gauntlet.id,
        state=gauntlet.state,
        verdict=gauntlet.verdict,
        gates=gauntlet.gates,
        holds_back=holds_back,
        sentence=headline(report),
        conclusion=conclusion(report),
    )


@immutable
class HeldBack:
    """The gauntlet that keeps a version off the board. `plays_on`: its bot's version that is there, if there is one."""

    result: Result
    plays_on: str | None


def held_back(connection: Connection, gauntlet: Gauntlet) -> HeldBack:
    stored = gauntlets.find(connection, gauntlet.id)
    present = standings.present_version(connection, bots.bot_of_version(connection, stored.candidate_id).id)
    plays_on = present and versions.find_version(connection, present[0]).name
    return HeldBack(result_of(connection, stored, holds_back=True), plays_on)


@immutable
class Automatic:
    """What is played by itself for a bot or league, of that name; None where nothing is."""

    name: str
    gauntlet: automatic_gauntlets.AutomaticGauntlet | None


def automatic_of_bot(connection: Connection, name: str, game: str | None = None) -> Automatic:
    bot = bots.find_bot(connection, name, game)
    return Automatic(bot.name, automatic_gauntlets.applying_to(connection, bot))


def automatic_of_league(connection: Connection, name: str, game: str | None = None) -> Automatic:
    target = automatic_gauntlets.of_league(connection, name, game)
    return Automatic(target.name, automatic_gauntlets.find(connection, None, target.league_id))


def all_automatic(connection: Connection, game: str | None = None) -> list[automatic_gauntlets.AutomaticGauntlet]:
    leagues.check_game(connection, game)
    return automatic_gauntlets.all_of(connection, game)
