"""`ladder league`: under which conditions each league plays, as a file that an operator can change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.context import this
from cli.options.files import file_argument
from cli.options.names import game_argument, game_option
from cli.options.people import ByOption, doer_named

if TYPE_CHECKING:
    from engine.game import Games
    from ladder.leagues.file import Change, LeagueFile
    from ladder.leagues.leagues import League
    from ladder.promotions.lifecycle import Handover
    from ladder.ratings.rewrite import RatedAgain

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Leagues and their settings, as files.\n\nExample: ladder league list",
)


@app.command("list")
def list_leagues(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON, with every setting.")] = False,
) -> None:
    """List the leagues and the conditions they play under.

    Example: ladder league list --game ocean-of-code
    """
    from cli.render import league_rows, leagues_tables
    from ladder.leagues import leagues

    context = this(typer_context)
    games = [] if game is None else [context.games.find(game).name]
    with context.database() as connection:
        games = games or leagues.games_in(connection)
        found = [league for name in games for league in leagues.settings_of(connection, name)]
    if as_json:
        context.show_json(league_rows(found))
    else:
        context.show(*leagues_tables(found))


@app.command("show")
def show_leagues(
    typer_context: typer.Context,
    game: Annotated[str, game_argument()],
) -> None:
    """Print a game's leagues with all their settings, as a file.

    It is TOML, with a comment on each setting, in the form that `ladder league apply` takes.

    Example: ladder league show ocean-of-code > ocean.toml
    """
    from ladder.leagues import leagues
    from ladder.leagues.file import text_of

    context = this(typer_context)
    found = context.games.find(game)
    with context.database() as connection:
        typer.echo(text_of(found.name, leagues.settings_of(connection, found.name)), nl=False)


@app.command()
def apply(
    typer_context: typer.Context,
    file: Annotated[Path, file_argument("A league file, as `ladder league show` prints it.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do it, show what it changes or why it is refused, and take it back.")
    ] = False,
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """Bring a league file into the database and print what that changes.

    A file needs to hold no more than what is to change. It is followed from now on, and running matches end under the
    conditions they began with. But rating_system, mu, sigma, beta, tau and draw_probability count as though the league
    had always had them: all its matches are rated again, and its ledger is rewritten. score_formula changes no rating,
    only the order of the board. What is set stays over `ladder up` and upgrades.

    A bot that becomes the boss of another league leaves its own and stays in that one, also when it guards it no more.
    The boss before stays there too, as an ordinary bot: once it meets the league's promotion rule, so by default as
    soon as it ranks above the new boss, it goes up.

    A title that another league of the game has is refused with exit status 2, like all else that a file cannot say. It
    is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder league apply ocean.toml --dry-run
    """
    from ladder import deeds
    from ladder.database.connection import transaction
    from ladder.flows.installation import apply_league_file
    from ladder.leagues import leagues
    from ladder.ratings.rewrite import rated_again

    context = this(typer_context)
    wanted, by = read_file(file, context.games), doer_named(player)
    with context.pool() as pool, transaction(pool) as connection:
        changes, handovers = apply_league_file(connection, wanted)
        rated = rated_again(connection, wanted.game, changes)
        in_order = leagues.leagues(connection, wanted.game)
        if changes:
            deeds.write(connection, by, "league apply", f"{wanted.game}: {'; '.join(map(str, changes))}")
        if dry_run:
            connection.rollback()
    if as_json:
        context.show_json(change_rows(wanted.game, changes, handovers, rated, applied=not dry_run))
        return
    meant = [line for handover in handovers for line in handover_lines(handover, in_order)]
    for line in [*changes, *meant, *(rated_text(league, applied=not dry_run) for league in rated)]:
        typer.echo(line)
    if not changes:
        typer.echo(f"nothing to do: {wanted.game} is as the file says")
    elif dry_run:
        typer.echo(f"nothing is changed: that is what `ladder league apply {file}` would change in {wanted.game}")
    else:
        typer.echo(f"{wanted.game} is changed; running matches end under the conditions they began with")


def change_rows(
    game: str, changes: Iterable[Change], handovers: Iterable[Handover], rated: Iterable[RatedAgain], *, applied: bool
) -> list[dict[str, Any]]:
    """Return changes as plain rows, for JSON. `matches_rated_again`: of the league, because of this setting.

    A row of a boss has besides what `Handover` says of the new boss (`arrives`) and of the one before (`stays`).
    """
    from ladder.leagues.settings import BOSS
    from ladder.ratings.rewrite import RATING_SETTINGS

    bosses = {(found.league, BOSS): {name: asdict(found)[name] for name in ("arrives", "stays")} for found in handovers}
    matches = {league.league: league.matches for league in rated}
    return [
        {
            "game": game,
            **asdict(change),
            "applied": applied,
            "matches_rated_again": matches[change.league] if change.setting in RATING_SETTINGS else 0,
            **bosses.get((change.league, change.setting), {}),
        }
        for change in changes
    ]


def handover_lines(handover: Handover, in_order: Sequence[League]) -> list[str]:
    """Say which bot another boss brings into a league, and which stays there. `in_order`: the game's leagues."""
    lines: list[str] = []
    if new := handover.arrives:
        leaves = f"leaves {new.from_league} and " if new.from_league else ""
        rating = "the rating that it had there" if new.was_there else "a fresh rating"
        lines.append(f"{new.version} of {new.player} {leaves}stands in {handover.title} from then on, with {rating}")
    if handover.stays:
        goes_up = way_up(next(league for league in in_order if league.name == handover.league), in_order[-1])
        lines.append(f"{handover.stays} stays on the board of {handover.title} as an ordinary bot{goes_up}")
    return lines


def way_up(league: League, highest: League) -> str:
    """Say when the boss before goes up from a league, for the end of a sentence; '' where nobody can."""
    if league == highest:
        return ""
    if league.promotion == "boss_wins":
        return f", and goes up once it has won {league.boss_wins} of its matches against the boss"
    return ", and goes up if it ranks above the new boss"


def rated_text(rated: RatedAgain, *, applied: bool) -> str:
    """Say what changed settings mean for a league's ratings."""
    if rated.matches is None:
        is_then = "is" if applied else "would be"
        return f"{rated.league}: its board {is_then} in another order, by the new score; no rating changes"
    if rated.matches == 0:
        return f"{rated.league}: there is no match yet that has to be rated again"
    were_or_would_be = "were" if applied else "would be"
    return (
        f"{rated.league}: all its finished matches ({rated.matches:,}) {were_or_would_be} rated again with that, "
        "and its ledger rewritten"
    )


def read_file(path: Path, games: Games) -> LeagueFile:
    """Read and check a league file. Raises UsageFault and UnknownName."""
    from engine.errors import UsageFault
    from ladder.leagues.file import read

    try:
        return read(path.read_text("utf-8"), games)
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"cannot read {path}: it is not UTF-8 text") from error
