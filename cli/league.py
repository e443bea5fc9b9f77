"""`ladder league`: under which conditions each league plays, as a file that an operator can change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Answer, Whole, option
from cli.context import Context
from cli.options.files import file_argument, text_of
from cli.options.names import ByOption, game_argument, game_option, operator_named
from cli.terminal.table import WORDS, Column, Columns, FittingTable
from cli.terminal.words import moment_text
from engine.errors import UnknownName
from ladder import actions, views
from ladder.choices import Promotion
from ladder.leagues.file import LeagueFile, read, read_without_rules

if TYPE_CHECKING:
    from ladder.leagues.leagues import League
    from ladder.promotions.lifecycle import Handover
    from ladder.ratings.replay import RatedAgain

LEAGUES: Columns[views.leagues.LeagueRow] = (
    Column("league", lambda row: row.league, WORDS),
    Column("rules", lambda row: row.values["rules_level"], leaves=6),
    Column("boss", lambda row: row.values["boss"] or "none", WORDS),
    Column("promotion", lambda row: views.leagues.promotion_text(row.values), WORDS, leaves=7),
    Column("opens", lambda row: moment_text(row.values["opens_at"]), WORDS, leaves=5),
    Column("battles", lambda row: row.values["battles"], leaves=8),
    Column("memory", lambda row: f"{row.values['memory_mb']} MB", leaves=1),
    Column("time", lambda row: views.leagues.limits_text(row), WORDS, leaves=4),  # noqa: PLW0108 - loaded when it is used
    Column("overruns", lambda row: row.values["time_policy"], WORDS, leaves=3),
    Column("clock", lambda row: row.values["clock"], WORDS, leaves=2),
)
"""The settings that matter most to bots; the file shows all."""


DRY_RUN = "Do it, show what it changes or why it is refused, and take it back."


def list_leagues(
    context: Context, game: Annotated[str | None, game_option("Only this game.")] = None
) -> Annotated[Answer, "Print rows as JSON, with every setting."]:
    """List the leagues and the conditions they play under.

    Example: ladder league list --game ocean-of-code
    """
    rows = context.read(views.leagues.listed, game)
    by_game = groupby(rows, key=lambda league: league.game)
    return Answer(rows, lambda: [FittingTable(LEAGUES, list(leagues), game) for game, leagues in by_game])


def show_leagues(context: Context, game: Annotated[str, game_argument()]) -> None:
    """Print a game's leagues with all their settings, as a file.

    It is TOML, with a comment on each setting, in the form that `ladder league apply` takes.

    Example: ladder league show ocean-of-code > ocean.toml
    """
    typer.echo(context.read(views.leagues.as_file, context.game_named(game)), nl=False)


def apply(
    context: Context,
    file: Annotated[Path, file_argument("A league file, as `ladder league show` prints it.")],
    dry_run: Annotated[bool, option("--dry-run", DRY_RUN)] = False,
    player: ByOption = None,
) -> Annotated[Answer, "Print the changes as JSON."]:
    """Bring a league file into the database and print what that changes.

    A file needs to hold no more than what is to change. It is followed from now on, and running matches end under the
    conditions they began with. But rating_system, mu, sigma, beta, tau and draw_probability count as though the league
    had always had them: all its matches are rated again, and its ledger is rewritten. score_formula changes no rating,
    only the order of the board. What is set stays over `ladder up` and upgrades.

    A bot that becomes the boss of another league leaves its own and stays in that one, also when it no longer guards
    it. The boss before stays there too, as an ordinary bot: once it meets the league's promotion rule, so by default as
    soon as it ranks above the new boss, it goes up.

    A title that another league of the game has is refused with exit status 2, like any other invalid setting. It
    is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder league apply ocean.toml --dry-run
    """
    applied = context.act(actions.games.apply, operator_named(player), read_file(context, file), dry_run=dry_run)
    return Answer(applied.rows, lambda: [Whole(line) for line in applied_lines(applied, file)])


def applied_lines(applied: views.leagues.AppliedFile, file: Path) -> Iterator[str]:
    yield from map(str, applied.changes)
    for handover in applied.handovers:
        yield from handover_lines(handover, applied.in_order)
    for league in applied.rated:
        yield rated_text(league, applied=applied.applied)
    if not applied.changes:
        yield f"nothing to do: {applied.game} is as the file says"
    elif applied.applied:
        yield f"{applied.game} is changed; running matches end under the conditions they began with"
    else:
        yield f"nothing is changed: that is what `ladder league apply {file}` would change in {applied.game}"


def handover_lines(handover: Handover, in_order: Sequence[League]) -> Iterator[str]:
    if new := handover.arrives:
        leaves = f"leaves {new.from_league} and " if new.from_league else ""
        rating = "the rating that it had there" if new.was_there else "a fresh rating"
        yield f"{new.version} of {new.player} {leaves}stands in {handover.title} from then on, with {rating}"
    if handover.stays:
        goes_up = way_up(next(league for league in in_order if league.name == handover.league), in_order[-1])
        yield f"{handover.stays} stays on the board of {handover.title} as an ordinary bot{goes_up}"


def way_up(league: League, highest: League) -> str:
    if league == highest:
        return ""
    ways: dict[str, str] = {
        Promotion.BOSS_WINS: f"and goes up once it has won {league.boss_wins} of its matches against the boss",
        Promotion.RANK_ABOVE_BOSS: "and goes up if it ranks above the new boss",
        Promotion.SETTLED_ABOVE_BOSS: "and goes up if the settled fit has it above the new boss",
    }
    return f", {ways.get(league.promotion) or f'where {Promotion.meaning_of(league.promotion)}'}"


def rated_text(rated: RatedAgain, *, applied: bool) -> str:
    if rated.matches is None:
        is_then = "is" if applied else "would be"
        return f"{rated.league}: its board {is_then} in another order, by the new score; no rating changes"
    if rated.matches == 0:
        return f"{rated.league}: there is no match yet that has to be rated again"
    then = f"{'were' if applied else 'would be'} rated again with that, and its ledger rewritten"
    return f"{rated.league}: all its finished matches ({rated.matches:,}) {then}"


def read_file(context: Context, path: Path) -> LeagueFile:
    text = text_of(path)
    try:
        return read(text, context.games)
    except UnknownName as error:
        if error.kind != "game" or context.server is None:
            raise
        context.game_named(error.name)
        return read_without_rules(text)
