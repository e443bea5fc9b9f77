"""`ladder import`: moving in, from another ladder or from another league manager."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import RenderableType

from cli.answer import Answer, Found, Options, Whole, option
from cli.context import Context
from cli.options.files import file_argument
from cli.options.names import OwnerOption, game_option, owner_named
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import quoted
from engine.errors import UnknownName
from engine.game import Game
from engine.immutable import immutable
from engine.text import counted, listed
from ladder import actions, imports
from ladder.imports import cgarena, psyleague
from ladder.imports.cgarena import free_name, game_commands, still_to_fill_in
from ladder.imports.foreign import ForeignLeague, read_labels, read_pattern

if TYPE_CHECKING:
    from ladder.imports.agreement import Agreement

RENAMED: Columns[imports.league_import.ImportedVersion] = (
    Column("name there", lambda row: row.name, NAME),
    Column("here", lambda row: row.version, WORDS),
)
ON_RECORD: Columns[imports.league_import.ImportedVersion] = (
    Column("on record only", lambda row: row.version, WORDS),
    Column("why", lambda row: row.why_no_source, NAME),
)


def imported_parts(imported: imports.league_import.ImportedLeague) -> Iterator[RenderableType]:
    yield headline(imported)
    if imported.known_versions or imported.known_matches:
        matches = counted(imported.known_matches, "match", "matches")
        yield f"imported before: {counted(imported.known_versions, 'name')} and {matches}"
    yield from (quoted(f"left out: {sentence}") for sentence in imported.left_out)
    if renamed := [version for version in imported.versions if version.was_renamed]:
        yield FittingTable(RENAMED, renamed)
    if on_record := [version for version in imported.versions if version.why_no_source]:
        yield FittingTable(ON_RECORD, on_record)
    if imported.agreement is not None:
        yield agreement_text(imported.agreement, imported.origin)
    yield from (quoted(f"{imported.origin}'s {name}: {command}") for name, command in imported.commands.items())
    if imported.settings:
        settings = ", ".join(f"{name} = {value}" for name, value in imported.settings.items())
        yield quoted(f"{imported.origin}'s settings: {settings}")


def headline(imported: imports.league_import.ImportedLeague) -> str:
    if imported.changes_nothing:
        return f"nothing is new: {imported.league} of {imported.game} has all of this {imported.origin} league"
    built = sum(not version.why_no_source for version in imported.versions)
    what = f"{counted(imported.bots, 'bot')}, {counted(len(imported.versions), 'version')} ({built} to be built) and "
    matches = counted(imported.matches, "match", "matches")
    faults = f" with {counted(imported.faults, 'fault')} of unknown kind" if imported.faults else ""
    did = "imported" if imported.applied else "dry run, nothing is changed: it would import"
    settings_words = [f"{name} = {value}" for name, value in imported.settings_taken.items()]
    settings = f"; {imported.league} rates with {listed(settings_words)} now" if settings_words else ""
    return f"{did} {what}{matches}{faults} into {imported.league} of {imported.game}{settings}"


def agreement_text(agreement: Agreement, origin: str) -> str:
    bots = counted(agreement.bots, "bot")
    if agreement.is_equal:
        return f"ratings: those of {agreement.file}, at most {agreement.as_here:.1g} apart ({bots})"
    text = f"ratings: up to {agreement.as_here:.2g} from those of {agreement.file} ({bots})"
    if agreement.others:

        def rounded(value: float | str) -> str:
            return value if isinstance(value, str) else f"{value:.6g}"

        others = [f"{one.setting} {rounded(one.here)} ({origin}: {rounded(one.there)})" for one in agreement.others]
        text += f", for the league rates with {listed(others)}; with --settings it rates as {origin} did"
        if agreement.as_here == agreement.as_there:
            return text
        text += f", and is at most {agreement.as_there:.1g} away"
    if agreement.as_package is None:
        return text
    if agreement.as_package < agreement.as_there:
        apart = f"by which these matches give its ratings (at most {agreement.as_package:.1g} apart)"
        return f"{text}: {origin} computes draws with functions of 7 digits, {apart}, and ours are exact"
    return f"{text}: by {origin}'s own computation too these matches lead to other ratings than it has"


GROUP = "Make versions of one bot of names: the first group is the bot, the second the number."
LABEL = "What it calls a language, or a file's ending, and what we call it; `none` keeps such bots on record only."


@immutable
class ForeignLeagueOptions(Options):
    """How a league is moved in."""

    game: Annotated[str, game_option("The game that it plays.", from_folder=False)]
    group: Annotated[str | None, option("--group", GROUP, metavar="PATTERN")] = None
    language: Annotated[
        list[str] | None, option("--language -l", f"{LABEL} Can be given again.", metavar="LABEL=NAME")
    ] = None
    settings: Annotated[
        bool, option("--settings", "Let the league rate as psyleague did, by its tau and draw_prob.")
    ] = False
    dry_run: Annotated[bool, option("--dry-run", "Show what would happen, and change nothing.")] = False
    player: OwnerOption = None
    as_json: Annotated[bool, option("--json", "Print as JSON what came of it.")] = False

    @property
    def labels(self) -> dict[str, str]:
        """What languages are called. Raises UsageFault."""
        return read_labels(self.language or [])


def import_psyleague(
    context: Context,
    folder: Annotated[Path, file_argument("The folder with psyleague.cfg.")],
    options: ForeignLeagueOptions,
) -> Found:
    """Move a league of psyleague in: its bots, sources and matches.

    They come into the game's lowest league, and the matches are rated there in their order. A version without a source
    stays on record and never plays; all others are built, and the newest active one of each bot comes onto the board.
    A second run adds only what is new. Everything is imported or nothing: a broken line is named, exit status 2.

    Example: ladder import psyleague ./contest --game ocean-of-code --dry-run
    Example: ladder import psyleague ./contest --game ocean-of-code --group '(.+)_v(\\d+)' --settings
    """
    return move_in(context, folder, psyleague.read(folder, options.labels), options)


def import_cgarena(
    context: Context,
    folder: Annotated[Path, file_argument("The folder with cgarena.db.")],
    options: Annotated[ForeignLeagueOptions, {"settings"}],
) -> Found:
    """Move a league of cgarena in: its bots, sources and matches.

    They come into the game's lowest league, and the matches are rated there in their order. The database is only read.
    Everything else is as with `ladder import psyleague`.

    Example: ladder import cgarena ./arena --game ocean-of-code --language c++20=cpp --dry-run
    """
    return move_in(context, folder, cgarena.read(folder, options.labels), options)


def move_in(context: Context, folder: Path, league: ForeignLeague, options: ForeignLeagueOptions) -> Answer:
    actor = owner_named(options.player)
    pattern = read_pattern(options.group)
    name = free_name(options.game, context.games)
    adding = game_commands(league.commands.values(), folder, name, {*league.players, *league.seats})
    if adding and not (league.bots or league.matches or options.as_json):
        nothing = f"{folder / league.file}: there are no bots and no matches to import"
        return Answer(None, [nothing, *map(adding_line, adding)])
    game = game_called(context, options.game, adding)
    order = imports.league_import.ImportOrder(game.name, game.players, league, pattern, takes_settings=options.settings)
    queue = None if options.dry_run else context.queue
    imported = context.act(actions.installation.import_league, actor, queue, order)
    return Answer(imported, lambda: [*imported_parts(imported), *map(adding_line, adding)])


def adding_line(command: str) -> Whole:
    missing = still_to_fill_in(command)
    return Whole(f"its referee is a game {f'by this command, {missing}' if missing else 'by'}: {command}")


def game_called(context: Context, name: str, adding: Sequence[str]) -> Game:
    try:
        return context.games.find(name)
    except UnknownName as error:
        if not adding:
            raise
        missing = still_to_fill_in(adding[0])
        by = f"by `{adding[0]}`{f', {missing}' if missing else ''}"
        raise UnknownName(f"{error}; its referee is a game {by}") from error
