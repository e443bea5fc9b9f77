"""`ladder league`: under which conditions each league plays, as a file that an operator can change."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import this

if TYPE_CHECKING:
    from ladder.league_file import LeagueFile

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Leagues and their settings, as files.")


@app.command("list")
def list_leagues(
    typer_context: typer.Context,
    game: Annotated[str | None, typer.Option("--game", "-g", help="Only this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON, with every setting.")] = False,
) -> None:
    """List the leagues and the conditions they play under.

    Example: ladder league list --game ocean-of-code
    """
    from cli.render import league_rows, leagues_table
    from engine.games import GAMES, find_game
    from ladder.storage import leagues

    context = this(typer_context)
    games = [find_game(game).name] if game else list(GAMES)
    with context.database() as connection:
        found = [league for name in games for league in leagues.settings_of(connection, name)]
    if as_json:
        context.show_json(league_rows(found))
    else:
        context.show(leagues_table(found))


@app.command("show")
def show_leagues(
    typer_context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's name.", show_default=False)],
) -> None:
    """Print a game's leagues with all their settings, as a file.

    It is TOML, with a comment on each setting, in the form that `ladder league apply` takes.

    Example: ladder league show ocean-of-code > ocean.toml
    """
    from engine.games import find_game
    from ladder.league_file import text_of
    from ladder.storage import leagues

    found = find_game(game)
    with this(typer_context).database() as connection:
        typer.echo(text_of(found.name, leagues.settings_of(connection, found.name)), nl=False)


@app.command()
def apply(
    typer_context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A league file, as `ladder league show` prints it.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """Bring a league file into the database and print what that changes.

    A file needs to hold no more than what is to change. Matches that begin afterwards follow it; what is set stays over
    `ladder up` and upgrades.

    Example: ladder league apply ocean.toml --dry-run
    """
    from ladder.database import transaction
    from ladder.house import apply_league_file

    context = this(typer_context)
    wanted = read_file(file)
    with context.pool() as pool, transaction(pool) as connection:
        changes = apply_league_file(connection, wanted, dry_run=dry_run)
    if as_json:
        context.show_json([{"game": wanted.game, **asdict(change), "applied": not dry_run} for change in changes])
        return
    for change in changes:
        typer.echo(change)
    if not changes:
        typer.echo(f"nothing to do: {wanted.game} is as the file says")
    elif dry_run:
        typer.echo(f"nothing is changed: that is what `ladder league apply {file}` would change in {wanted.game}")
    else:
        typer.echo(f"{wanted.game} is changed, for matches that begin from now on")


def read_file(path: Path) -> LeagueFile:
    """Read and check a league file. Raises UsageFault and UnknownName."""
    from engine.errors import UsageFault
    from ladder.league_file import read

    try:
        return read(path.read_text("utf-8"))
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"cannot read {path}: it is not UTF-8 text") from error
