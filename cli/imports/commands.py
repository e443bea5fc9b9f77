"""`ladder import`: moving in, from another ladder or from another league manager."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Answer, Found, Whole
from cli.context import Context, this
from cli.imports.texts import imported_parts
from cli.options.files import file_argument
from cli.options.names import OwnerOption, game_option, owner_named
from engine.errors import UnknownName
from ladder import actions
from ladder.imports import cgarena, psyleague
from ladder.imports.naming import read_pattern
from ladder.imports.referees import free_name, game_commands, still_to_fill_in
from ladder.imports.sources import read_labels
from ladder.imports.wanted import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game import Game
    from ladder.imports.foreign import ForeignLeague

GameOption = Annotated[str, game_option("The game that it plays.", from_folder=False)]
GroupOption = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="PATTERN",
        help="Make versions of one bot of names: the first group is the bot, the second the number.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        "-l",
        metavar="LABEL=NAME",
        help="What it calls a language, or a file's ending, and what we call it; `none` keeps such bots on record "
        "only. Can be given again.",
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would happen, and change nothing.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON what came of it.")]


def import_psyleague(
    typer_context: typer.Context,
    folder: Annotated[Path, file_argument("The folder with psyleague.cfg.")],
    game: GameOption,
    group: GroupOption = None,
    language: LanguageOption = None,
    settings: Annotated[
        bool, typer.Option("--settings", help="Let the league rate as psyleague did, by its tau and draw_prob.")
    ] = False,
    dry_run: DryRunOption = False,
    player: OwnerOption = None,
    as_json: JsonOption = False,
) -> Found:
    """Move a league of psyleague in: its bots, sources and matches.

    They come into the game's lowest league, and the matches are rated there in their order. A version without a source
    stays on record and never plays; all others are built, and the newest active one of each bot comes onto the board.
    A second run adds only what is new. Everything is imported or nothing: a broken line is named, exit status 2.

    Example: ladder import psyleague ./contest --game ocean-of-code --dry-run

    Example: ladder import psyleague ./contest --game ocean-of-code --group '(.+)_v(\\d+)' --settings
    """
    how = How(game, group, language or [], player, takes_settings=settings, dry_run=dry_run, as_json=as_json)
    return move_in(this(typer_context), folder, psyleague.read, how)


def import_cgarena(
    typer_context: typer.Context,
    folder: Annotated[Path, file_argument("The folder with cgarena.db.")],
    game: GameOption,
    group: GroupOption = None,
    language: LanguageOption = None,
    dry_run: DryRunOption = False,
    player: OwnerOption = None,
    as_json: JsonOption = False,
) -> Found:
    """Move a league of cgarena in: its bots, sources and matches.

    They come into the game's lowest league, and the matches are rated there in their order. The database is only read.
    Everything else is as with `ladder import psyleague`.

    Example: ladder import cgarena ./arena --game ocean-of-code --language c++20=cpp --dry-run
    """
    how = How(game, group, language or [], player, dry_run=dry_run, as_json=as_json)
    return move_in(this(typer_context), folder, cgarena.read, how)


@dataclass(frozen=True, slots=True)
class How:
    """What was typed beside the folder."""

    game: str
    group: str | None
    languages: Sequence[str]
    player: str | None
    takes_settings: bool = False
    dry_run: bool = False
    as_json: bool = False


def move_in(
    context: Context, folder: Path, read: Callable[[Path, Mapping[str, str]], ForeignLeague], how: How
) -> Answer:
    """Import a folder, or try to, and show what came of it."""
    actor, pattern = owner_named(how.player), read_pattern(how.group)
    league = read(folder, read_labels(how.languages))
    name, numbers = free_name(how.game, context.games), {*league.players, *league.seats}
    adding = game_commands(league.commands.values(), folder, name, numbers)
    if adding and not (league.bots or league.matches or how.as_json):
        nothing = f"{folder / league.file}: there are no bots and no matches to import"
        return Answer(None, [nothing, *map(adding_line, adding)])
    game = game_called(context, how.game, adding)
    wanted = Wanted(game.name, game.players, league, pattern, takes_settings=how.takes_settings)
    if how.dry_run:
        done = context.act(actions.imports.try_import, actor, wanted)
    else:
        done = context.act(actions.imports.import_league, actor, context.queue, wanted)
    return Answer(done, lambda: [*imported_parts(done), *map(adding_line, adding)])


def adding_line(command: str) -> Whole:
    """Show a command that adds a game for a referee of a league."""
    missing = still_to_fill_in(command)
    return Whole(f"its referee is a game {f'by this command, {missing}' if missing else 'by'}: {command}")


def game_called(context: Context, name: str, adding: Sequence[str]) -> Game:
    """Return a game by its name. Raises UnknownName, which says how to add it where that is known; GameFault."""
    try:
        return context.games.find(name)
    except UnknownName as error:
        if not adding:
            raise
        missing = still_to_fill_in(adding[0])
        by = f"by `{adding[0]}`, {missing}" if missing else f"by `{adding[0]}`"
        raise UnknownName(f"{error}; its referee is a game {by}") from error
