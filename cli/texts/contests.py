"""How a contest goes."""

from __future__ import annotations

from rich.console import RenderableType

from cli.terminal.table import FittingTable
from cli.terminal.words import freeze_text, moment_text
from ladder.views.contests import Contest
from ladder.views.seasons import plan_sentence


def contest_parts(game: str, found: Contest) -> list[RenderableType]:
    freeze = [] if found.freeze is None else [freeze_text(found.freeze)]
    return [plan_sentence(found.plan), *over_text(game, found), *freeze, contest_table(found)]


def over_text(game: str, found: Contest) -> list[str]:
    if found.contest == found.plan.season.number:
        return []
    results = f"`ladder contest results {game} --to results` writes what it leaves"
    return [f"the contest was season {found.contest}, which is closed; these are its players, and {results}"]


def contest_table(found: Contest) -> FittingTable:
    rows = [
        (
            one.player,
            one.bot or "nothing yet",
            f"{one.versions}" + (f" ({one.rejected} rejected)" if one.rejected else ""),
            moment_text(one.submitted_at) if one.submitted_at else "",
            one.version or "",
            one.league or "",
            "" if one.rank is None else str(one.rank),
            "" if one.score is None else f"{one.score:.2f}",
            "yes" if one.logs_in else "no",
        )
        for one in found.players
    ]
    heads = ("player", "bot", "versions", "latest", "plays", "league", "rank", "score", "logs in")
    return FittingTable(
        heads,
        rows,
        names=("player", "bot", "plays"),
        words=("versions", "latest", "league", "logs in"),
        leaving=("logs in", "bot", "score", "latest"),
    )
