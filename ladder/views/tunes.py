"""Tunes: how each stands and what it has found."""

from datetime import datetime
from pathlib import PurePath

from engine.immutable import immutable
from engine.toolchains.languages import find_language
from ladder.bots import versions
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.report import elapsed_s
from ladder.ids import GauntletId
from ladder.row_limits import require_limit
from ladder.statistics.elo import outcomes_of
from ladder.tuning import tunes
from ladder.tuning.report import CONFIRMING, RESULT, Tune, TuneReport, report_of


@immutable
class TuneInList:
    """A tune in a list. `ranges`: of its parameters, as they were typed."""

    id: GauntletId
    bot: str
    game: str
    ranges: list[str]
    against: list[str]
    state: str
    pairs: int
    asked_by: str
    created_at: datetime


def latest(connection: Connection, limit: int) -> list[TuneInList]:
    """Return the latest tunes. Raises UsageFault."""
    require_limit(limit)
    rows: list[TuneInList] = []
    for row in tunes.latest(connection, limit):
        tune = tune_of(gauntlets.find(connection, row.gauntlet_id), row, confirming(connection, row))
        rows.append(
            TuneInList(
                id=tune.id,
                bot=tune.bot,
                game=tune.game,
                ranges=row.ranges,
                against=tune.against,
                state=tune.state,
                pairs=tune.pairs + tune.confirming_pairs,
                asked_by=tune.asked_by,
                created_at=tune.created_at,
            )
        )
    return rows


def confirming(connection: Connection, row: tunes.TuneRow) -> gauntlets.Gauntlet | None:
    return None if row.confirming_id is None else gauntlets.find(connection, row.confirming_id)


def tune_of(gauntlet: gauntlets.Gauntlet, row: tunes.TuneRow, confirming: gauntlets.Gauntlet | None) -> Tune:
    going_on = gauntlet if confirming is None else confirming
    is_confirming = confirming is not None and confirming.state == GauntletState.RUNNING
    return Tune(
        id=gauntlet.id,
        game=gauntlet.game,
        league=gauntlet.league,
        bot=gauntlet.candidate,
        against=gauntlet.opponents,
        asked_by=gauntlet.asked_by,
        seed=gauntlet.seed,
        pairs=gauntlet.pairs,
        confirming_pairs=row.confirming_pairs,
        state=CONFIRMING if is_confirming else going_on.state,
        created_at=gauntlet.created_at,
        ended_at=going_on.ended_at,
        unknown=tuple(row.unknown),
        confirming_id=row.confirming_id,
    )


def read_report(connection: Connection, gauntlet_id: GauntletId) -> TuneReport:
    """Read a tune and what came of it. The connection must see one snapshot. Raises UnknownName."""
    row = tunes.find(connection, gauntlet_id)
    gauntlet, confirmed_in = gauntlets.find(connection, gauntlet_id), confirming(connection, row)
    plan, version = row.plan(gauntlet), versions.find_version(connection, gauntlet.candidate_id)
    return report_of(
        tune_of(gauntlet, row, confirmed_in),
        plan,
        tunes.pairs_of(connection, gauntlet_id),
        [] if confirmed_in is None else confirmed(connection, confirmed_in),
        elapsed_s=elapsed_s(gauntlet) + (0.0 if confirmed_in is None else elapsed_s(confirmed_in)),
        submit=submit_words(version, {parameter.name for parameter in plan.rule.parameters}),
    )


def confirmed(connection: Connection, gauntlet: gauntlets.Gauntlet) -> list[int]:
    """Return the half points of the result in each pair against the start."""
    most, schedule = outcomes_of(gauntlet.players) - 1, gauntlet.schedule
    return [
        pair.outcome if schedule.slot(pair.slot).version_id == RESULT else most - pair.outcome
        for pair in gauntlets.pairs_of(connection, gauntlet.id)
    ]


def submit_words(version: versions.Version, tuned: set[str]) -> list[str]:
    """Return the command that submits a version's source again, with those of its parameters that are not tuned."""
    file = f"{version.bot}{PurePath(find_language(version.language).source).suffix}"
    param_words = [
        word for name, value in version.params.items() if name not in tuned for word in ("--param", f"{name}={value}")
    ]
    return ["ladder", "submit", file, "--game", version.game, "--bot", version.bot, *param_words]
