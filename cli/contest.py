"""`ladder contest`: a class or a contest in one command.

How this works. All files are written before the first of them takes its place, so what ends this early, as Ctrl-C does,
leaves no part of them.

"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from cli.account.players import link_of, require_served
from cli.answer import Answer, Found, Remark, Rows
from cli.context import Context, this
from cli.options.files import check_free, file_option, force_option
from cli.options.names import ByOption, game_named_argument, operator_named
from cli.options.numbers import MOMENTS, SeriesOption, TopOption, by_this_clock
from cli.season import EarlierOption, agree_to_deadline, in_one_line, last_series
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import freeze_text, moment_text
from engine.errors import Refused, UsageFault, WrongLines
from engine.text import counted, listed
from ladder import actions, views, web
from ladder.accounts.class_list import Entrant, entrants_in

if TYPE_CHECKING:
    from ladder.views.contests import Contest, Contestant, ContestResults, Grade

BOARDS_TABLE = "boards.csv"


def write_results(context: Context, game: str, number: int | None, folder: Path, *, over: bool) -> Answer:
    """Write what a contest leaves, and say so. Raises Refused, UnknownName, UsageFault."""
    require_room(folder, over=over)
    found = context.read(views.contests.contest_results, game, number)
    with all_or_nothing(folder) as draft:
        for name, text in files_of(context, found):
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_text(text, "utf-8")
    season, players = found.season.season, counted(len(found.players), "player")
    shows = f"{folder / web.files.BOARDS_FILE} shows season {season.number} of {game}, with pages of {players}"
    return Answer(None, Remark(shows))


def require_room(folder: Path, *, over: bool) -> None:
    """Raise Refused for a folder with files in it that are not to be written over, UsageFault for what is none."""
    if folder.exists() and not folder.is_dir():
        raise UsageFault(f"cannot write into {folder}: it is a file")
    try:
        is_used = folder.exists() and any(folder.iterdir())
    except OSError as error:
        raise UsageFault(f"cannot write into {folder}: {error.strerror}") from error
    if is_used and not over:
        raise Refused(f"{folder} has files in it already: name a new folder, or add --force to write over them")
    if not folder.exists() and not folder.absolute().parent.is_dir():
        raise UsageFault(f"cannot write into {folder}: there is no folder {folder.parent}")


@contextmanager
def all_or_nothing(folder: Path) -> Iterator[Path]:
    """Give a folder to write into for the block, then put what is in it in its place; nothing is left if that fails.

    A folder that is there keeps its other files. Raises UsageFault where nothing can be written.
    """
    try:
        beside = folder if folder.is_dir() else folder.absolute().parent
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=beside) as unfinished:
            draft = Path(unfinished) / "whole"
            draft.mkdir()
            yield draft
            put_in_place(draft, folder)
    except OSError as error:
        raise UsageFault(f"cannot write into {folder}: {error.strerror}") from error


def put_in_place(draft: Path, folder: Path) -> None:
    if not folder.exists():
        draft.rename(folder)
        return
    for path in sorted(path for path in draft.rglob("*") if path.is_file()):
        place = folder / path.relative_to(draft)
        place.parent.mkdir(exist_ok=True)
        path.replace(place)


def files_of(context: Context, found: ContestResults) -> Iterator[tuple[str, str]]:
    names = frozenset(one.player for one in found.players)
    yield BOARDS_TABLE, views.plain.to_csv(map(in_one_line, found.rows))
    yield (
        web.files.BOARDS_FILE,
        web.pages.seasons.season_file(found.season, context.games, web.files.InFolder(players=names)),
    )
    for one in found.players:
        yield (
            web.files.players_file(one.player),
            web.pages.players.player_file(one, context.games, web.files.InFolder("../", names)),
        )


PLAYERS: Columns[Contestant] = (
    Column("player", lambda one: one.player, NAME),
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
GRADES: Columns[Grade] = (
    Column("player", lambda one: one.player, NAME),
    Column("real name", lambda one: one.real_name, NAME, leaves=5),
    Column("group", lambda one: one.group, NAME, leaves=6),
    Column("e-mail", lambda one: one.email, NAME, leaves=1),
    Column("external id", lambda one: one.external_id, NAME, leaves=2),
    Column("version", lambda one: one.version, NAME, leaves=4),
    Column("league", lambda one: one.league, WORDS, leaves=3),
    Column("rank", lambda one: one.rank),
    Column("points", lambda one: f"{one.points:.1f}"),
    Column("handed in", lambda one: one.handed_in, WORDS),
    Column("late", lambda one: one.late or None, leaves=7, meaning="versions after the deadline"),
)
FROM_LISTS = frozenset({"real name", "group", "e-mail", "external id"})


def grades_table(rows: list[Grade]) -> RenderableType:
    """Return the table of grades, without columns that the class list does not have."""
    columns = [one for one in GRADES if one.head not in FROM_LISTS or any(map(one.cell, rows))]
    return table_of(columns, rows)


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
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups", help="The groups that the list may have, as in 7a,7b: others are refused.", show_default=False
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
    yes: EarlierOption = False,
    player: ByOption = None,
) -> Found:
    """Open a contest: its leagues, the plan of its end, and a link for each player who has no account yet.

    The season that is on becomes that of the contest: submissions close at --until, what lacks is played, then the
    last series, and the season is closed. With --leagues the leagues above open 30 days after the end. With --players
    a ladder that is served makes a one-time link for each name, in a file that only you can read: the first person who
    opens a link has the account. The list may also have columns real_name, group, email and external_id, which
    `ladder contest results --grades` gives back; only operators and the player see them. `ladder board --thaw` ends
    what --frozen-from begins. Where one is open, a deadline before its own is asked about first, or refused (2) where
    no one can answer. Either all of it is done or nothing. It is an operator's deed, which `ladder deeds` shows with a
    name.

    Example: ladder contest open ocean-of-code --leagues 3 --until "2026-12-18 18:00" --series 50 --players class.csv
    """
    context = this(typer_context)
    last = last_series(series, top)
    if players is not None:
        require_served(context)
    elif groups is not None:
        raise UsageFault("--groups says which groups a class list may have: say --players too")
    entrants = [] if players is None else read_entrants(players, groups_in(groups))
    if entrants:
        check_free(links, over=False)
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
    )
    if entrants:
        write_links(links, [Link(one.player or "", link_of(context.public_url, one)) for one in done.links])
    lines = [str(change) for change in done.changes]
    if entrants:
        lines.append(f"{links} has the {counted(len(done.links), 'link')} of players who have no password yet")
    if done.others:
        lines.append(f"{listed(done.others)} {'has' if len(done.others) == 1 else 'have'} an account already")
    return Answer(done, lambda: [*lines, *contest_parts(name, context.read(views.contests.contest, name))])


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


def results(
    typer_context: typer.Context,
    game: GameArgument,
    to: Annotated[Path | None, file_option("--to", "The new folder for the files.")] = None,
    grades: Annotated[bool, typer.Option("--grades", help="Print a row for each player of the class list.")] = False,
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
    as_json: Annotated[bool, typer.Option("--json", help="With --grades: print rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --grades: print rows as CSV.")] = False,
) -> Rows:
    """Write what a contest leaves into a folder: its final boards, and a page for each player; or print its grades.

    boards.csv and boards.html are those of `ladder season show`. Each player has a page in the folder players: all
    versions that were accepted with their leagues, ranks, scores and records, and the latest matches. The pages lead to
    each other, run no script and need no network. They hold what everybody may see, so they can be put on a web site;
    frozen boards are in them as they stand now.

    --grades prints, for operators, each name of the class list with what the list says of it, the best version on the
    final boards, its rank, and whether something was handed in before the deadline, later, or nothing. The first of n
    ranked players gets 100 points, each rank after it 100/n fewer, and who has no rank gets 0. Without a list it is
    all players.

    Example: ladder contest results ocean-of-code --to results

    Example: ladder contest results ocean-of-code --grades --csv > grades.csv
    """
    context = this(typer_context)
    if (to is None) != grades:
        raise UsageFault("say either --to, with a folder for the files, or --grades")
    name = context.game_named(game)
    if to is None:
        found = context.read(views.contests.grades, name, season)
        return Answer(found, lambda: grades_table(found))
    if as_json or as_csv:
        raise UsageFault("--json and --csv print grades: say --grades in place of --to")
    return write_results(context, name, season, to, over=force)


def contest_parts(game: str, found: Contest) -> list[RenderableType]:
    freeze = [] if found.freeze is None else [freeze_text(found.freeze)]
    columns = PLAYERS if any(one.logs_in is None for one in found.players) else FOR_OPERATORS
    return [views.seasons.plan_sentence(found.plan), *over_text(game, found), *freeze, table_of(columns, found.players)]


def over_text(game: str, found: Contest) -> list[str]:
    if found.contest == found.plan.season.number:
        return []
    results = f"`ladder contest results {game} --to results` writes what it leaves"
    return [f"the contest was season {found.contest}, which is closed; these are its players, and {results}"]
