"""`ladder submit`: hand in a source as the next version of a bot."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli import terminal, texts
from cli.answer import ExitStatus, option
from cli.context import Context
from cli.options.files import file_argument
from cli.options.folder_defaults import submitted_here
from cli.options.names import OwnerOption, game_option, languages, league_option, owner_named
from cli.terminal.words import contest_text, quoted
from engine.errors import Refused, Unavailable, UsageFault
from engine.text import counted
from engine.toolchains.params import read_params
from ladder import actions, flows, promotions, seasons, views
from ladder.names import BOT

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.toolchains.given_bot import GivenBot
    from ladder.bots.versions import Version
    from ladder.views.progress import VersionProgress

ROWS = 30
"""So much of a board is shown: what fits on a screen."""
WATCH_EVERY_S = 0.5
NEWS_EVERY_S = 5.0
SOURCE = "A source, folder, archive or program. [default: the folder's]"
GAME = "Which game it plays. [default: the folder's, or LADDER_GAME]"
BOT_NAME = "The bot's name. [default: the folder's, or the file's name]"
LANGUAGE = "What it is written in. [default: by the file's ending]"
PARAM = "A parameter, as in DEPTH=6: a variable of its environment in all its matches. Can be given again."
NEW_GAME = "Your bot of that name plays another game; this is a new one."
LEAGUE = "Where a new bot begins, as an operator may say. [default: the lowest]"


def submit(
    context: Context,
    source: Annotated[Path | None, file_argument(SOURCE)] = None,
    game: Annotated[str | None, game_option(GAME, from_folder=False)] = None,
    bot: Annotated[str | None, option("--bot -b", BOT_NAME)] = None,
    player: OwnerOption = None,
    language: Annotated[str | None, option("--language -l", LANGUAGE, autocompletion=languages)] = None,
    rival: Annotated[bool, option("--rival -r", "The version before it stays on the board, as its rival.")] = False,
    note: Annotated[str, option("--note", "Your own words on it; lists of versions show them.")] = "",
    param: Annotated[list[str] | None, option("--param", PARAM, metavar="NAME=VALUE")] = None,
    new_game: Annotated[bool, option("--new-game", NEW_GAME)] = False,
    league: Annotated[str | None, league_option(LEAGUE)] = None,
    watch: Annotated[bool, option("--watch -w", "Follow it until it has its rank.")] = False,
    as_json: Annotated[bool, option("--json", "Print the version as JSON.")] = False,
) -> int:
    """Submit the next version of a bot.

    It is built, tried against itself, and plays its way up from its bot's league, a new bot's being the lowest. The
    version before leaves the board, and so do all its rivals, unless this one comes with --rival. If a gate is set
    (`ladder gauntlet auto`), --watch exits with the gauntlet's status when it fails; it prints announcements, too. In a
    bot's folder, one with a `ladder.toml`, nothing needs to be named; a file belongs to the folder in which it is. The
    same source with other parameters is another version.

    A bot of many files is a folder, or a .zip, .tar or .tar.gz of it, in which a `ladder.toml` says what to build and
    to run. A program, "./wahoo --depth 8" for instance, is handed in as its file alone.

    A bot that is made for a higher league begins there with --league; of a ladder that is served, operators do that.

    Example: ladder submit kraken.cpp --game ocean-of-code --bot kraken --watch
    Example: ladder submit kraken.cpp --game ocean-of-code --param DEPTH=8
    Example: ladder submit ./kraken/ --watch
    Example: ladder submit kraken.cpp --game ocean-of-code --league silver
    """
    given, game_name, bot_name = submitted_here(context, source, game, bot, language)
    name = name_from(given) if bot_name is None else bot_name
    new = flows.submission.Submission(
        context.game_named(game_name),
        name,
        given.source,
        given.language.name,
        leaves_rival=rival,
        note=note,
        params=read_params(param or ()),
        new_game=new_game,
        league=league,
    )
    submitted = context.act(actions.bots.submit, owner_named(player), context.queue, new)
    version = submitted.row
    if not submitted.queue_answers:
        later = "workers will notice it a bit later, when the broker is back"
        context.say(f"the broker does not answer; {version.name} is accepted all the same, and {later}")
    with accepted_all_the_same(version):
        if as_json:
            context.show_json(submitted)
        else:
            context.show(f"submitted {version.name}; it is being built (`ladder bot show {version.bot}` for progress)")
    return follow(context, version) if watch else ExitStatus.OK


@contextmanager
def accepted_all_the_same(version: Version) -> Iterator[None]:
    """Add that the version was accepted where the output, for which this block is, cannot be written."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror} ({version.name} was accepted)") from error


