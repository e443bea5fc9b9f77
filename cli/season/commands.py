"""`ladder season`: closing a game's season, with or without a last series, and the boards of those that are closed."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.options.names import game_argument, game_option, league_option
from cli.options.people import ByOption, doer_named

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.seasons.seasons import Season, Series

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Seasons: close one, or look at a closed one's boards.\n\nExample: ladder season list",
)

WATCH_EVERY_S = 0.5
TOP = 10
MOST_BATTLES = 1000
LARGEST_TOP = 100
MOST_SEASONS = 1_000_000

GameArgument = Annotated[str, game_argument()]


@app.command("list")
def list_seasons(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the seasons of every game, the one that is on last.

    Example: ladder season list --game ocean-of-code
    """
    from cli.season.texts import season_row, seasons_table
    from ladder.leagues import leagues

    context = this(typer_context)
    games = [] if game is None else [context.games.find(game).name]
    with context.database() as connection:
        games = games or leagues.games_in(connection)
        found = [season for name in games for season in with_the_running_one(connection, name)]
        series = series_of(connection, found)
    if as_json:
        context.show_json([season_row(season, series) for season in found])
    else:
        context.show(seasons_table(found, series))


def with_the_running_one(connection: Connection, game: str) -> list[Season]:
    """Return a game's seasons, the one that is on as the last."""
    from ladder.seasons import seasons
    from ladder.seasons.season import running

    begun = seasons.begun(connection, game)
    on = running(game, begun)
    return begun if on in begun else [*begun, on]


def series_of(connection: Connection, found: list[Season]) -> dict[int, Series]:
    """Return how far those of the seasons are that have a series, by their ids."""
    from ladder.seasons import seasons

    return {
        season.id: seasons.series(connection, season.id)
        for season in found
        if season.id is not None and season.series_battles
    }


@app.command("close")
def close_season(
    typer_context: typer.Context,
    game: GameArgument,
    series: Annotated[
        int | None,
        typer.Option(
            "--series", min=1, max=MOST_BATTLES, help="First so many battles more for each of the top of every board."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=2, max=LARGEST_TOP, help=f"How many play the series on each board. [default: {TOP}]"),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--number", min=1, max=MOST_SEASONS, help="Only if this season is on, so that nothing is closed twice."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    player: ByOption = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Wait until it is closed and show its boards.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the season as JSON.")] = False,
) -> None:
    """Close a game's season and keep its boards for good.

    The final boards rank by all matches at once, as `ladder rating settle` does, with the live ratings beside that.
    With --series the top of each board first plays so many battles more among themselves, which are rated; they are
    between those of whom the ranking is expected to learn most. A bot that changes its league meanwhile plays them all
    the same, for the league where it was. When the last of them is played, the season is closed by itself. Without
    --series it is closed at once, even while a series is on, of which the rest is given up: the output says how
    many battles, in JSON as `lapsed` of the series, and which ones and why as `given_up`. Matches that end later
    count for the next season. Ratings go on into the next season.

    A season without a finished match is refused with exit status 3, and so is one that --number does not mean. It is an
    operator's deed, which `ladder deeds` shows with a name.

    Example: ladder season close ocean-of-code --series 20 --top 10 --watch
    """
    from cli.season.texts import season_row
    from engine.errors import UsageFault
    from ladder import deeds
    from ladder.seasons import ending

    context = this(typer_context)
    name, by = context.games.find(game).name, doer_named(player)
    if top is not None and series is None:
        raise UsageFault("--top says who plays the series: say --series too, with how many battles")
    if not yes:
        number = confirmed(context, name, number, series)
    with context.database() as connection:
        if series is None:
            season = ending.close(connection, name, number)
        else:
            season = ending.begin_series(connection, name, series, top or TOP, number)
        progress = series_of(connection, [season])
        deeds.write(connection, by, "season close", done_text(season, progress))
    if not as_json:
        context.show(done_text(season, progress))
    if watch:
        season = follow(context, season)
    if as_json:
        with context.database() as connection:
            context.show_json(season_row(season, series_of(connection, [season])))
    elif watch:
        show_final_boards(context, season)


