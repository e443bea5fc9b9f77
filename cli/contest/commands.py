"""`ladder contest`: a class or a contest in one command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import RenderableType

from cli import account
from cli.account.players import require_served
from cli.answer import Answer, Found
from cli.context import Context
from cli.options.files import check_free, file_option
from cli.options.names import ByOption, game_named_argument, operator_named
from cli.options.numbers import MOMENTS, SeriesOption, TopOption, by_this_clock
from cli.program.parameters import option
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
    context: Context,
    game: GameArgument,
    until: Annotated[
        datetime,
        option(
            "--until",
            "From then on no version is submitted, by this machine's clock: 2026-12-18T18:00.",
            formats=MOMENTS,
        ),
    ],
    leagues: Annotated[
        int | None, option("--leagues", "This many leagues take part, the lowest ones.", min=1, max=MOST_LEAGUES)
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
        str | None, option("--groups", "The groups that the list may have, as in 7a,7b: others are refused.")
    ] = None,
    links: Annotated[Path, option("--links", "The new file for the players' links.", readable=False)] = LINKS,
    mail: Annotated[bool, option("--mail", "Send each link to the address in the list.")] = False,
    frozen_from: Annotated[
        datetime | None,
        option(
            "--frozen-from",
            "From then on all but operators see the boards as they were then: see `ladder board --help`.",
            formats=MOMENTS,
        ),
    ] = None,
    begins: Annotated[
        datetime | None, option("--from", "Before then no version is submitted.", formats=MOMENTS)
    ] = None,
    one_bot: Annotated[bool | None, option("--one-bot/--any-bots", "Whether a player has one bot at most.")] = None,
    title: Annotated[str | None, option("--title", "What it is called, on pages.")] = None,
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
    last = last_series(series, top)
    if players is not None:
        require_served(context)
    elif groups is not None:
        raise UsageFault("--groups says which groups a class list may have: say --players too")
    elif mail:
        raise UsageFault("--mail sends links to the players of a list: say --players too")
    server = account.mail.mail_server(context.settings) if mail else None
    known = [group for word in (groups or "").split(",") if (group := " ".join(word.split()))]
    entrants = [] if players is None else read_entrants(players, known)
    if entrants:
        check_free(links, over=False)
    terms = actions.seasons.Terms(
        None if begins is None else by_this_clock(begins), one_bot, title, None if rules is None else rules_in(rules)
    )
    name, deadline = context.game_named(game), by_this_clock(until)
    agree_to_deadline(context, name, deadline, yes=yes)
    done = context.act(
        actions.seasons.open_contest,
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


def show_status(context: Context, game: GameArgument) -> Found:
    """Show who has submitted what, who stands where, and what is left to play.

    The players are those of the lists with which the contest was opened, also after its season is closed, until
    another one is opened; without a list all that there are. Who has an account that logs in is for operators.

    Example: ladder contest status ocean-of-code
    """
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
