"""`ladder contest`: a class or a contest in one command.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from cli import texts
from cli.account.players import require_served
from cli.answer import Answer, Found
from cli.context import this
from cli.options.files import check_free, file_option, force_option
from cli.options.names import ByOption, game_named_argument, operator_named
from cli.options.numbers import MOMENTS, TOP, SeriesOption, TopOption, by_this_clock
from engine.errors import Refused, UsageFault, WrongLines
from engine.text import counted, listed
from ladder import actions, views
from ladder.accounts.class_list import names_in
from ladder.views.plain import to_csv


@dataclass(frozen=True, slots=True)
class Link:
    """What lets a player in, once."""

    player: str
    link: str


def read_names(path: Path) -> list[str]:
    """Read the names of players. Raises UsageFault for a file that cannot be read or has no name, WrongLines."""
    try:
        return names_in(path.read_bytes())
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except WrongLines as fault:
        raise WrongLines(f"{path} is not a list of players: {fault}", fault.lines) from fault
    except UsageFault as fault:
        raise UsageFault(f"cannot read {path}: {fault}") from fault


def write_links(path: Path, links: Sequence[Link]) -> None:
    """Write players and their links into a new file that only this account reads. Raises Refused, UsageFault."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(to_csv(links))
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and may hold links of others: name a new file with --links") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


MOST_LEAGUES = 100
MOST_SEASONS = 1_000_000
LINKS = Path("links.csv")

GameArgument = Annotated[str, game_named_argument()]


def open_contest(
    typer_context: typer.Context,
    game: GameArgument,
    until: Annotated[
        datetime,
        typer.Option(
            "--until",
            formats=MOMENTS,
            help="From then on no version is submitted, by this machine's clock: 2026-12-18T18:00.",
            show_default=False,
        ),
    ],
    leagues: Annotated[
        int | None,
        typer.Option("--leagues", min=1, max=MOST_LEAGUES, help="This many leagues take part, the lowest ones."),
    ] = None,
    series: SeriesOption = None,
    top: TopOption = None,
    players: Annotated[
        Path | None,
        file_option(
            "--players", "A CSV file with the players' names, in a column called name; with commas, ; or tabs."
        ),
    ] = None,
    links: Annotated[
        Path, typer.Option("--links", help="The new file for the players' links.", readable=False)
    ] = LINKS,
    frozen_from: Annotated[
        datetime | None,
        typer.Option(
            "--frozen-from",
            formats=MOMENTS,
            help="From then on all but operators see the boards as they were then: see `ladder board --help`.",
            show_default=False,
        ),
    ] = None,
    player: ByOption = None,
) -> Found:
    """Open a contest: its leagues, the plan of its end, and a link for each player who has no account yet.

    The season that is on becomes that of the contest: submissions close at --until, what lacks is played, then the
    last series, and the season is closed. With --leagues the leagues above open 30 days after the end. With --players
    a ladder that is served makes a one-time link for each name, in a file that only you can read: the first person who
    opens a link has the account. `ladder board --thaw` ends what --frozen-from begins. Either all of it is done or
    nothing. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest open ocean-of-code --leagues 3 --until "2026-12-18 18:00" --series 50 --players class.csv
    """
    context = this(typer_context)
    if top is not None and series is None:
        raise UsageFault("--top says who plays the series: say --series too, with how many battles")
    if players is not None:
        require_served(context)
    names = [] if players is None else read_names(players)
    if names:
        check_free(links, over=False)
    last = None if series is None else actions.seasons.LastSeries(series, top or TOP)
    name = context.game_named(game)
    done = context.act(
        actions.contests.open_contest,
        operator_named(player),
        name,
        by_this_clock(until),
        last,
        leagues,
        names,
        None if frozen_from is None else by_this_clock(frozen_from),
    )
    if names:
        write_links(
            links, [Link(one.player or "", texts.accounts.link_of(context.public_url, one)) for one in done.links]
        )
    lines = [str(change) for change in done.changes]
    if names:
        lines.append(f"{links} has the {counted(len(done.links), 'link')} of players who have no password yet")
    if done.others:
        lines.append(f"{listed(done.others)} {'has' if len(done.others) == 1 else 'have'} an account already")
    return Answer(
        done, lambda: [*lines, *texts.contests.contest_parts(name, context.read(views.contests.contest, name))]
    )


def show_status(typer_context: typer.Context, game: GameArgument) -> Found:
    """Show who has submitted what, who stands where, and what is left to play.

    The players are those of the lists with which the contest was opened, also after its season is closed, until
    another one is opened; without a list all that there are.

    Example: ladder contest status ocean-of-code
    """
    context = this(typer_context)
    name = context.game_named(game)
    found = context.read(views.contests.contest, name)
    return Answer(found, lambda: texts.contests.contest_parts(name, found))


def results(
    typer_context: typer.Context,
    game: GameArgument,
    to: Annotated[Path, file_option("--to", "The new folder for the files.")],
    season: Annotated[
        int | None,
        typer.Option(
            "--season",
            min=1,
            max=MOST_SEASONS,
            help="A closed season's number. [default: the one that was closed last]",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, force_option("--to", "write over files that are in the folder already")] = False,
) -> None:
    """Write what a contest leaves into a folder: its final boards, and a page for each player.

    boards.csv and boards.html are those of `ladder season show`. Each player has a page in the folder players: all
    versions that were accepted with their leagues, ranks, scores and records, and the latest matches. The pages lead to
    each other, run no script and need no network. They hold what everybody may see, so they can be put on a web site;
    frozen boards are in them as they stand now.

    Example: ladder contest results ocean-of-code --to results
    """
    from cli.season.results import write_results

    context = this(typer_context)
    write_results(context, context.game_named(game), season, to, over=force)
