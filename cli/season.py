"""`ladder season`: closing a game's season, with or without a last series, and the boards of those that are closed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from cli import texts
from cli.answer import Answer, Found, Remark, Rows, argument, option
from cli.context import Context
from cli.options.files import HtmlOption, check_free, force_option, write_file
from cli.options.names import ByOption, game_named_argument, game_option, league_option, operator_named
from cli.options.numbers import SeriesOption, TopOption, moment_option
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import moment_text
from engine.errors import Refused, UsageFault
from engine.text import counted, zoned_words
from ladder import actions, seasons, views, web
from ladder.row_limits import MOST_BATTLES, TOP

if TYPE_CHECKING:
    from rich.text import Text

    from ladder.seasons.seasons import GivenUp, SeasonRank

WATCH_EVERY_S = 0.5
EarlierOption = Annotated[bool, option("--yes -y", "Do not ask before submissions close earlier than was planned.")]


def confirm_closing(context: Context, game: str, number: int | None, series: int | None, *, says_unplayed: bool) -> int:
    """Ask whether the season that is on is meant; return its number. Raises UsageFault, Refused after a no."""
    if not sys.stdin.isatty():
        raise UsageFault("closing a season cannot be undone: add --yes to close it without being asked")
    on = context.watch(views.seasons.the_one_on, game, number)
    unplayed = context.watch(seasons.ending.unplayed, game)
    if says_unplayed and not unplayed.is_settled:
        context.say(f"season {on.number} of {game} is not played to its end: {unplayed.sentence}")
    after = "" if series is None else " after its series"
    broken_off = ", with its series broken off" if on.state == "series" and series is None else ""
    if not typer.confirm(f"close season {on.number} of {game}{after}{broken_off}?", err=True):
        raise Refused(f"season {on.number} of {game} stays as it is")
    return on.number


def agree_to_deadline(context: Context, game: str, until: datetime, *, yes: bool) -> None:
    """Ask before versions are submitted until an earlier time than was planned. Raises as `confirm_closing`."""
    plan = context.watch(views.seasons.planned, game).plan
    if yes or plan is None or until >= plan.submit_until:
        return
    before, earlier = zoned_words(plan.submit_until), zoned_words(until)
    if not sys.stdin.isatty():
        raise UsageFault(f"versions of {game} are submitted until {before}: add --yes to end that earlier, {earlier}")
    if not typer.confirm(f"versions of {game} are submitted until {before}: end that earlier, {earlier}?", err=True):
        raise Refused(f"the plan for {game} stays as it is")


def follow(context: Context, season: views.seasons.SeasonSoFar) -> None:
    with context.err.status("waiting for the scheduler") as status:
        while season.state != "closed":
            season = context.follow(views.seasons.read_season, season.game, season.number)
            status.update(views.seasons.series_text(season))
            time.sleep(WATCH_EVERY_S)


def final_parts(boards: views.seasons.FinalBoards) -> list[RenderableType]:
    by_league = groupby(boards.rows, key=lambda line: line.row.league_id)
    return [*(final_table(list(rows)) for _, rows in by_league), *given_up_lines(boards.given_up)]


MOST_SEASONS = 1_000_000
SUBMIT_UNTIL = "From then on no version is submitted, by this machine's clock: 2026-11-30T18:00."
FIRST_SERIES = "First this many battles more for each of the top of every board."
ONLY_IF_ON = "Only if this season is on, so that nothing is closed twice."
GameArgument = Annotated[str, game_named_argument()]


def last_series(series: int | None, top: int | None) -> actions.seasons.LastSeries | None:
    """Return the series that is asked for, if one is. Raises UsageFault where only its players are."""
    if top is not None and series is None:
        raise UsageFault("--top says who plays the series: say --series too, with how many battles")
    return None if series is None else actions.seasons.LastSeries(series, top or TOP)


def list_seasons(context: Context, game: Annotated[str | None, game_option("Only this game.")] = None) -> Rows:
    """List the seasons of every game, the one that is on last.

    Example: ladder season list --game ocean-of-code
    """
    rows = context.read(views.seasons.listed, game)
    return Answer(rows, lambda: FittingTable(SEASONS, rows))


def close_season(
    context: Context,
    game: GameArgument,
    series: Annotated[int | None, option("--series", FIRST_SERIES, min=1, max=MOST_BATTLES)] = None,
    top: TopOption = None,
    number: Annotated[int | None, option("--number", ONLY_IF_ON, min=1, max=MOST_SEASONS)] = None,
    yes: Annotated[bool, option("--yes -y", "Do not ask.")] = False,
    now: Annotated[bool, option("--now", "Close it although matches wait or battles lack.")] = False,
    settled: Annotated[bool, option("--when-settled", "First wait until no match waits and no battle lacks.")] = False,
    player: ByOption = None,
    watch: Annotated[bool, option("--watch -w", "Wait until it is closed and show its boards.")] = False,
    as_json: Annotated[bool, option("--json", "Print the season as JSON.")] = False,
) -> Found:
    """Close a game's season and keep its boards for good.

    The final boards rank by all matches at once, as `ladder rating settle` does, with the live ratings beside that.
    With --series the top of each board first plays this many battles more among themselves, which are rated; they are
    between those of whom the ranking is expected to learn most. A bot that changes its league meanwhile plays them all
    the same, for the league where it was. When the last of them is played, the season is closed by itself. Without
    --series it is closed at once, even while a series is on, of which the rest is given up: the output says how
    many battles, in JSON as `lapsed` of the series, and which ones and why as `given_up`. Matches that end later
    count for the next season. Ratings go on into the next season.

    While matches wait or versions have not had their battles it says so when it asks, and with --yes it refuses with
    exit status 3; --now closes it all the same, and --when-settled waits first. A season with --series is never refused
    for that: what lacks is played beside its series.

    A season without a finished match is refused with exit status 3, and so is one that --number does not mean. It is an
    operator's deed, which `ladder deeds` shows with a name.

    Example: ladder season close ocean-of-code --series 20 --top 10 --watch
    """
    name, actor = context.game_named(game), operator_named(player)
    last = last_series(series, top)
    if now and settled:
        raise UsageFault("--now and --when-settled cannot be used together: choose one")
    if not yes:
        number = confirm_closing(context, name, number, series, says_unplayed=not (now or settled))
    if settled:
        with context.err.status("waiting for matches") as status:
            while not (unplayed := context.follow(seasons.ending.unplayed, name)).is_settled:
                status.update(unplayed.sentence)
                time.sleep(WATCH_EVERY_S)
    only_settled = yes and last is None and not (now or settled)
    closing = context.act(actions.seasons.close, actor, name, number, last, only_settled=only_settled)
    if not watch:
        given_up = [] if closing.series is None else closing.series.series.given_up
        season = context.watch(views.seasons.read_season, name, closing.number)
        return Answer(season, [views.seasons.ending_sentence(closing), *given_up_lines(given_up)])
    if not as_json:
        context.show(views.seasons.ending_sentence(closing))
    follow(context, closing)
    season = context.watch(views.seasons.read_season, name, closing.number)
    boards = context.watch(views.seasons.final_boards, name, closing.number)
    return Answer(season, lambda: final_parts(boards))


def plan_season(
    context: Context,
    game: GameArgument,
    submit_until: Annotated[datetime | None, moment_option("--submit-until", SUBMIT_UNTIL)] = None,
    series: SeriesOption = None,
    top: TopOption = None,
    cancel: Annotated[bool, option("--cancel", "Take the plan back.")] = False,
    yes: EarlierOption = False,
    player: ByOption = None,
) -> Annotated[Answer, "Print the plan as JSON."]:
    """Plan the end of the season that is on; the scheduler carries it out.

    Submissions close at a time; what lacks is played; a last series follows, if there is to be one; then the season is
    closed, and submissions are open again. A new plan takes the place of the one before; one that closes submissions
    earlier asks first, or refuses (2) where no one can answer. It is an operator's deed, which `ladder deeds` shows
    with a name. `ladder season show GAME` says what is planned.

    Example: ladder season plan ocean-of-code --submit-until 2026-11-30T18:00 --series 20
    """
    name, actor = context.game_named(game), operator_named(player)
    if cancel == (submit_until is not None):
        raise UsageFault("say either --submit-until, with a time, or --cancel")
    last = last_series(series, top)
    if submit_until is None:
        plan = context.act(actions.seasons.drop_plan, actor, name)
    else:
        agree_to_deadline(context, name, submit_until, yes=yes)
        plan = context.act(actions.seasons.plan, actor, name, submit_until, last)
    return Answer(plan, views.seasons.plan_sentence(plan))


def show_season(
    context: Context,
    game: GameArgument,
    number: Annotated[
        int | None, argument("A closed season's number. [default: the one that is on]", min=1, max=MOST_SEASONS)
    ] = None,
    league: Annotated[str | None, league_option("Only this league.")] = None,
    as_json: Annotated[bool, option("--json", "Print rows as JSON.")] = False,
    as_csv: Annotated[bool, option("--csv", "Print rows as CSV.")] = False,
    html: HtmlOption = None,
    force: Annotated[bool, force_option("--html")] = False,
) -> Rows:
    """Show the boards of a closed season, as they were when it ended; without a number what is planned for this one.

    Ranks come from all matches until then at once and lie in their interval with 95 %; strengths are Elo points above
    the average. Versions that no chain of matches joins are ranked in groups, and those without a match in their league
    are marked "unplayed". The live rank and score stand beside. Below stands which battles of the season's series were
    given up and why; in JSON it is with each of the two versions, as `given_up`. --html writes the boards as one page
    that runs no script and leads nowhere.

    Example: ladder season show ocean-of-code 1 --league legend
    Example: ladder season show ocean-of-code 1 --html season-1.html
    """
    name = context.game_named(game)
    if html is not None and (as_json or as_csv):
        raise UsageFault("--html writes a page: leave --json and --csv out")
    if number is None:
        if league is not None or as_csv or html is not None:
            raise UsageFault("--league, --csv and --html are for boards of a closed season: say its number")
        on = context.read(views.seasons.planned, name)
        return Answer(on, views.seasons.plan_sentence(on))
    if html is not None:
        check_free(html, over=force)
        season = context.read(views.seasons.final_season, name, number, league)
        write_file(html, web.pages.seasons.season_file(season, context.games).encode(), over=force)
        return Answer(None, Remark(f"{html} shows season {number} of {name}: open it in a browser"))
    boards = context.read(views.seasons.final_boards, name, number, league)
    nothing = [] if boards.rows else [Remark("no version stood on that board")]
    rows = list(map(in_one_line, boards.rows)) if as_csv else boards.rows
    return Answer(rows, lambda: [*final_parts(boards), *nothing])


MOST_GIVEN_UP = 10
"""At most this many lines list battles that were given up."""
UNPLAYED = "unplayed"
"""Marks a version without a finished match in its league."""
SEASONS: Columns[views.seasons.SeasonSoFar] = (
    Column("game", lambda row: row.game, WORDS),
    Column("season", lambda row: row.number),
    Column("state", lambda row: row.state, WORDS),
    Column("opened", lambda row: moment_text(row.opened_at, "since the start"), WORDS, leaves=1),
    Column("closed", lambda row: moment_text(row.closed_at, ""), WORDS, leaves=2),
    Column("series", lambda row: views.seasons.series_text(row), NAME),  # noqa: PLW0108 - loaded when it is used
)


def given_up_lines(given_up: Sequence[GivenUp]) -> list[str]:
    lines = [f"given up: {views.seasons.given_up_line(given)}" for given in given_up[:MOST_GIVEN_UP]]
    more = len(given_up) - len(lines)
    return [*lines, f"... and battles of {counted(more, 'more pair')}: see --json"] if more else lines


def final_table(lines: Sequence[views.seasons.FinalRow]) -> FittingTable[SeasonRank]:
    first = lines[0]
    rows = [line.row for line in lines]
    faults_leave = texts.boards.FAULTS_LEAVE
    grouped = max((row.group_number or 0 for row in rows), default=0) > 1
    group: Columns[SeasonRank] = [Column("group", lambda row: row.group_number)] if grouped else []
    rating: list[Column[SeasonRank]] = texts.boards.rating_columns(lambda row: row, score_leaves=faults_leave - 4)
    strength: list[Column[SeasonRank]] = texts.boards.strength_columns(lambda row: row, faults_leave - 2)

    def version(row: SeasonRank) -> Text:
        marks = {"boss": row.is_boss, UNPLAYED: row.is_unplayed}
        return texts.boards.version_text(row.version, ", ".join(mark for mark, holds in marks.items() if holds))

    columns: Columns[SeasonRank] = [
        *group,
        Column("rank", lambda row: row.rank),
        texts.boards.interval_column(lambda row: row, faults_leave - 1),
        Column("version", version, NAME),
        Column("player", lambda row: row.player, NAME, leaves=texts.boards.PLAYER_LEAVES),
        *strength,
        *texts.boards.record_columns(rows, lambda row: row.record, first.battle_matches),
        Column(texts.boards.LIVE_RANK, lambda row: row.live_rank, leaves=faults_leave - 3),
        *rating,
    ]
    return FittingTable(columns, rows, f"{first.row.league_title} ({first.game}), season {first.season}")


def in_one_line(line: views.seasons.FinalRow) -> views.seasons.FinalRow:
    if isinstance(line.given_up, str):
        return line
    return replace(line, given_up="; ".join(map(views.seasons.given_up_line, line.given_up)))
