"""`ladder board`: the leaderboards, and freezing those of a game."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, NoReturn

from cli import terminal, texts
from cli.answer import Answer, Remark, Rows, option
from cli.context import Context
from cli.options.files import HtmlOption, check_free, force_option, write_file
from cli.options.names import ByOption, OnlyLeagueOption, game_option, operator_named
from cli.options.numbers import moment_option
from cli.terminal.words import EXAMPLE_GAME, contest_text, freeze_text, frozen_text, next_commands
from engine.errors import UsageFault
from engine.text import counted
from ladder import actions, ratings, views, web
from ladder.row_limits import MOST_ROWS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.ratings.standings import BoardCursor
    from ladder.views.boards import Page


WATCH_EVERY_S = 1.0
PEOPLES_ROWS = 100
"""People see this many rows of a board, unless they ask for another number."""
FREEZES = "Freeze the boards of --game: from then on all but operators see them as they were at that time."
ROWS = "How many rows of a board. [default: 100; as JSON and CSV all]"
AFTER = "Start after this row. Takes the `cursor` printed at the end of the previous page."


def freeze_or_thaw(context: Context, game: str | None, frozen_from: datetime | None, player: str | None) -> Answer:
    if game is None:
        raise UsageFault("say with --game which game's boards are meant")
    name, actor = context.game_named(game), operator_named(player)
    if frozen_from is None:
        thawed = context.act(actions.games.thaw_boards, actor, name)
        return Answer(thawed, f"everybody sees the boards of {thawed.thawed} as they are")
    freeze = context.act(actions.games.freeze_boards, actor, name, frozen_from)
    return Answer(freeze, freeze_text(freeze))


def board(
    context: Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    league: OnlyLeagueOption = None,
    as_json: Annotated[bool, option("--json", "Print rows as JSON.")] = False,
    as_csv: Annotated[bool, option("--csv", "Print rows as CSV.")] = False,
    watch: Annotated[bool, option("--watch -w", "Keep it up to date until Ctrl-C.")] = False,
    limit: Annotated[int | None, option("--limit -n", ROWS, min=1, max=MOST_ROWS)] = None,
    after: Annotated[str | None, option("--after", AFTER)] = None,
    where: Annotated[str | None, option("--where", "Show the boards as only these matches would give.")] = None,
    html: HtmlOption = None,
    force: Annotated[bool, force_option("--html")] = False,
    frozen_from: Annotated[datetime | None, moment_option("--frozen-from", FREEZES)] = None,
    thaw: Annotated[bool, option("--thaw", "Let everybody see the boards of --game as they are.")] = False,
    player: ByOption = None,
) -> Rows:
    """Show the leaderboards.

    The highest league comes first. A board ranks by its league's score formula: mu - 3 sigma, unless the league is
    set to mu (`ladder league show` says). With ranked_by = "settled" it ranks by all matches at once: `95 %` has
    the ranks between which a version's own lies with 95 %, `Elo` its strength. A battle is two matches, on one seed
    with the seats swapped; `w/d/l` and faults count matches. Where more than two play in a match, the board says how
    often each version came 1st, 2nd and so on (`places`) and the mean of these; `w/d/l` counts each opponent. Of a
    long board the first rows are shown, with the command for those that come next. A game's leagues in which only the
    boss plays are one line; --league shows one whole. Boards of closed seasons: `ladder season show`.

    With --where the boards are as they would be if only some matches had been played; `ladder rating recompute --help`
    says what a filter can ask.

    --html writes the boards, whole unless --limit is given, as one page that runs no script and leads nowhere: for a
    web site, or to keep.

    --frozen-from shows nothing: it freezes the boards of a game, until --thaw. From that time on, which may be over or
    to come, players see how the boards stood then, everywhere: here, on pages, as JSON, CSV and feeds, and what is said
    of a bot's rank, rating and league; of matches that have ended since they see their own alone. Operators see how it
    stands, and a line that says since when it is frozen. Both are operators' deeds, which `ladder deeds` shows with a
    name.

    No services have to run, but for --watch.

    Example: ladder board --game ocean-of-code --league bronze --limit 20
    Example: ladder board --game ocean-of-code --html board.html
    Example: ladder board --where "time >= 1d and not fault = any"
    Example: ladder board --game ocean-of-code --frozen-from "2026-12-18 17:00"
    """
    if as_json + as_csv + watch + (html is not None) > 1:
        raise UsageFault("--json, --csv, --html and --watch cannot be used together: choose one")
    if frozen_from is not None or thaw:
        if (frozen_from is not None) + thaw + as_csv + watch + (html is not None) > 1:
            raise UsageFault("--frozen-from, --thaw, --csv, --html and --watch cannot be used together: choose one")
        return freeze_or_thaw(context, game, frozen_from, player)
    if where is not None:
        if as_csv or watch or html is not None or limit is not None or after is not None:
            raise UsageFault("--where cannot be used together with --csv, --html, --watch, --limit or --after")
        return texts.ratings.boards_where(context, game, league, where)
    mark = None if after is None else ratings.standings.BoardCursor.read(after)
    views.boards.check_choice(league, mark)
    if watch:
        return keep_showing(context, game, league, mark, limit)
    if html is not None:
        check_free(html, over=force)
        boards = context.read(views.boards.live_boards, game, league, mark, limit)
        write_file(html, web.pages.boards.boards_file(boards, context.games).encode(), over=force)
        return Answer(None, Remark(f"{html} shows {counted(len(boards), 'board')}: open it in a browser"))
    most = limit if as_json or as_csv else limit or PEOPLES_ROWS
    pages = context.read(views.boards.read_pages, game, league, mark, most)
    rows = [row for page in pages for row in page.rows]
    return Answer(rows, lambda: board_parts(context, pages, game, league, limit))


def board_parts(
    context: Context, pages: Sequence[Page], game: str | None, league: str | None = None, limit: int | None = None
) -> Iterator[RenderableType]:
    """Yield what people see of these boards, which were asked for by these words. On a terminal own rows stand out."""
    if league is None and not any(page.has_players for page in pages):
        example = game or EXAMPLE_GAME
        steps = {f"submit my_bot.py --game {example} --watch": "submit a bot", f"game show {example}": "read the rules"}
        yield f"{game or 'the ladder'} is empty: no bot but bosses plays here yet\n{next_commands(steps)}"
        return
    player = context.own_player if context.out.is_terminal else ""
    rows = f" --limit {limit}" if limit else ""
    for name, group in groupby(pages, key=lambda page: page.league.game):
        pages_of_game = list(group)
        for page in pages_of_game:
            if page.has_players or league is not None:
                yield texts.boards.board_table(page.league, page.rows, player)
            if page.more:
                which = f"--game {name} --league {page.league.name} --after {page.rows[-1].cursor}{rows}"
                yield f"{page.more:,} more: ladder board {which}"
        if pages_of_game[0].frozen is not None:
            yield frozen_text(pages_of_game[0].frozen)
        empty = [page.league.title for page in pages_of_game if not page.has_players]
        if league is None and len(empty) == len(pages_of_game):
            yield f"{name}: only the bosses play here yet"
        elif league is None and empty:
            whose = "its boss plays" if len(empty) == 1 else "their bosses play"
            yield f"{', '.join(empty)} ({name}): only {whose} here yet"


def keep_showing(
    context: Context, game: str | None, league: str | None, after: BoardCursor | None, limit: int | None
) -> NoReturn:
    rows = limit or PEOPLES_ROWS
    with terminal.steps.canvas(context.out, screen=context.out.is_terminal, transient=False) as draw:
        while True:
            pages = context.follow(views.boards.read_pages, game, league, after, rows)
            contests = map(contest_text, context.follow(views.contests.timetables, game).values())
            draw(*contests, *board_parts(context, pages, game, league, limit))
            time.sleep(WATCH_EVERY_S)
