"""The commands `ladder match view` and `ladder match schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.match.view.latest import Latest
from cli.match.view.showing import Form, show_match, show_schema
from cli.options.files import HtmlOption, force_option
from cli.options.here import named_version
from cli.options.matches import MatchName, match_argument
from cli.options.names import game_option
from cli.options.numbers import MOST_TURNS


def view_match(
    typer_context: typer.Context,
    match: Annotated[MatchName | None, match_argument()] = None,
    turn: Annotated[
        int | None,
        typer.Option("--turn", metavar="TURN", min=1, max=MOST_TURNS, help="Print this turn of the match, and end."),
    ] = None,
    last: Annotated[
        str | None,
        typer.Option(
            "--last", metavar="BOT", callback=named_version, help="The latest match of this bot, or of one version."
        ),
    ] = None,
    lost: Annotated[bool, typer.Option("--lost", help="With --last: of those that it lost.")] = False,
    against: Annotated[
        str | None, typer.Option("--against", help="With --last: of those against this bot or version.")
    ] = None,
    where: Annotated[
        str | None, typer.Option("--where", help="With --last: a filter in words, as `ladder match list` has it.")
    ] = None,
    game: Annotated[str | None, game_option("With --last: the bot's game, if several have that name.")] = None,
    html: HtmlOption = None,
    force: Annotated[bool, force_option("--html")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all turns as JSON, whose form `ladder match schema` prints.")
    ] = False,
) -> None:
    """Look at a match turn by turn.

    On a terminal, by keys: arrows, Home and End go through the turns, n and p to events, d to damage, t to turning
    points; v shows what each seat could see, i what it was sent; / finds words in stderr, e opens it in your pager; q
    ends. Elsewhere the match is printed in short.

    Turns are counted as `ladder match show --turns` counts them. Of a match that was played by other rules than
    today's, lines and times are shown without pictures; of one that is queued or void, what there is. An unknown match
    or turn ends with exit status 2; --last with 3 where no match fits.

    Example: ladder match view 17 --turn 42

    Example: ladder match view play:1

    Example: ladder match view --last kraken --lost

    Example: ladder match view 17 --html match-17.html
    """
    latest = Latest(last, lost, against, where, game)
    show_match(this(typer_context), match, latest, Form(turn, as_json, html, force))


def print_schema() -> None:
    """Print the JSON Schema of what `ladder match view --json` prints.

    Example: ladder match schema > replay.schema.json
    """
    show_schema()
