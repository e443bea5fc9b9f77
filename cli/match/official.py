"""`ladder match import`: matches of the official site, as players save them, become matches to look at here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cli.answer import ExitStatus, argument, option
from cli.context import Context
from cli.options.matches import store_of
from cli.options.names import game_option, league_option
from cli.terminal.steps import bar
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from engine import records
from engine.errors import UnknownName, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.machine import bytes_of
from engine.match import MatchResult
from engine.series import opened
from engine.text import counted, shortened
from ladder.matches.local_matches import OFFICIAL, LocalMatch, LocalMatches, local_match

STDIN = "-"
ENDING = ".json"


@immutable
class ImportedMatch:
    """What came of a match. `match`: how it is called here, None where it is not kept; `fault`: why, or "".

    `file`: its file, with its number there where that holds several.
    """

    file: str
    match: str | None = None
    game: str | None = None
    league: str | None = None
    players: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    agrees: bool = False
    fault: str = ""


@immutable
class ImportOptions:
    """What was said beside the files. `bot`: as the site calls him; `known`: matches here, by number and seed."""

    games: Sequence[Game]
    league: str | None
    bot: str | None
    known: dict[tuple[int | None, int], str]


def import_matches(
    context: Context,
    files: Annotated[list[str], argument("Files, folders of them, or - for standard input.")],
    game: Annotated[
        str | None, game_option("Which game they are of. [default: by their title, or by trying]", from_folder=False)
    ] = None,
    league: Annotated[
        str | None, league_option("By whose rules they were played. [default: by their title, or by trying]")
    ] = None,
    bot: Annotated[
        str | None, option("--bot -b", "Your name in them. [default: of the seat whose debug output is there]")
    ] = None,
    as_json: Annotated[bool, option("--json", "Print one line of JSON for each match.")] = False,
) -> int:
    """Bring in matches of the official site, from files as players save them.

    That is what the site answers for a match (`gameResult/findByGameId`), bare or wrapped, one or a list, or one in
    each line. Such a file says who answered what, and not what the bots were sent. So the referee here is given the
    answers with the match's seed: where it asks the same seats and comes to the same scores, the match is kept, and
    `ladder match view`, `show`, `input` and `compare` take it by its name, official:12. What the bots were sent is
    there too, but no times. It is never rated.

    A match that goes another way here is not kept: it is said at which turn, and the exit status is 1. One that was
    brought in before is not kept again. No services have to run.

    Example: ladder match import battle.json
    Example: ladder match import saved/ --bot kim --json
    Example: ladder match list --official --lost
    """
    games = context.games.all if game is None else [context.games.find(context.game_named(game))]
    if league is not None:
        games = [rules for rules in games if league_of(rules, league)]
        if not games:
            raise UsageFault(f"no game here has a league {league!r}; `ladder league list` shows those that there are")
    store = store_of(context, OFFICIAL)
    heads = [(number, head) for number, head in store.heads() if head is not None and head.site_id is not None]
    names = {(head.site_id, head.seed): store.name_of(number) for number, head in heads}
    options = ImportOptions(games, league, bot, names)
    rows: list[ImportedMatch] = []
    paths = list(files_in(files))
    with bar(context.err) as progress:
        task = progress.add_task("leading again", total=len(paths))
        for read, path in enumerate(paths, 1):
            for row in matches_of(context, store, path, options):
                rows.append(row)
                progress.update(task, description=f"leading again: {counted(len(rows), 'match', 'matches')}, files:")
                if as_json:
                    context.show_json(row, compact=True)
            progress.update(task, completed=read)
    if not as_json:
        context.show(FittingTable(COLUMNS, rows))
    good = sum(row.agrees for row in rows)
    context.say(f"{good} of {counted(len(rows), 'match', 'matches')}; `ladder match list --official` lists all")
    return ExitStatus.OK if good == len(rows) else ExitStatus.FAILED


COLUMNS: Columns[ImportedMatch] = (
    Column("match", lambda row: row.match or "-", WORDS),
    Column("game", lambda row: row.game or "", NAME, leaves=2),
    Column("league", lambda row: row.league or "", NAME, leaves=3),
    Column("players", lambda row: " - ".join(row.players), NAME),
    Column("score", lambda row: ":".join(map(str, row.scores))),
    Column("file", lambda row: row.file, NAME, leaves=1),
    Column("fault", lambda row: row.fault, WORDS),
)


def league_of(game: Game, name: str) -> str | None:
    try:
        return game.league(name).title
    except UnknownName:
        return None


def files_in(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        path = Path(word)
        files = [word]
        if word != STDIN and path.is_dir():
            files = [str(file) for file in sorted(path.rglob(f"*{ENDING}"))]
        if not files:
            raise UsageFault(f"{path} is a folder without any file whose name ends in {ENDING}")
        yield from files


def saved_values(word: str) -> dict[str, Any]:
    """Return what a file holds of each match, by the file and its number there. Raises UsageFault."""
    try:
        content = sys.stdin.buffer.read() if word == STDIN else bytes_of(Path(word))
        values = records.official_file.saved_matches(content)
    except OSError as error:
        raise UsageFault(f"cannot be read: {error.strerror}") from error
    if len(values) == 1:
        return {word: values[0]}
    return {f"{word}, match {number}": value for number, value in enumerate(values, 1)}


def matches_of(context: Context, store: LocalMatches, word: str, options: ImportOptions) -> Iterator[ImportedMatch]:
    try:
        values = saved_values(word)
    except UsageFault as fault:
        yield ImportedMatch(word, fault=str(fault))
        return
    for file, value in values.items():
        try:
            yield import_match(context, store, file, records.official_file.official_match(value), options)
        except UsageFault as error:
            yield ImportedMatch(file, fault=str(error))


def import_match(
    context: Context, store: LocalMatches, file: str, match: records.official_file.OfficialMatch, options: ImportOptions
) -> ImportedMatch:
    """Lead a match again, and keep it where it goes the same way."""
    row = ImportedMatch(file, players=match.players, scores=match.scores)
    named = options.league
    levels = {rules.name: None if named is None else rules.league(named).rules_level for rules in options.games}
    tried = records.official_file.attempts(match, options.games, levels, partial(opened, None))
    if not tried:
        return replace(row, fault=f"no game here is for {len(match.players)} players")
    best = tried[-1]
    league = league_title(best, named)
    named_in = records.official_file.named_in
    if best.result is None and match.title and not any(named_in(match.title, game) for game in options.games):
        return replace(row, fault=f"{shortened(match.title)} is not a game that is here, and goes by no other's rules")
    row = replace(row, game=best.game.name, league=league)
    if best.result is None:
        return replace(row, fault=f"by the rules of {league}, {best.why}")
    name = options.known.get((match.id, match.seed))
    if name is None:
        context.home.make(store.folder)
        name = store.name_of(store.keep(as_kept(match, best.result, league, options.bot)))
        if match.id is not None:
            options.known[match.id, match.seed] = name
    return replace(row, match=name, agrees=True)


def as_kept(
    match: records.official_file.OfficialMatch, result: MatchResult, league: str, bot: str | None
) -> LocalMatch:
    """Return a match that was led again as one that can be kept. `league`: its title; `bot`: see `ImportOptions`."""
    return local_match(result, league, match.players, own_seat(match, bot), datetime.now(UTC), site_id=match.id)


def league_title(attempt: records.official_file.Attempt, named: str | None) -> str:
    """Return the league by whose rules a match was led; of several that have the same, the lowest."""
    if named is not None:
        return attempt.game.league(named).title
    titles = [league.title for league in attempt.game.leagues if league.rules_level == attempt.rules_level]
    return titles[0] if len(titles) == 1 else f"{titles[0]} or higher"


def own_seat(match: records.official_file.OfficialMatch, name: str | None) -> int | None:
    """Return the seat of that name, or else the only one whose debug output is there."""
    seats = {seat for seat, _, stderr in match.answers if stderr}
    if name is not None:
        seats = {seat for seat, player in enumerate(match.players) if player.lower() == name.lower()}
    return seats.pop() if len(seats) == 1 else None