def confirmed(context: Context, game: str, number: int | None, series: int | None) -> int:
    """Ask whether the season that is on is meant, and return its number.

    Raises UsageFault where nobody can answer, Refused after a no.
    """
    from engine.errors import Refused, UsageFault
    from ladder.seasons import seasons
    from ladder.seasons.season import check_number, running

    if not sys.stdin.isatty():
        raise UsageFault("closing a season cannot be undone: say --yes")
    with context.database() as connection:
        on = running(game, seasons.begun(connection, game))
    check_number(on, number)
    after = "" if series is None else " after its series"
    broken_off = ", with its series broken off" if on.state == "series" and series is None else ""
    if not typer.confirm(f"close season {on.number} of {game}{after}{broken_off}?", err=True):
        raise Refused(f"season {on.number} of {game} stays as it is")
    return on.number


def done_text(season: Season, progress: dict[int, Series]) -> str:
    """Say what was done."""
    from cli.render import counted

    if season.state == "closed":
        given_up = sum(series.lapsed for series in progress.values())
        waiting = sum(series.waiting for series in progress.values())
        cut = f"; {counted(given_up, 'battle')} of its series given up" if given_up else ""
        if waiting:
            cut += f"; {counted(waiting, 'match', 'matches')} of it to be played yet, for season {season.number + 1}"
        return (
            f"season {season.number} of {season.game} is closed, season {season.number + 1} has begun{cut}; "
            f"`ladder season show {season.game} {season.number}` shows its boards"
        )
    battles = sum(series.battles for series in progress.values())
    return (
        f"season {season.number} of {season.game} plays its series, {counted(battles, 'battle')}; "
        "when they are played it is closed"
    )


def follow(context: Context, season: Season) -> Season:
    """Wait until a season is closed, saying how far its series is, and return it as it is then."""
    from cli.season.texts import series_text
    from ladder.seasons import seasons

    with context.err.status("waiting for the scheduler") as status:
        while season.state != "closed":
            with context.database() as connection:
                season = next(one for one in seasons.begun(connection, season.game) if one.id == season.id)
                for progress in series_of(connection, [season]).values():
                    status.update(series_text(season, progress))
            time.sleep(WATCH_EVERY_S)
    return season


def show_final_boards(context: Context, season: Season) -> None:
    """Show the boards of a closed season, and what was given up of its series."""
    from cli.season.texts import final_tables, given_up_lines
    from ladder.seasons import seasons

    with context.database() as connection:
        ranks = seasons.kept_boards(connection, season.id or 0)
        given_up = seasons.given_up(connection, season.id or 0)
    context.show(*final_tables(season, ranks), *given_up_lines(given_up))


@app.command("show")
def show_season(
    typer_context: typer.Context,
    game: GameArgument,
    number: Annotated[int, typer.Argument(min=1, max=MOST_SEASONS, help="The season's number.", show_default=False)],
    league: Annotated[str | None, league_option("Only this league.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print rows as CSV.")] = False,
) -> None:
    """Show the boards of a closed season, as they were when it ended.

    Ranks come from all matches until then at once and lie in their interval with 95 %; strengths are Elo points above
    the average. Versions that no chain of matches joins are ranked in groups, and those without a match in their league
    are marked "unplayed". The live rank and score stand beside. Below stands which battles of the season's series were
    given up and why; in JSON it is with each of the two versions, as `given_up`.

    Example: ladder season show ocean-of-code 1 --league legend
    """
    from cli import render
    from cli.season.texts import final_rows, final_tables, given_up_lines, in_one_line
    from ladder.leagues import leagues
    from ladder.seasons import seasons
    from ladder.seasons.season import closed

    context = this(typer_context)
    name = context.games.find(game).name
    with context.database() as connection:
        wanted = None if league is None else leagues.find_league(connection, name, league).id
        season = closed(name, number, seasons.begun(connection, name))
        ranks = [
            row for row in seasons.kept_boards(connection, season.id or 0) if wanted is None or row.league_id == wanted
        ]
        given_up = seasons.given_up(connection, season.id or 0)
    if as_json or as_csv:
        rows = final_rows(season, ranks, given_up)
        context.show_json(rows) if as_json else typer.echo(render.as_csv(map(in_one_line, rows)), nl=False)
        return
    of_leagues = [one for one in given_up if wanted is None or one.league_id == wanted]
    context.show(*final_tables(season, ranks), *given_up_lines(of_leagues))
    if not ranks:
        context.say("nobody stood on that board")
