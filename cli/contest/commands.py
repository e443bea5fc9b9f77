"""`ladder contest`: a class or a contest in one command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from cli import account
from cli.account.players import require_served
from cli.answer import Answer, Found
from cli.context import this
from cli.options.files import check_free, file_option
from cli.options.names import ByOption, game_named_argument, operator_named
from cli.options.numbers import MOMENTS, SeriesOption, TopOption, by_this_clock
from cli.season import EarlierOption, agree_to_deadline, last_series
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import freeze_text, indent, moment_text, quoted
from engine.errors import Refused, UsageFault, WrongLines
from engine.text import counted, listed
from ladder import actions, views
from ladder.accounts.class_list import Entrant, entrants_in

if TYPE_CHECKING:
    from ladder.seasons.ending import SeasonPlan
    from ladder.views.contests import Contest, Contestant

TEAM: Column[Contestant] = Column("team", lambda one: one.team, NAME)
PLAYERS: Columns[Contestant] = (
    Column("player", lambda one: one.player, NAME),
    TEAM,
    Column("bot", lambda one: one.bot or "nothing yet", NAME, leaves=2),
    Column("versions", lambda one: f"{one.versions}" + (f" ({one.rejected} rejected)" if one.rejected else ""), WORDS),
    Column("latest", lambda one: moment_text(one.submitted_at, ""), WORDS, leaves=4),
    Column("plays", lambda one: one.version, NAME),
    Column("league", lambda one: one.league, WORDS),
    Column("rank", lambda one: one.rank),
    Column("score", lambda one: None if one.score is None else f"{one.score:.2f}", leaves=3),
)
FOR_OPERATORS: Columns[Contestant] = (
    *PLAYERS,
    Column("logs in", lambda one: "yes" if one.logs_in else "no", WORDS, leaves=1),
)


@dataclass(frozen=True, slots=True)
class Link:
    """What lets a player in, once."""

    player: str
    link: str


def read_entrants(path: Path, groups: list[str]) -> list[Entrant]:
    """Read a class list. Raises UsageFault for a file that cannot be read or has no name, WrongLines."""
    try:
        return entrants_in(path.read_bytes(), groups)
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except WrongLines as fault:
        raise WrongLines(f"{path} is not a list of players: {fault}", fault.lines) from fault
    except UsageFault as fault:
        raise UsageFault(f"cannot read {path}: {fault}") from fault


def rules_in(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"cannot read {path}: it is not UTF-8") from error


def write_links(path: Path, links: Sequence[Link]) -> None:
    """Write players and their links into a new file that only this account reads. Raises Refused, UsageFault."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(views.plain.to_csv(links))
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and may hold links of others: name a new file with --links") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


