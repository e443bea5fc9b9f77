"""`ladder rating`: whether the ledger of ratings holds, rating again, and boards as they would be on a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.options.names import game_option, league_option
from cli.options.people import ByOption, doer_named

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.leagues.leagues import League
    from ladder.ratings.rewrite import Rewritten
    from ladder.ratings.verify import Report

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Ratings: check the ledger, or rate again.\n\nExample: ladder rating verify",
)

MATCHES_A_STEP = 500
"""The progress bar moves after so many matches."""

GameOption = Annotated[str | None, game_option("Only this game.")]
LeagueOption = Annotated[
    str | None, league_option("Only this league; --game says of which game, if several have one of that name.")
]


@app.command()
def verify(
    typer_context: typer.Context,
    game: GameOption = None,
    league: LeagueOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> int:
    """Check that every rating can be reproduced, to the last digit.

    Replays the ledger; looks whether every version began with its league's fresh rating; whether every finished match
    has both its seats and a clear result and is rated once, in order, and no other is; whether boards stand at the
    ledger's last lines, with the scores that follow; whether matches, wins, draws, losses, time-outs and faults add up,
    and so does what promotions go by: wins against the boss, and matches from before it went back for each version that
    did. Of each kind of difference the first is told, causes before what may follow from them. Exit status 1 if there
    is any. Matches may go on meanwhile.

    Example: ladder rating verify --game ocean-of-code
    """
    from cli.render import counted
    from ladder.ratings import verify as ledger_check

    context = this(typer_context)
    with context.database() as connection:
        wanted = wanted_leagues(connection, game, league)
        with counting(context, connection, "verifying", wanted) as on_match:
            report = ledger_check.verify(connection, wanted, on_match)
    if as_json:
        context.show_json({"clean": report.is_clean} | asdict(report))
    else:
        for difference in report.differences:
            more = f" (and {difference.count - 1} more)" if difference.count > 1 else ""
            context.show(f"{difference.kind}: {difference.first}{more}")
        context.show(
            f"{report.matches} matches in {counted(report.leagues, 'league')}, "
            f"{counted(report.lines, 'ledger line')}, {counted(report.versions, 'standing')}: " + what_to_do(report)
        )
    return ExitStatus.OK if report.is_clean else ExitStatus.FAILED


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


@app.command()
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
    Matches of versions that have left the board count too, but only those that stand there now are listed. A filter
    compares game, league (its name or title), time, seed, match, opponent (a bot or version that plays in the
    match) or metric.NAME (what bots printed with [TDATA] or [PDATA]) by = != < <= > >=, joined by and, or, not and
    parentheses; a value with blanks stands in quotes. Days and times are UTC. A filter that cannot be read ends with
    exit status 2.

    Example: ladder rating recompute --where "league = bronze and time >= 2026-11-01 and not opponent = kraken@v3"
    """
    context = this(typer_context)
    if where is not None:
        show_boards(context, game, league, where, as_json=as_json)
        return
    names, done = rebuild(context, game, league, doer_named(player))
    if as_json:
        context.show_json([asdict(row) | names[row.league_id] for row in done])
        return
    for row in done:
        if row.matches or row.changed_lines or row.changed_standings:
            name = names[row.league_id]
            context.show(
                f"{name['game']}, {name['league']}: {row.matches} matches rated again, {row.changed_lines} ledger "
                f"lines and {row.changed_standings} standings changed"
            )
    if not any(row.changed_lines or row.changed_standings for row in done):
        context.show("nothing had to be changed")


def rebuild(
    context: Context, game: str | None, league: str | None, by: str
) -> tuple[dict[int, dict[str, str]], list[Rewritten]]:
    """Rate leagues again; return their names by id and what was changed in each. `by`: who does it."""
    from ladder import deeds
    from ladder.database.connection import transaction
    from ladder.ratings import rewrite

    with context.pool() as pool, transaction(pool) as connection:
        wanted = wanted_leagues(connection, game, league)
        names = {found.id: {"game": found.game, "league": found.name} for found in wanted}
        with counting(context, connection, "rating again", wanted) as on_match:
            done = rewrite.recompute(connection, list(names), on_match)
        lines = sum(row.changed_lines for row in done)
        about = f"{', '.join(league.title for league in wanted)}: {lines} ledger lines changed"
        deeds.write(connection, by, "rating recompute", about)
    return names, done


def show_boards(context: Context, game: str | None, league: str | None, where: str, *, as_json: bool) -> None:
    """Show boards as they would be on the matches that a filter picks."""
    from cli.rating.texts import board_rows, part_board_table
    from ladder.ratings.filtered_board import board_of
    from ladder.ratings.match_filter import parse

    wanted = parse(where)
    with context.database() as connection:
        asked = wanted_leagues(connection, game, league)
        with counting(context, connection, "rating", asked) as on_match:
            boards = [(found, board_of(connection, found, wanted, on_match)) for found in asked]
    if as_json:
        context.show_json([row for found, lines in boards for row in board_rows(found, lines)])
        return
    for found, lines in boards:
        if lines:
            context.show(part_board_table(found, lines))
    if not any(lines for _, lines in boards):
        context.say("no finished match fits the filter that a version on a board now has played")


def wanted_leagues(connection: Connection, game: str | None, league: str | None) -> list[League]:
    """Return the leagues that are asked for, the highest first. Raises UnknownName and UsageFault."""
    from ladder.leagues import leagues

    if game is not None:
        leagues.check_game(connection, game)
    if league is not None:
        return [leagues.find_league_in(connection, game, league)]
    return leagues.leagues(connection, game)[::-1]


@contextmanager
def counting(
    context: Context, connection: Connection, what: str, leagues: list[League]
) -> Iterator[Callable[[], None]]:
    """Show on a terminal how many of the leagues' matches are done; gives what is to be called after each."""
    if not context.err.is_terminal:
        yield lambda: None
        return
    from rich.progress import Progress

    from ladder.ratings import ledger

    done = 0

    def on_match() -> None:
        nonlocal done
        done += 1
        if done % MATCHES_A_STEP == 0:
            bar.update(task, completed=done)

    with Progress(console=context.err, transient=True) as bar:
        task = bar.add_task(what, total=ledger.count_finished(connection, [league.id for league in leagues]))
        yield on_match


@app.command()
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
    from ladder.ratings.settled_board import settled_board

    context = this(typer_context)
    with context.database() as connection:
        asked = wanted_leagues(connection, game, league)
        boards = [(found, settled_board(connection, found)) for found in asked]
    for found, lines in boards:
        if group_count(lines) > 1:
            context.say(
                f"{found.title} ({found.game}): {group_count(lines)} groups of bots that no chain of matches joins; "
                "each is ranked by itself"
            )
    if as_json:
        context.show_json(
            [{"game": found.game, "league": found.name, **asdict(line)} for found, lines in boards for line in lines]
        )
        return
    for found, lines in boards:
        if lines:
            context.show(settled_table(found, lines))
    if not any(lines for _, lines in boards):
        context.say("no match is finished: there is nothing to settle")
