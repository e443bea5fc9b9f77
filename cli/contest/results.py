"""What a contest leaves: its boards and its players' pages as files, and its grades.

How this works. All files are written before the first of them takes its place, so what ends this early, as Ctrl-C does,
leaves no part of them.

"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, Remark, Rows
from cli.context import Context
from cli.options.files import file_option, force_option
from cli.options.names import game_named_argument
from cli.program.parameters import option
from cli.season import in_one_line
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from engine.errors import Refused, UsageFault
from engine.text import counted
from ladder import views, web

if TYPE_CHECKING:
    from ladder.views.contests import ContestResults, Grade

BOARDS_TABLE = "boards.csv"


def write_results(context: Context, game: str, number: int | None, folder: Path, *, over: bool) -> Answer:
    require_room(folder, over=over)
    found = context.read(views.contests.contest_results, game, number)
    with all_or_nothing(folder) as draft:
        for name, text in files_of(context, found):
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_text(text, "utf-8")
    season, players = found.season.season, counted(len(found.players), "player")
    shows = f"{folder / web.shown.BOARDS_FILE} shows season {season.number} of {game}, with pages of {players}"
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
    """Give a folder to write into for the block; then its files take their places, or none. Raises UsageFault."""
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
        web.shown.BOARDS_FILE,
        web.pages.seasons.season_file(found.season, context.games, web.shown.InFolder(players=names)),
    )
    for one in found.players:
        yield (
            web.shown.players_file(one.player),
            web.pages.bots.player_file(one, context.games, web.shown.InFolder("../", names)),
        )


GRADES: Columns[Grade] = (
    Column("player", lambda one: one.player, NAME),
    Column("team", lambda one: one.team, NAME),
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
FROM_LISTS = frozenset({"team", "real name", "group", "e-mail", "external id"})


MOST_SEASONS = 1_000_000


def results(
    context: Context,
    game: Annotated[str, game_named_argument()],
    to: Annotated[Path | None, file_option("--to", "The new folder for the files.")] = None,
    grades: Annotated[bool, option("--grades", "Print a row for each player of the class list.")] = False,
    season: Annotated[
        int | None,
        option(
            "--season", "A closed season's number. [default: the one that was closed last]", min=1, max=MOST_SEASONS
        ),
    ] = None,
    force: Annotated[bool, force_option("--to", "write over files that are in the folder already")] = False,
    as_json: Annotated[bool, option("--json", "With --grades: print rows as JSON.")] = False,
    as_csv: Annotated[bool, option("--csv", "With --grades: print rows as CSV.")] = False,
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
    if (to is None) != grades:
        raise UsageFault("say either --to, with a folder for the files, or --grades")
    name = context.game_named(game)
    if to is None:
        found = context.read(views.contests.grades, name, season)
        columns = [one for one in GRADES if one.head not in FROM_LISTS or any(map(one.cell, found))]
        return Answer(found, lambda: table_of(columns, found))
    if as_json or as_csv:
        raise UsageFault("--json and --csv print grades: say --grades in place of --to")
    return write_results(context, name, season, to, over=force)
