"""What gauntlets have said of a bot's versions, and which version waits for one before it comes onto the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.gauntlet.commands import STATUS

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.bots.versions import Version
    from ladder.database.connection import Connection
    from ladder.gauntlets.gauntlets import Gauntlet

MOST_VERSIONS = 10
"""So many of the latest versions are told of: counting a gauntlet's pairs takes a while."""


@dataclass(frozen=True, slots=True)
class Result:
    """A version's gauntlet. `verdict` is None unless it is finished; `holds_back`: whether the version waits for it."""

    version: str
    gauntlet: int
    state: str
    verdict: str | None
    gates: bool
    holds_back: bool
    sentence: str


def results(connection: Connection, versions: Sequence[Version]) -> list[Result]:
    """Return the latest gauntlet of each version, and those that hold one back. `versions`: of a bot, latest first."""
    from ladder.gauntlets.automatic_gauntlets import held_by, latest_by_version

    ids = [version.id for version in versions]
    latest, held = latest_by_version(connection, ids[:MOST_VERSIONS]), held_by(connection, ids)
    found = [gauntlet for id_ in ids for gauntlet in (latest.get(id_), held.get(id_)) if gauntlet is not None]
    return [
        result_of(connection, gauntlet, holds_back=held.get(gauntlet.candidate_id) == gauntlet)
        for gauntlet in {gauntlet.id: gauntlet for gauntlet in found}.values()
    ]


def result_of(connection: Connection, gauntlet: Gauntlet, *, holds_back: bool) -> Result:
    """Sum up one gauntlet."""
    from cli.gauntlet.tables import headline
    from ladder.gauntlets.report import report_of

    return Result(
        gauntlet.candidate,
        gauntlet.id,
        gauntlet.state,
        gauntlet.verdict,
        gauntlet.gates,
        holds_back,
        headline(report_of(connection, gauntlet)),
    )


def result_text(result: Result) -> str:
    """Tell of one gauntlet, and of a version that it holds back what becomes of that."""
    text = f"{result.version}, gauntlet {result.gauntlet}, {result.verdict or result.state}: {result.sentence}"
    return f"{text}; {waiting_text(result)}" if result.holds_back else text


def waiting_text(result: Result) -> str:
    """Say what becomes of a version that is held back."""
    if result.state == "running":
        return "it comes onto the board when it has passed"
    if result.verdict == "passed":
        return "it comes onto the board at once"
    return f"it stays off the board, unless `ladder bot activate {result.version}` puts it there"


def tell_held(context: Context, gauntlet: Gauntlet) -> int:
    """Say why a version stays off the board and who plays in its place. Returns the exit status of the verdict."""
    from ladder.bots import bots, versions
    from ladder.ratings import standings

    with context.database() as connection:
        result = result_of(connection, gauntlet, holds_back=True)
        present = standings.present_version(connection, bots.bot_of_version(connection, gauntlet.candidate_id).id)
        plays_on = None if present is None else versions.find_version(connection, present[0]).name
    context.show(result_text(result))
    if plays_on is not None:
        context.show(f"{plays_on} plays on")
    return STATUS[gauntlet.verdict or "undecided"]
