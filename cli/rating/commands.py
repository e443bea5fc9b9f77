"""`ladder rating`: whether the ledger of ratings holds, rating again, and boards as they would be on a part of it.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.options.names import game_option, league_option
from cli.options.people import ByOption, operator_named
from cli.rating.boards import show_rows
from engine.text import counted
from ladder import actions

if TYPE_CHECKING:
    from ladder.ratings.verify import Report

GameOption = Annotated[str | None, game_option("Only this game.", from_folder=False)]
LeagueOption = Annotated[
    str | None, league_option("Only this league; --game says of which game, if several have one of that name.")
]


def verify(
    typer_context: typer.Context,
    game: GameOption = None,
    league: LeagueOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> int:
    """Check that every rating can be reproduced, to the last digit.

    Replays the ledger; looks whether every version began with its league's fresh rating; whether every finished match
    has both its seats and a clear result and is rated once, in order, and no other is; whether boards stand at the
    ledger's last lines, with the scores that follow; whether matches, wins, draws, losses, time-outs, faults and what
    is shown as places add up, and so does what promotions go by: wins against the boss, and matches from before it
    went back for each version that did. Of each kind of difference the first is shown, causes before what may follow
    from them. Exit status 1 if there is any. Matches may go on meanwhile.

    Example: ladder rating verify --game ocean-of-code
    """
    from cli.rating.part_boards import counting
    from ladder.views.ratings import verified

    context = this(typer_context)
    found = context.watch(verified, game, league, partial(counting, context, "verifying"))
    if as_json:
        context.show_json(found)
    else:
        show_report(context, found.report)
    return ExitStatus.OK if found.clean else ExitStatus.FAILED


def show_report(context: Context, report: Report) -> None:
    """Say what a check has found."""
    for difference in report.differences:
        more = f" (and {difference.count - 1} more)" if difference.count > 1 else ""
        context.show(f"{difference.kind}: {difference.first}{more}")
    context.show(
        f"{report.matches} matches in {counted(report.leagues, 'league')}, "
        f"{counted(report.lines, 'ledger line')}, {counted(report.versions, 'standing')}: " + what_to_do(report)
    )


def what_to_do(report: Report) -> str:
    """Say what a check has come to, for the end of a sentence."""
    if report.is_clean:
        return "every number is reproduced"
    if report.can_be_rebuilt:
        return "`ladder rating recompute` rebuilds them"
    return (
        "rows are broken; where they cannot be mended take their matches back with `ladder match void`, then `ladder "
        "rating recompute` rebuilds the rest"
    )


def recompute(
    typer_context: typer.Context,
    game: GameOption = None,
    league: LeagueOption = None,
    where: Annotated[
        str | None, typer.Option("--where", help="Change nothing; show the boards as only these matches would give.")
    ] = None,
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """Rate all finished matches again, in the ledger's order, and rebuild ledger and boards.

    With --where nothing is changed, and the boards are shown as they would be if only some matches had been played.
    Matches of versions that have left the board count too, but only those that stand there now are listed.

    A filter compares game, league (its name or title), time, seed, match, bot and opponent (a bot or version), result
    (won, drawn, lost), fault, seat, reason, turns, rated, gauntlet or metric.NAME (what bots printed with [TDATA] or
    [PDATA]) by = != < <= > >=, joined by and, or, not and parentheses; a value with blanks stands in quotes. Days and
    times are UTC; 90m, 1h or 2d is that long ago. Where it names a bot, result, fault, seat and opponent are about that
    bot's side, else about either. A filter that cannot be read ends with exit status 2.

    Example: ladder rating recompute --where "league = bronze and time >= 2026-11-01 and not opponent = kraken@v3"
    """
    from cli.rating.part_boards import counting, show_boards

    context = this(typer_context)
    if where is not None:
        show_boards(context, game, league, where, as_json=as_json)
        return
    done = context.act(
        actions.games.recompute, operator_named(player), game, league, partial(counting, context, "rating again")
    )
    if as_json:
        context.show_json(done)
        return
    changes = [(one, one.rewritten) for one in done]
    for one, row in changes:
        if row.matches or row.changed_lines or row.changed_standings:
            context.show(
                f"{one.game}, {one.league}: {row.matches} matches rated again, {row.changed_lines} ledger lines and "
                f"{row.changed_standings} standings changed"
            )
    if not any(row.changed_lines or row.changed_standings for _, row in changes):
        context.show("nothing had to be changed")


def settle(
    typer_context: typer.Context,
    game: GameOption = None,
    league: LeagueOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """Rank by all matches at once, whatever their order, and say how sure each rank is.

    Shown beside the live board; nothing is changed. Strengths are Elo points above the average (Davidson's model:
    Bradley-Terry with draws); a rank lies in its interval with 95 %. Matches of versions that have left the board
    count too. Bots that no chain of matches joins cannot be compared: they are ranked in groups, the largest first.

    Example: ladder rating settle --game ocean-of-code --league bronze
    """
    from cli.rating.settled_text import group_count, settled_table
    from ladder.views.ratings import settled_boards

    context = this(typer_context)
    boards = context.watch(settled_boards, game, league)
    for board in boards:
        if group_count(board) > 1:
            context.say(
                f"{board.league.title} ({board.league.game}): {group_count(board)} groups of bots that no chain of "
                "matches joins; each is ranked by itself"
            )
    show_rows(context, boards, settled_table, "no match is finished: there is nothing to settle", as_json=as_json)