def name_from(bot: GivenBot) -> str:
    if not BOT.fullmatch(bot.stem):
        like = BOT.match(re.sub("[^A-Za-z0-9_.-]+", "-", bot.stem).strip("-_."))
        hint = f", for instance --bot {like[0]}" if like else ""
        raise UsageFault(f"no bot name can be made from {bot.path.name!r}; give one with --bot{hint}")
    return bot.stem


def follow(context: Context, version: Version) -> int:
    """Show a version being built and playing until it has had its battles. Raises Unavailable."""
    for contest in context.watch(views.contests.timetables, version.game).values():
        context.say(contest_text(contest))
    news = telling_news(context, version.game)
    with terminal.steps.canvas(context.err) as draw:
        while not (now := look(context, version)).is_settled:
            draw(picture(now, promotions.outlook.outlook_text(now.outlook) if now.outlook else ""))
            next(news)
            time.sleep(WATCH_EVERY_S)
    return print_result(context, now)


def telling_news(context: Context, game: str) -> Iterator[None]:
    """Print what was announced since the first step, looking once in NEWS_EVERY_S at most."""
    announced: set[int] | None = None
    due = time.monotonic()
    while True:
        if time.monotonic() >= due:
            with suppress(Unavailable):
                announcements = context.watch(seasons.clarifications.announcements, game)
                for announcement in reversed(announcements):
                    if announced is not None and announcement.id not in announced:
                        context.say(f"announcement {announcement.id}: {announcement.answer}")
                announced = {announcement.id for announcement in announcements}
            due = time.monotonic() + NEWS_EVERY_S
        yield


def look(context: Context, version: Version) -> VersionProgress:
    try:
        return context.follow(views.progress.version_progress, version.id)
    except UsageFault as error:  # what is being built and what is rejected is private
        lacks = "it cannot be watched with this token, which lacks the scope read"
        raise Refused(f"{version.name} was submitted; while it is built, or if it is rejected, {lacks}") from error
    except Unavailable as error:
        then = f"type `ladder up`, then `ladder bot show {version.bot}`; it cannot be watched now, for {error}"
        accepted = f"{version.name} was accepted and will be played when the ladder runs again"
        raise Unavailable(f"{accepted}: {then}") from error


def picture(now: VersionProgress, remark: str = "") -> RenderableType:
    if now.league:
        first = max(min((now.rank or 1) - ROWS // 2, len(now.board) - ROWS + 1), 1)
        rows = views.boards.board_rows(now.league, now.board[first - 1 : first - 1 + ROWS], first)
        return texts.boards.board_table(now.league, rows, remark=remark)
    if now.held_by is not None:
        does = "waits for" if now.held_by.waits else "plays"
        return f"{now.version.name} {does} gauntlet {now.held_by.id}, to be let onto the board when it has passed ..."
    if now.waits_beside is None:
        return f"{now.version.name} is being built and tried ..."
    beside = f" beside {counted(now.waits_beside, 'other version')}" if now.waits_beside else ""
    return f"{now.version.name} waits for its build{beside}: at most half of a worker's processes build ..."


def print_result(context: Context, now: VersionProgress) -> int:
    if now.version.state == "rejected":
        context.say(quoted(f"{now.version.name} is rejected: {now.version.message}"))
        context.say(texts.bots.league_text(now.version, now.home))
        return ExitStatus.REFUSED
    if now.held_by is not None:
        return texts.bots.print_held(context, now.held_by)
    if now.league is None:
        bot = now.version.bot
        context.show(f"{now.version.name} is not on the board any more; `ladder bot show {bot}` says what became of it")
    else:
        context.show(picture(now))
        name, lines = now.version.name, []
        if now.outlook:
            lines.append(promotions.outlook.missing_text(now.outlook))
        if losses := sum(row.record.losses for row in now.board if row.version_id == now.version.id):
            matches = counted(losses, "match", "matches")
            lines.append(f"it lost {matches}, the latest: `ladder match view --last {name} --lost`")
        context.show(f"{name} ranks {now.rank} of {len(now.board)} in {now.league.title}{remaining_text(now)}", *lines)
    return ExitStatus.OK


def remaining_text(now: VersionProgress) -> str:
    if now.open_order is not None:
        return f"; {texts.bots.open_order_text(now.open_order, 'it')}"
    waiting = sum(row.waiting for row in now.board if row.version_id == now.version.id)
    if not waiting or now.is_spared:
        return ""
    matches = "1 more match of it waits" if waiting == 1 else f"{waiting} more matches of it wait"
    return f"; it has had its battles, and {matches}, which may still move it"