MOST_LEAGUES = 100
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
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups", help="The groups that the list may have, as in 7a,7b: others are refused.", show_default=False
        ),
    ] = None,
    links: Annotated[
        Path, typer.Option("--links", help="The new file for the players' links.", readable=False)
    ] = LINKS,
    mail: Annotated[bool, typer.Option("--mail", help="Send each link to the address in the list.")] = False,
    frozen_from: Annotated[
        datetime | None,
        typer.Option(
            "--frozen-from",
            formats=MOMENTS,
            help="From then on all but operators see the boards as they were then: see `ladder board --help`.",
            show_default=False,
        ),
    ] = None,
    begins: Annotated[
        datetime | None,
        typer.Option("--from", formats=MOMENTS, help="Before then no version is submitted.", show_default=False),
    ] = None,
    one_bot: Annotated[
        bool | None,
        typer.Option("--one-bot/--any-bots", help="Whether a player has one bot at most.", show_default=False),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="What it is called, on pages.", show_default=False)
    ] = None,
    rules: Annotated[
        Path | None, file_option("--rules", "A text file: what holds besides the rules of the game.")
    ] = None,
    yes: EarlierOption = False,
    player: ByOption = None,
) -> Found:
    """Open a contest: its leagues, the plan of its end, and a link for each player who has no account yet.

    The season that is on becomes that of the contest: submissions begin at --from and close at --until, what lacks
    is played, then the last series, and the season is closed. With --leagues the leagues above open 30 days after
    the end. With --players a ladder that is served makes a one-time link for each name, in a file that only you can
    read: the first person who opens a link has the account. The list may also have a column team, for members of a
    player that is one, and real_name, group, email and external_id, which `ladder contest results --grades` gives
    back; only operators and the player see these. With --mail each link is sent to its player as well (see
    docs/settings.md); whose was not is said, with the exit status 4. `ladder board --thaw` ends what --frozen-from
    begins.

    With --one-bot a second bot of a player is refused, and so is opening, with names, where players have several. The
    page of the contest, `/games/GAME/contest`, says all this.

    Where a contest is open, --from, --one-bot, --title and --rules stay as they are unless they are said again, and a
    deadline before its own is asked about first, or refused (2) where no one can answer. Either all of it is done or
    nothing. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest open ocean-of-code --leagues 3 --until "2026-12-18 18:00" --series 50 --players class.csv
    """
    context = this(typer_context)
    last = last_series(series, top)
    if players is not None:
        require_served(context)
    elif groups is not None:
        raise UsageFault("--groups says which groups a class list may have: say --players too")
    elif mail:
        raise UsageFault("--mail sends links to the players of a list: say --players too")
    server = account.mail.mail_server(context.settings) if mail else None
    entrants = [] if players is None else read_entrants(players, groups_in(groups))
    if entrants:
        check_free(links, over=False)
    terms = actions.seasons.Terms(
        None if begins is None else by_this_clock(begins), one_bot, title, None if rules is None else rules_in(rules)
    )
    name, deadline = context.game_named(game), by_this_clock(until)
    agree_to_deadline(context, name, deadline, yes=yes)
    done = context.act(
        actions.contests.open_contest,
        operator_named(player),
        name,
        deadline,
        last,
        leagues,
        entrants,
        None if frozen_from is None else by_this_clock(frozen_from),
        terms,
    )
    if entrants:
        write_links(links, [Link(one.player or "", one.link(context.public_url)) for one in done.links])
    lines = [str(change) for change in done.changes]
    if entrants:
        lines.append(f"{links} has the {counted(len(done.links), 'link')} of players who have no password yet")
    if done.others:
        lines.append(f"{listed(done.others)} {'has' if len(done.others) == 1 else 'have'} an account already")
    mailed = None if server is None else account.mail.send_all(server, context.public_url, done.links)
    return Answer(
        done,
        lambda: [*lines, *contest_parts(name, context.read(views.contests.contest, name))],
        after=mailed.sentences if mailed else (),
        status=mailed.status if mailed else 0,
    )


def groups_in(words: str | None) -> list[str]:
    return [group for word in (words or "").split(",") if (group := " ".join(word.split()))]


def show_status(typer_context: typer.Context, game: GameArgument) -> Found:
    """Show who has submitted what, who stands where, and what is left to play.

    The players are those of the lists with which the contest was opened, also after its season is closed, until
    another one is opened; without a list all that there are. Who has an account that logs in is for operators.

    Example: ladder contest status ocean-of-code
    """
    context = this(typer_context)
    name = context.game_named(game)
    found = context.read(views.contests.contest, name)
    return Answer(found, lambda: contest_parts(name, found))


def contest_parts(game: str, found: Contest) -> list[RenderableType]:
    freeze = [] if found.freeze is None else [freeze_text(found.freeze)]
    columns = PLAYERS if any(one.logs_in is None for one in found.players) else FOR_OPERATORS
    columns = [one for one in columns if one is not TEAM or any(map(TEAM.cell, found.players))]
    plan = views.seasons.plan_sentence(found.plan)
    players = table_of(columns, found.players)
    return [plan, *terms_text(found.plan.plan), *over_text(game, found), *freeze, players]


def terms_text(plan: SeasonPlan | None) -> list[RenderableType]:
    if plan is None:
        return []
    says = {
        f"it is called {plan.title}": plan.title,
        "a player has one bot at most": plan.one_bot,
        f"its rules:\n{indent(plan.rules)}": plan.rules,
    }
    return [quoted(words) for words, is_said in says.items() if is_said]


def over_text(game: str, found: Contest) -> list[str]:
    if found.contest == found.plan.season.number:
        return []
    results = f"`ladder contest results {game} --to results` writes what it leaves"
    return [f"the contest was season {found.contest}, which is closed; these are its players, and {results}"]
