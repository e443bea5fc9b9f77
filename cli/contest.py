"""`ladder contest`: a class or a contest: opening one, how it goes, announcements and questions, and what it leaves.

How this works. All files of its results are written before the first of them takes its place, so what ends this early,
as Ctrl-C does, leaves no part of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

from rich.console import RenderableType

from cli import account
from cli.account.players import require_served
from cli.answer import Answer, Found, Remark, Rows, argument, listing, option
from cli.context import Context
from cli.options.files import all_or_nothing, check_free, file_option, force_option, read_file, text_of
from cli.options.names import ByOption, OwnerOption, game_option, operator_named, owner_named
from cli.options.numbers import SeriesOption, TopOption, id_argument, moment_option
from cli.season import MOST_SEASONS, EarlierOption, GameArgument, agree_to_deadline, in_one_line, last_series
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import freeze_text, indent, moment_text, quoted
from engine.errors import Refused, UsageFault, WrongLines
from engine.immutable import immutable
from engine.text import counted, listed
from ladder import actions, seasons, views, web
from ladder.accounts.class_list import ClassMember, entrants_in
from ladder.ids import ClarificationId

TEAM: Column[views.contests.Contestant] = Column("team", lambda row: row.team, NAME)
PLAYERS: Columns[views.contests.Contestant] = (
    Column("player", lambda row: row.player, NAME),
    TEAM,
    Column("bot", lambda row: row.bot or "nothing yet", NAME, leaves=2),
    Column("versions", lambda row: f"{row.versions}" + (f" ({row.rejected} rejected)" if row.rejected else ""), WORDS),
    Column("latest", lambda row: moment_text(row.submitted_at, ""), WORDS, leaves=4),
    Column("plays", lambda row: row.version, NAME),
    Column("league", lambda row: row.league, WORDS),
    Column("rank", lambda row: row.rank),
    Column("score", lambda row: None if row.score is None else f"{row.score:.2f}", leaves=3),
)


@immutable
class Link:
    """What lets a player in, once."""

    player: str
    link: str


def read_entrants(path: Path, groups: list[str]) -> list[ClassMember]:
    content = read_file(path)
    try:
        return entrants_in(content, groups)
    except WrongLines as fault:
        raise WrongLines(f"{path} is not a list of players: {fault}", fault.lines) from fault
    except UsageFault as fault:
        raise UsageFault(f"cannot read {path}: {fault}") from fault


def write_links(path: Path, links: Sequence[Link]) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(views.encoding.to_csv(links))
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and may hold links of others: name a new file with --links") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


UNTIL = "From then on no version is submitted, by this machine's clock: 2026-12-18T18:00."
CLASS_LIST = "A CSV file with the players' names, in a column called name; with commas, ; or tabs."
FREEZES = "From then on all but operators see the boards as they were then: see `ladder board --help`."


def open_contest(
    context: Context,
    game: GameArgument,
    until: Annotated[datetime, moment_option("--until", UNTIL)],
    leagues: Annotated[
        int | None, option("--leagues", "This many leagues take part, the lowest ones.", min=1, max=100)
    ] = None,
    series: SeriesOption = None,
    top: TopOption = None,
    players: Annotated[Path | None, file_option("--players", CLASS_LIST)] = None,
    groups: Annotated[
        str | None, option("--groups", "The groups that the list may have, as in 7a,7b: others are refused.")
    ] = None,
    links: Annotated[Path, file_option("--links", "The new file for the players' links.")] = Path("links.csv"),
    mail: Annotated[bool, option("--mail", "Send each link to the address in the list.")] = False,
    frozen_from: Annotated[datetime | None, moment_option("--frozen-from", FREEZES)] = None,
    begins: Annotated[datetime | None, moment_option("--from", "Before then no version is submitted.")] = None,
    one_bot: Annotated[bool | None, option("--one-bot/--any-bots", "Whether a player has one bot at most.")] = None,
    title: Annotated[str | None, option("--title", "What it is called, on pages.")] = None,
    rules: Annotated[
        Path | None, file_option("--rules", "A text file: what holds besides the rules of the game.")
    ] = None,
    yes: EarlierOption = False,
    player: ByOption = None,
) -> Found:
    """Open a contest: its leagues, the plan of its end, and a link for each player who has no account yet.

    The season that is on becomes that of the contest: submissions begin at --from and close at --until, what lacks
    is played, then the last series, and the season is closed. With --leagues the leagues above open 30 days after
    the end. With --players a ladder that is served makes a one-time link for each name, in a file that only you can
    read: the first person who opens a link has the account. The list may also have a column team, for members of a
    player that is one, and real_name, group, email and external_id, which `ladder contest results --grades` gives
    back; only operators and the player see these. With --mail each link is sent to its player as well (see
    docs/settings.md); whose was not is said, with the exit status 4. `ladder board --thaw` ends what --frozen-from
    begins.

    With --one-bot a second bot of a player is refused, and so is opening, with names, where players have several. The
    page of the contest, `/games/GAME/contest`, says all this.

    Where a contest is open, --from, --one-bot, --title and --rules stay as they are unless they are said again, and a
    deadline before its own is asked about first, or refused (2) where no one can answer. Either all of it is done or
    nothing. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest open ocean-of-code --leagues 3 --until "2026-12-18 18:00" --series 50 --players class.csv
    """
    last = last_series(series, top)
    if players is not None:
        require_served(context)
    elif groups is not None:
        raise UsageFault("--groups says which groups a class list may have: say --players too")
    elif mail:
        raise UsageFault("--mail sends links to the players of a list: say --players too")
    server = account.mail.mail_server(context.settings) if mail else None
    known_groups = [group for word in (groups or "").split(",") if (group := " ".join(word.split()))]
    entrants = [] if players is None else read_entrants(players, known_groups)
    if entrants:
        check_free(links, over=None)
    terms = actions.seasons.ContestTerms(begins, one_bot, title, None if rules is None else text_of(rules).strip())
    name = context.game_named(game)
    agree_to_deadline(context, name, until, yes=yes)
    opened = context.act(
        actions.seasons.open_contest, operator_named(player), name, until, last, leagues, entrants, frozen_from, terms
    )
    if entrants:
        write_links(links, [Link(invited.player or "", invited.link(context.public_url)) for invited in opened.links])
    lines = [str(change) for change in opened.changes]
    if entrants:
        lines.append(f"{links} has the {counted(len(opened.links), 'link')} of players who have no password yet")
    if opened.others:
        lines.append(f"{listed(opened.others)} {'has' if len(opened.others) == 1 else 'have'} an account already")
    answer = Answer(opened, lambda: [*lines, *contest_parts(name, context.read(views.contests.contest, name))])
    if server is None:
        return answer
    mailed = account.mail.send_all(server, context.public_url, opened.links)
    return replace(answer, after=mailed.sentences, status=mailed.status)


def show_status(context: Context, game: GameArgument) -> Found:
    """Show who has submitted what, who stands where, and what is left to play.

    The players are those of the lists with which the contest was opened, also after its season is closed, until
    another one is opened; without a list all that there are. Who has an account that logs in is for operators.

    Example: ladder contest status ocean-of-code
    """
    name = context.game_named(game)
    contest = context.read(views.contests.contest, name)
    return Answer(contest, lambda: list(contest_parts(name, contest)))


def contest_parts(game: str, contest: views.contests.Contest) -> Iterator[RenderableType]:
    yield views.seasons.plan_sentence(contest.plan)
    if plan := contest.plan.plan:
        terms = {
            f"it is called {plan.title}": plan.title,
            "a player has one bot at most": plan.one_bot,
            f"its rules:\n{indent(plan.rules)}": plan.rules,
        }
        yield from (quoted(words) for words, is_said in terms.items() if is_said)
    if contest.contest != contest.plan.season.number:
        results = f"`ladder contest results {game} --to results` writes what it leaves"
        yield f"the contest was season {contest.contest}, which is closed; these are its players, and {results}"
    if contest.freeze is not None:
        yield freeze_text(contest.freeze)
    columns = [column for column in PLAYERS if column is not TEAM or any(map(TEAM.cell, contest.players))]
    if all(player.logs_in is not None for player in contest.players):  # which only operators see
        columns.append(Column("logs in", lambda row: "yes" if row.logs_in else "no", WORDS, leaves=1))
    yield FittingTable(columns, contest.players)


CLOSED = "A closed season's number. [default: the one that was closed last]"
FROM_LISTS = frozenset({"team", "real name", "group", "e-mail", "external id"})


def results(
    context: Context,
    game: GameArgument,
    to: Annotated[Path | None, file_option("--to", "The new folder for the files.")] = None,
    grades: Annotated[bool, option("--grades", "Print a row for each player of the class list.")] = False,
    season: Annotated[int | None, option("--season", CLOSED, min=1, max=MOST_SEASONS)] = None,
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
        rows = context.read(views.contests.grades, name, season)
        columns = [column for column in GRADES if column.head not in FROM_LISTS or any(map(column.cell, rows))]
        return Answer(rows, lambda: FittingTable(columns, rows))
    if as_json or as_csv:
        raise UsageFault("--json and --csv print grades: say --grades in place of --to")
    require_room(to, over=force)
    outcome = context.read(views.contests.contest_results, name, season)
    with all_or_nothing(to) as draft:
        for file, text in files_of(context, outcome):
            (draft / file).parent.mkdir(parents=True, exist_ok=True)
            (draft / file).write_text(text, "utf-8")
    number, players = outcome.season.season.number, counted(len(outcome.players), "player")
    boards = to / web.rendering.BOARDS_FILE
    return Answer(None, Remark(f"{boards} shows season {number} of {name}, with pages of {players}"))


GRADES: Columns[views.contests.Grade] = (
    Column("player", lambda row: row.player, NAME),
    Column("team", lambda row: row.team, NAME),
    Column("real name", lambda row: row.real_name, NAME, leaves=5),
    Column("group", lambda row: row.group, NAME, leaves=6),
    Column("e-mail", lambda row: row.email, NAME, leaves=1),
    Column("external id", lambda row: row.external_id, NAME, leaves=2),
    Column("version", lambda row: row.version, NAME, leaves=4),
    Column("league", lambda row: row.league, WORDS, leaves=3),
    Column("rank", lambda row: row.rank),
    Column("points", lambda row: f"{row.points:.1f}"),
    Column("handed in", lambda row: row.handed_in, WORDS),
    Column("late", lambda row: row.late or None, leaves=7, meaning="versions after the deadline"),
)


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


def files_of(context: Context, results: views.contests.ContestResults) -> Iterator[tuple[str, str]]:
    names, games = frozenset(player.player for player in results.players), context.games
    yield "boards.csv", views.encoding.to_csv(map(in_one_line, results.rows))
    boards = web.pages.seasons.season_file(results.season, games, web.rendering.InFolder(players=names))
    yield web.rendering.BOARDS_FILE, boards
    for player in results.players:
        page = web.pages.bots.player_file(player, games, web.rendering.InFolder("../", names))
        yield web.rendering.players_file(player.player), page


ABOUT = "The game that it is about. [default: the whole ladder]"
GameOption = Annotated[str | None, game_option(ABOUT, from_folder=False)]
ANNOUNCEMENTS: Columns[seasons.clarifications.Clarification] = (
    Column("number", lambda row: row.id),
    Column("when", lambda row: moment_text(row.answered_at), WORDS, leaves=2),
    Column("by", lambda row: row.answered_by, NAME, leaves=0),
    Column("about", lambda row: row.game or "all", NAME, leaves=1),
    Column("question", lambda row: row.question, NAME),
    Column("announcement or answer", lambda row: row.answer, NAME),
)
QUESTIONS: Columns[seasons.clarifications.Clarification] = (
    Column("number", lambda row: row.id),
    Column("when", lambda row: moment_text(row.asked_at), WORDS, leaves=1),
    Column("by", lambda row: row.asked_by, NAME),
    Column("about", lambda row: row.game or "all", NAME, leaves=0),
    Column("state", lambda row: row.state, WORDS),
    Column("question", lambda row: row.question, NAME),
    Column("answer", lambda row: row.answer, NAME),
)


def announce(
    context: Context,
    text: Annotated[str, argument("What to tell, in 2,000 characters at most.")],
    game: GameOption = None,
    player: ByOption = None,
) -> Found:
    """Tell all something: every page shows the last two for three days, and `ladder submit --watch` prints it.

    It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest announce "The final series begins at 18:00." --game ocean-of-code
    """
    news = context.act(actions.clarifications.announce, operator_named(player), text, game_meant(context, game))
    return Answer(news, f"announcement {news.id} is made; `ladder contest withdraw {news.id}` takes it back")


def list_announcements(context: Context, game: GameOption = None) -> Rows:
    """List announcements, and the questions with answers for all, the latest first.

    Example: ladder contest announcements --game ocean-of-code
    """
    rows = context.read(seasons.clarifications.announcements, game_meant(context, game))
    return listing(rows, lambda: FittingTable(ANNOUNCEMENTS, rows), "nothing was announced yet")


def ask(
    context: Context,
    text: Annotated[str, argument("The question, in 2,000 characters at most.")],
    game: GameOption = None,
    player: OwnerOption = None,
) -> Found:
    """Ask the operators something. You and they alone see it, unless they answer to all, without your name.

    Example: ladder contest ask "Does the torpedo pass islands?" --game ocean-of-code
    """
    question = context.act(actions.clarifications.ask_question, owner_named(player), text, game_meant(context, game))
    return Answer(question, f"question {question.id} is asked; `ladder contest questions` shows its answer")


def list_questions(context: Context, player: OwnerOption = None) -> Rows:
    """List your questions and their answers, for an operator everybody's; the latest first.

    Example: ladder contest questions
    """
    rows = context.read(seasons.clarifications.questions, player)
    return listing(rows, lambda: FittingTable(QUESTIONS, rows), "nothing was asked yet")


def answer(
    context: Context,
    number: Annotated[ClarificationId, id_argument("question")],
    text: Annotated[str, argument("The answer, in 2,000 characters at most.")],
    to_all: Annotated[bool, option("--all", "Let all read the question and the answer.")] = False,
    player: ByOption = None,
) -> Found:
    """Answer a question, to the one who asked or to all.

    It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest answer 3 "It does not: see the rules." --all
    """
    question = context.act(actions.clarifications.answer, operator_named(player), number, text, to_all=to_all)
    return Answer(question, f"question {question.id} is answered, to {'all' if to_all else question.asked_by}")


def withdraw(
    context: Context,
    number: Annotated[ClarificationId, id_argument("question", "The number of a question, or of an announcement.")],
    player: ByOption = None,
) -> Found:
    """Withdraw an announcement, or a question with its answer: only its asker and operators still see it.

    Who asked may withdraw a question as long as it is open; all else is an operator's deed, which `ladder deeds` shows.

    Example: ladder contest withdraw 3
    """
    item = context.act(actions.clarifications.withdraw, operator_named(player), number)
    return Answer(item, f"{'announcement' if item.question is None else 'question'} {item.id} is withdrawn")


def game_meant(context: Context, game: str | None) -> str | None:
    return None if game is None else context.game_named(game)
