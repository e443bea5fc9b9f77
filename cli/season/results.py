"""What a contest leaves, as files in a folder: final boards, and a page for each player.

How this works. All files are written before the first of them takes its place, so what ends this early, as Ctrl-C
does, leaves no part of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli import texts
from cli.context import Context
from engine.errors import Refused, UsageFault
from engine.text import counted
from ladder.views.contests import ContestResults, contest_results
from ladder.views.plain import to_csv
from ladder.web.files import BOARDS_FILE, InFolder, players_file
from ladder.web.pages.players import player_file
from ladder.web.pages.seasons import season_file

BOARDS_TABLE = "boards.csv"


def write_results(context: Context, game: str, number: int | None, folder: Path, *, over: bool) -> None:
    """Write what a contest leaves, and say so. Raises Refused, UnknownName, UsageFault."""
    require_room(folder, over=over)
    found = context.read(contest_results, game, number)
    with all_or_nothing(folder) as draft:
        for name, text in files_of(context, found):
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_text(text, "utf-8")
    season, players = found.season.season, counted(len(found.players), "player")
    context.say(f"{folder / BOARDS_FILE} shows season {season.number} of {game}, with pages of {players}")


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
    yield BOARDS_TABLE, to_csv(map(texts.seasons.in_one_line, found.rows))
    yield BOARDS_FILE, season_file(found.season, context.games, InFolder(players=names))
    for one in found.players:
        yield players_file(one.player), player_file(one, context.games, InFolder("../", names))
