"""`ladder bot`: what bots there are and how their versions did."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from cli import texts
from cli.answer import Answer, Done, Found, Remark, Rows, argument, listing, option
from cli.context import Context
from cli.options.files import ForceOption, output_option, write_file
from cli.options.names import (
    ByOption,
    OwnerOption,
    bot_argument,
    game_named_argument,
    game_option,
    league_option,
    operator_named,
    owner_named,
    version_argument,
)
from cli.options.numbers import reason_in
from cli.terminal.table import NAME, Column, Columns, FittingTable
from cli.terminal.words import quoted
from engine.errors import Refused, UsageFault
from engine.text import counted
from engine.toolchains.params import params_text
from engine.toolchains.source import Tree, lay_out
from ladder import actions, bots, views
from ladder.names import read_name, read_second, read_version

if TYPE_CHECKING:
    from ladder.flows.departure import Disqualified
    from ladder.ratings.explanation import VersusRecord

GameOption = Annotated[str | None, game_option("Its game, if several have a bot of that name.")]
Everything = Annotated[Answer, "Print everything as JSON."]
BotArgument = Annotated[str, argument("The bot's name.")]
BotOrVersion = Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")]


def list_bots(
    context: Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    all_bots: Annotated[bool, option("--all -a", "Also bots that are retired.")] = False,
) -> Rows:
    """List the bots, but for retired ones.

    Example: ladder bot list --game ocean-of-code
    """
    if game is not None:
        context.game_named(game)
    rows = context.read(views.bots.listed, game)
    listed = [row for row in rows if all_bots or not row.bot.is_retired]
    hidden = len(rows) - len(listed)
    after = [f"{counted(hidden, 'retired bot')} not shown: --all"] if hidden else []
    return Answer(listed, lambda: texts.bots.bots_table(listed), after)


def show_bot(context: Context, bot: BotOrVersion, game: GameOption = None) -> Everything:
    """Show a bot, or one version of it, in detail.

    Its versions with their notes, their ratings and records in each league, what the compiler said of the latest
    version, what their latest gauntlets have said, and its latest matches. Records count only matches that rate; those
    of gauntlets and of `ladder match request` do not. Of a version that has had its battles and ranks below its
    league's boss, though it may well be the stronger one, it also says whether it plays on, or what would settle that.

    Example: ladder bot show kraken
    Example: ladder bot show kraken@v3
    """
    detail = context.read(views.bots.read_bot, read_name(bot), game)
    return Answer(detail, lambda: list(texts.bots.detail_parts(detail)))


def activate_version(
    context: Context,
    version: Annotated[str, version_argument("Which version, as in kraken@v3.")],
    game: GameOption = None,
    player: OwnerOption = None,
) -> Done:
    """Put another version on the board, in place of the present one.

    Where it has played before, its rating goes on; elsewhere it begins afresh, also one that a gauntlet has held back.
    A version that was rejected is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot activate kraken@v3
    """
    bot, number = read_version(version)
    active = context.act(actions.bots.activate, owner_named(player), bot, number, game)
    when = " already" if active.was_active else " again" if active.was_there else ""
    return Answer(active, f"{active.version} is on the board of {active.league}{when}")


def rewind_bot(
    context: Context,
    bot: Annotated[str, bot_argument("The bot's name.")],
    to_league: Annotated[str | None, option("--to", "Which lower league. [default: the next lower one]")] = None,
    game: GameOption = None,
    player: OwnerOption = None,
) -> Done:
    """Send your bot back a league.

    It goes on there with the rating it had, and has its battles again before it can be promoted. Where it cannot go
    back it is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot rewind kraken --to bronze
    """
    rewound = context.act(actions.bots.rewind, owner_named(player), bot, game, to_league=to_league)
    return Answer(rewound, f"{rewound.version} went back from {rewound.from_league} to {rewound.to_league}")


def explain_bot(
    context: Context,
    bot: BotOrVersion,
    game: GameOption = None,
    league: Annotated[str | None, league_option("In which league. [default: where it is, or was last]")] = None,
) -> Found:
    """Explain in ten lines why a bot ranks where it does.

    Which matches moved its rating most since that was fairly sure, against which opponents it takes more or fewer
    points than ratings let expect (by more than chance would), and what it lost by time-outs and other faults.

    Example: ladder bot why kraken
    """
    story = context.read(views.bots.explained, read_name(bot), game, league)
    remark = Remark("look at a match with `ladder match view MATCH`")
    words = texts.ratings.explanation_text
    return Answer(story, lambda: [words(story.version, story.stay, story.story, context.width), remark])


def retire_bot(context: Context, bot: BotArgument, game: GameOption = None, player: OwnerOption = None) -> Done:
    """Take your bot off the boards, until its next version.

    It leaves the boards, and what is queued for it is not played; what is being played is finished and counts. It
    keeps its history, and `ladder bot list` shows it with --all. Submitting its next version, or `ladder bot activate`,
    brings it back. The boss of a league cannot retire.

    Example: ladder bot retire kraken
    """
    retired = context.act(actions.bots.retire, owner_named(player), bot, game)
    left = f"left the board of {retired.league}" if retired.league else "was on no board"
    matches = counted(retired.void, "queued match", "queued matches")
    void = f", {matches} of it will not be played" if retired.void else ""
    back = f"`ladder bot activate {retired.version}`" if retired.version else "submitting its next version"
    return Answer(retired, f"{retired.bot} is retired: it {left}{void}; {back} brings it back")


def rename_bot(
    context: Context,
    bot: BotArgument,
    name: Annotated[str, argument("Its new name.")],
    game: GameOption = None,
    player: OwnerOption = None,
) -> Done:
    """Give your bot another name.

    The old name leads to the bot from then on wherever a bot is named, and no other bot of its game can take it. Boards
    of closed seasons show names as they were.

    Example: ladder bot rename kraken leviathan
    """
    renamed = context.act(actions.bots.rename, owner_named(player), bot, name, game)
    return Answer(renamed, f"{renamed.before} is called {renamed.bot} now; {renamed.before} still leads to it")


def disqualify_bot(
    context: Context,
    bot: BotArgument,
    why: Annotated[str, option("--why", "The reason; it is shown with the bot.")],
    game: GameOption = None,
    player: ByOption = None,
) -> Done:
    """Take a bot off the boards, so that its matches no longer count.

    Its leagues are rated again as though it had never played there, and what waits for it is not played. Its matches
    and sources stay to be looked at. `ladder bot reinstate` undoes all of that. It is an operator's deed, which `ladder
    deeds` shows with a name.

    Example: ladder bot disqualify kraken --why "a copy of somebody else's bot"
    """
    actor = operator_named(player)
    progress = partial(texts.ratings.counting, context, "rating again")
    return judgement_answer(context.act(actions.bots.disqualify, actor, bot, reason_in(why), game, progress))


def reinstate_bot(context: Context, bot: BotArgument, game: GameOption = None, player: ByOption = None) -> Done:
    """Undo that a bot was disqualified.

    It is on the boards where it was, and its matches count again, each in its place: all ratings are what they would be
    had it never left. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder bot reinstate kraken
    """
    progress = partial(texts.ratings.counting, context, "rating again")
    return judgement_answer(context.act(actions.bots.reinstate, operator_named(player), bot, game, progress))


def judgement_answer(judgement: Disqualified) -> Answer:
    lines = [f"{judgement.bot} is reinstated"]
    if judgement.is_disqualified:
        matches = counted(judgement.void, "match", "matches")
        void = f"; {matches} that waited will not be played" if judgement.void else ""
        lines = [f"{judgement.bot} is disqualified and on no board{void}"]
    for league in judgement.leagues:
        matches, standings = counted(league.matches, "match", "matches"), counted(league.changed_standings, "standing")
        lines.append(f"{league.league}: {matches} rated again, {standings} changed")
    if judgement.is_disqualified:
        lines.append(f"`ladder bot reinstate {judgement.bot}` undoes that")
    return Answer(judgement, lines)


def show_opponents(
    context: Context,
    bot: BotOrVersion,
    opponent: Annotated[str | None, argument("Another bot, to see each of its versions. [default: all]")] = None,
    game: GameOption = None,
) -> Rows:
    """Show how a bot did against each opponent, by seat.

    Won, drawn and lost as player 0 and as player 1, on how many pairs of matches, its points and those that the ratings
    before each match let expect, and the latest match. Only rated matches count. With an opponent: each version of the
    bot against each version of the other.

    Example: ladder bot versus kraken
    Example: ladder bot versus kraken@v3 wahoo
    """
    opponents = context.read(views.bots.opponents_of, read_name(bot), opponent, game)
    nothing = f"{opponents.name} has no rated match{f' against {opponent}' if opponent else ''} yet"
    return listing(opponents.rows, lambda: list(versus_parts(opponents)), nothing)


def versus_parts(opponents: views.bots.Opponents) -> Iterator[FittingTable[VersusRecord] | str]:
    version: Columns[VersusRecord] = [Column("version", lambda row: row.version, NAME)]
    columns: Columns[VersusRecord] = [
        *(version if any(row.version for row in opponents.rows) else ()),
        Column("opponent", lambda row: row.opponent, NAME),
        *map(seat_column, range(max(len(row.by_seat) for row in opponents.rows))),
        Column("pairs", lambda row: row.pairs, leaves=1),
        Column("points", lambda row: f"{row.points:g}"),
        Column("expected", lambda row: f"{row.expected:.1f}"),
        Column("match", lambda row: row.latest_match),
    ]
    title = f"{opponents.name} against each opponent (w-d-l: won, drawn, lost; match: the latest)"
    yield FittingTable(columns, opponents.rows, title)
    first = opponents.rows[0]
    lists = f"`ladder match list --bot {opponents.name} --against {first.opponent.partition('@')[0]}` lists matches"
    yield f"{lists}, `ladder match view {first.latest_match}` shows one"


def seat_column(seat: int) -> Column[VersusRecord]:
    return Column(f"as player {seat}\nw-d-l", lambda row: row.by_seat[seat].text if seat < len(row.by_seat) else None)


def show_source(
    context: Context,
    version: Annotated[str, bot_argument("Which version, as in kraken@v3, or a bot: what plays for it.")],
    output: Annotated[Path | None, output_option("Write it into this new file, or folder.")] = None,
    game: GameOption = None,
    force: ForceOption = False,
    as_json: Annotated[bool, option("--json", "Print it as JSON, with its language and note.")] = False,
) -> None:
    """Print a version's source, or get it back into a file.

    It is what was submitted, byte for byte; of a bot of many files their names are printed. A file that exists already
    is left as it is, with exit status 3, but for --force; and so is a folder, always.

    Example: ladder bot source kraken@v3 -o kraken-v3.cpp
    """
    source = context.read(views.bots.read_source, read_name(version), game)
    if output is not None:
        if isinstance(source.source, Tree):
            write_tree(output, source.source)
        else:
            write_file(output, source.text.encode(), over=force)
        context.say(f"{output} holds the source of {source.version} ({source.language})")
    elif as_json:
        context.show_json(source)
    elif source.files:
        count = counted(len(source.files), "file")
        context.say(f"{source.version} has {count}; -o FOLDER writes them into a new folder")
        context.show(quoted("\n".join(source.files)))
    elif context.out.is_terminal:
        context.show(source.text.removesuffix("\n"))
    else:
        sys.stdout.write(source.text)


def write_tree(folder: Path, tree: Tree) -> None:
    try:
        lay_out(folder, tree.files)
    except FileExistsError as error:
        raise Refused(f"{folder} exists already, and nothing in it is written over: name a new folder") from error
    except OSError as error:
        raise UsageFault(f"cannot write {folder}: {error.strerror}") from error


def show_diff(
    context: Context,
    first: Annotated[str, version_argument("A version, as in kraken@v3.")],
    second: Annotated[str, argument("Another one: v4 of the same bot, or as in orca@v1.")],
    game: Annotated[str | None, game_option("Their game, if several have bots of these names.")] = None,
) -> Found:
    """Show what differs between the sources of two versions.

    Lines that begin with - are only in the first one, lines that begin with + only in the second one.

    Example: ladder bot diff kraken@v3 v4
    """
    name = read_name(first)
    diff = context.read(views.bots.compared, name, read_second(second, name), game)
    return Answer(diff, lambda: diff_parts(diff))


def show_similar(context: Context, game: Annotated[str, game_named_argument()]) -> Rows:
    """Show which players' bots have sources that are alike, for operators.

    The newest version of each bot is compared with those of other players in its language; names, numbers, layout and
    comments do not matter. What the game's starters and bosses have does not count, nor what more than ten players
    have. "is in" says how much of a source is in the other one; pairs below 25 % are left out. Whether somebody has
    copied is for people to say: look at `ladder bot diff`.

    Example: ladder bot similar ocean-of-code
    """
    name = context.game_named(game)
    pairs = context.read(bots.similar.similar_sources, context.games, name)
    nothing = f"no two players have bots of {name} with sources that are alike"
    differs = "`ladder bot diff {0.first} {0.second}` shows what differs"
    return listing(pairs, lambda: [FittingTable(SIMILAR, pairs), differs.format(pairs[0])], nothing)


SIMILAR: Columns[bots.similar.SimilarPair] = (
    Column("version", lambda pair: pair.first, NAME),
    Column("player", lambda pair: pair.first_player, NAME, leaves=3),
    Column("is in", lambda pair: f"{pair.first_share:.0%}"),
    Column("version", lambda pair: pair.second, NAME),
    Column("player", lambda pair: pair.second_player, NAME, leaves=2),
    Column("is in", lambda pair: f"{pair.second_share:.0%}"),
    Column("language", lambda pair: pair.language, NAME, leaves=1),
)
STYLES = {"---": "bold", "+++": "bold", "@": "cyan", "+": "green", "-": "red"}
"""By how a line of a diff begins; the first that fits counts."""


def diff_parts(diff: views.bots.SourceDiff) -> Iterator[Text | Remark]:
    if diff.same:
        yield Remark(f"{diff.first} and {diff.second} have the same source")
    elif not diff.lines:
        yield Remark(f"the sources of {diff.first} and {diff.second} differ only in how their lines end")
    else:
        yield Text("\n").join(
            Text(line, style=next((style for begin, style in STYLES.items() if line.startswith(begin)), ""))
            for line in diff.lines
        )
    first, second = map(params_text, diff.params)
    if first != second:
        yield Remark(f"their parameters differ: {diff.first} has {first or 'none'}, {diff.second} {second or 'none'}")
