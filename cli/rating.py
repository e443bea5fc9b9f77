"""`ladder rating`: whether the ledger of ratings holds, rating again, and boards as they would be on a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated

from cli import texts
from cli.answer import Answer, ExitStatus, Rows, option
from cli.context import Context
from cli.options.names import ByOption, OnlyLeagueOption, game_option, operator_named
from engine.text import counted
from ladder import actions, views

GameOption = Annotated[str | None, game_option("Only this game.", from_folder=False)]


WHERE = "Change nothing; show the boards as only these matches would give."


def verify(
    context: Context, game: GameOption = None, league: OnlyLeagueOption = None
) -> Annotated[Answer, "Print what was found as JSON."]:
    """Check that every rating can be reproduced, to the last digit.

    Replays the ledger; looks whether every version began with its league's fresh rating; whether every finished match
    has both its seats and a clear result and is rated once, in order, and no other is; whether boards stand at the
    ledger's last lines, with the scores that follow; whether matches, wins, draws, losses, time-outs, faults and what
    is shown as places add up, and so does what promotions go by: wins against the boss, and matches from before it
    went back for each version that did. Of each kind of difference the first is shown, causes before what may follow
    from them. Exit status 1 if there is any. Matches may go on meanwhile.

    Example: ladder rating verify --game ocean-of-code
    """
    check = context.watch(views.ratings.verified, game, league, partial(texts.ratings.counting, context, "verifying"))
    return Answer(check, list(report_lines(check)), status=ExitStatus.OK if check.clean else ExitStatus.FAILED)


def report_lines(check: views.ratings.VerifiedLedger) -> Iterator[str]:
    report = check.report
    for difference in report.differences:
        more = f" (and {difference.count - 1} more)" if difference.count > 1 else ""
        yield f"{difference.kind}: {difference.first}{more}"
    mend = (
        "rows are broken; where they cannot be mended take their matches back with `ladder match void`, then `ladder "
        "rating recompute` rebuilds the rest"
    )
    rebuilt = "`ladder rating recompute` rebuilds them" if report.can_be_rebuilt else mend
    lines, versions = counted(report.lines, "ledger line"), counted(report.versions, "standing")
    advice = "every number is reproduced" if report.is_clean else rebuilt
    yield f"{report.matches} matches in {counted(report.leagues, 'league')}, {lines}, {versions}: {advice}"


def recompute(
    context: Context,
    game: GameOption = None,
    league: OnlyLeagueOption = None,
    where: Annotated[str | None, option("--where", WHERE)] = None,
    player: ByOption = None,
) -> Rows:
    """Rate all finished matches again, in the ledger's order, and rebuild ledger and boards.

    With --where nothing is changed, and the boards are shown as they would be if only some matches had been played.
    Matches of versions that have left the board count too, but only those that stand there now are listed.

    A filter compares game, league (its name or title), time, seed, match, bot and opponent (a bot or version), result
    (won, drawn, lost), fault, seat, reason, turns, rated, gauntlet or metric.NAME (what bots printed with [TDATA] or
    [PDATA]) by = != < <= > >=, joined by and, or, not and parentheses; a value with blanks stands in quotes. Days and
    times are UTC; 90m, 1h or 2d is that long ago. Where it names a bot, result, fault, seat and opponent are about that
    bot's side, else about either. A filter that cannot be read ends with exit status 2.

    Example: ladder rating recompute --where "league = bronze and time >= 2026-11-01 and not opponent = kraken@v3"
    """
    if where is not None:
        return texts.ratings.boards_where(context, game, league, where)
    progress = partial(texts.ratings.counting, context, "rating again")
    leagues = context.act(actions.games.recompute, operator_named(player), game, league, progress)
    return Answer(leagues, rewritten_lines(leagues))


def rewritten_lines(leagues: Sequence[views.ratings.RatedLeague]) -> Iterator[str]:
    for league in leagues:
        row = league.rewritten
        if row.matches or row.changed_lines or row.changed_standings:
            changed = f"{row.changed_lines} ledger lines and {row.changed_standings} standings changed"
            yield f"{league.game}, {league.league}: {row.matches} matches rated again, {changed}"
    if not any(league.rewritten.changed_lines or league.rewritten.changed_standings for league in leagues):
        yield "nothing had to be changed"


def settle(
    context: Context,
    game: GameOption = None,
    league: OnlyLeagueOption = None,
    with_predecessors: Annotated[
        bool, option("--with-predecessors", "Count for each version also what the one before it of its bot did.")
    ] = False,
) -> Rows:
    """Rank by all matches at once, whatever their order, and say how sure each rank is.

    Shown beside the live board; nothing is changed. Strengths are Elo points above the average (Davidson's model:
    Bradley-Terry with draws); a rank lies in its interval with 95 %. Matches of versions that have left the board
    count too. Bots that no chain of matches joins cannot be compared: they are ranked in groups, the largest first.

    With --with-predecessors a version is taken for about as strong as the one before it of its bot, until its own
    matches say otherwise: so a version that has just come ranks better after 10 battles than after 50 without. That
    decides nothing, neither promotions nor prizes.

    Example: ladder rating settle --game ocean-of-code --league bronze
    Example: ladder rating settle --with-predecessors
    """
    boards = context.watch(views.ratings.settled_boards, game, league, inherits=with_predecessors)
    for board in boards:
        if (count := texts.ratings.group_count(board)) > 1:
            groups = f"{count} groups of bots that no chain of matches joins; each is ranked by itself"
            context.say(f"{board.league.title} ({board.league.game}): {groups}")
    nothing = "no match is finished: there is nothing to settle"
    return texts.ratings.answer_with(boards, texts.ratings.settled_table, nothing)
