"""One match: `ladder match show | rejudge | void`; `input` and `compare`: what a seat was sent, where two part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cli import terminal, texts
from cli.answer import Answer, Done, Found, Remark, listing, option
from cli.context import Context
from cli.match import view
from cli.options.files import ForceOption, check_free, file_option, force_option, output_option, write_file
from cli.options.matches import (
    ClockOption,
    MatchArgument,
    MatchName,
    PolicyOption,
    match_argument,
    store_of,
    store_with,
    watched,
)
from cli.options.names import ByOption, operator_named
from cli.options.numbers import MOST_TURNS, id_argument, reason_in
from engine.bot.clock import Clock, Policy, TimeRule
from engine.records.runner_file import runner_text
from engine.referees.edition import game_played
from engine.text import counted, shortened
from ladder import actions, views
from ladder.ids import MatchId
from ladder.matches.local_matches import LASTING, OFFICIAL, LocalName


def show_match(
    context: Context,
    match: MatchArgument,
    turns: Annotated[bool, option("--turns", "Also every line that was said, and what it took.")] = False,
    runner_json: Annotated[
        Path | None, file_option("--runner-json", "Write it into this new file, in the form of the SDK's own runner.")
    ] = None,
    force: Annotated[bool, force_option("--runner-json")] = False,
) -> Annotated[Answer, "Print everything as JSON, the turns too."]:
    """Show one match in detail.

    Result, seed, sandbox, seats, verdicts, timing, whose fault each overrun was, and what each bot wrote to stderr.
    Of a match that was lost, the turns that cost it: by then the loser had had that many turns of its own.
    For matches of gauntlets and requests it also says that they are unrated.
    Where attempts at playing it failed, each with its time, place and reason.

    `ladder play` keeps its last 1,000 matches: play:1 is the latest of them, play:2 the one before, and so on. A name
    such as local:12 is lasting: `ladder match list --local` shows both.

    Times of a turn: wall; cpu, what the bot computed; wait, how long the host let it wait for a CPU, all its threads
    together; late, how long an answer waited for us; charged, what counts of it by the fair clock; runtime, what the
    allowance for compilers and collectors bore of a turn that would have been over its limit.

    Example: ladder match show 17 --turns

    With --runner-json it is written as the runner of CodinGame's SDK writes matches, for viewers and scripts that read
    those. Of the bots' questions such a file knows none; views are in it where the game keeps them.

    Example: ladder match show play:1
    Example: ladder match show 17 --runner-json match.json
    """
    if runner_json is not None:
        check_free(runner_json, over=force)
        write_file(runner_json, runner_file_of(context, match).encode("utf-8", "replace"), over=force)
        return Answer(None, Remark(f"{runner_json} holds the match in the form of the SDK's runner"))
    width = context.width
    if isinstance(match.words, LocalName):
        local = views.turns.local.read_local(store_with(context, match.words), context.games, match.words)
        return Answer(local, lambda: texts.matches.local_text(local, width, turns=turns))
    detail = context.read(views.turns.match.read_match, context.games, match.words)
    return Answer(detail, lambda: texts.matches.detail_text(detail, width, turns=turns))


def rejudge_match(
    context: Context,
    match: Annotated[MatchId, id_argument("match")],
    policy: PolicyOption = Policy.STRICT,
    clock: ClockOption = Clock.FAIR,
) -> Found:
    """Say how a match would have ended under another rule for time.

    It would have ended the same; or a seat would have lost by time-out on a turn; or it would have gone on after the
    turn that was lost by time-out. Nothing is changed. Turns are counted as `ladder match show --turns` counts them.

    Example: ladder match rejudge 17 --policy codingame --clock wall
    """
    judgement = context.read(views.turns.match.rejudged, context.games, match, TimeRule(policy, clock))
    return Answer(judgement, f"match {match} under policy {policy}, {clock} clock: {judgement.sentence}")


def void_match(
    context: Context,
    match: Annotated[MatchId, id_argument("match")],
    why: Annotated[str, option("--why", "The reason; it is kept with the match.")],
    player: ByOption = None,
) -> Done:
    """Take back a finished match.

    The match keeps its record and no longer counts: its league is rated again without it, unless it was unrated.
    That cannot be undone. A match that is not finished, or was taken back before, is refused with exit status 3. It is
    an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder match void 17 --why "the referee let a dead submarine fire"
    """
    void = context.act(actions.matches.void, operator_named(player), match, reason_in(why))
    if (again := void.rewritten) is None:
        return Answer(void, f"match {match} is void; it was unrated, so no rating has changed")
    others = counted(again.matches, "other match", "other matches")
    changes = f"{counted(again.changed_lines, 'ledger line')} and {counted(again.changed_standings, 'standing')}"
    return Answer(void, f"match {match} is void; {others} of {void.league} rated again, which changed {changes}")


NOTHING_KEPT = {
    LASTING: "`ladder play` has played no match here yet",
    OFFICIAL: "no match of the official site is here yet: `ladder match import` brings them in",
}


def list_kept(
    context: Context, limit: int, is_wanted: Callable[[views.turns.local.ListedLocal], bool], kind: str
) -> Answer:
    """List matches that are kept here. `kind`: LASTING: that were played; OFFICIAL: those of the official site."""
    store = store_of(context, kind)
    matches = views.turns.local.list_local(store, limit, is_wanted)
    nothing = "no match fits" if store.numbers() else NOTHING_KEPT[store.kind]
    damaged = f"damaged files in {store.folder} were left out: {', '.join(matches.damaged)}"
    table, rows = texts.matches.local_table, matches.matches
    after = [damaged] if matches.damaged else []
    return listing(rows, lambda: [table(rows), texts.matches.HOW_TO_LOOK], nothing, after)


def runner_file_of(context: Context, match: MatchName) -> str:
    if not isinstance(match.words, LocalName):
        return context.read(views.turns.match.runner_file, context.games, match.words)
    _, local = store_with(context, match.words).read(match.words)
    game = game_played(context.games, local.head.game, local.head.edition)
    game.require_lines(views.turns.match.RUNNER_FILE)
    return runner_text(local.result(game), local.head.players)


def print_input(
    context: Context,
    match: MatchArgument,
    seat: Annotated[int, option("--seat", "Which seat, from 0 on.", min=0, max=7)],
    to: Annotated[
        int | None,
        option("--to", "Up to this turn of the match. [default: its end]", metavar="TURN", min=1, max=MOST_TURNS),
    ] = None,
    output: Annotated[Path | None, output_option("Write it into this new file.")] = None,
    force: ForceOption = False,
) -> None:
    """Print exactly what a seat was sent, so that a bot sees it again under a debugger.

    Turns are counted as `ladder match show --turns` counts them. A file that exists already is left as it is, with exit
    status 3, but for --force. So ends a match of which nothing was recorded, or that was played by other rules than
    today's; an unknown match, seat or turn ends with 2.

    Example: ladder match input 17 --seat 0 --to 42 -o in.txt && ./kraken < in.txt
    Example: ladder match input play:1 --seat 0
    """
    text = watched(context, match).input_of(seat, to)
    if output is None:
        sys.stdout.write(text)
        return
    write_file(output, text.encode(), over=force)
    context.say(f"{output} holds {counted(text.count(chr(10)), 'line')} that seat {seat} was sent")


def compare_matches(
    context: Context,
    first: MatchArgument,
    second: Annotated[MatchName, match_argument("Another match on the same seed.")],
    html: Annotated[
        Path | None, file_option("--html", "Write both on one page that needs no network into this new file.")
    ] = None,
    force: Annotated[bool, force_option("--html")] = False,
) -> Found:
    """Say where two matches on one seed part: the first turn in which something else was said.

    With --html both are also on one page, side by side, and are turned together.

    Matches of other games or seeds, and unknown ones, are refused with exit status 2; those of which nothing was
    recorded with 3.

    Example: ladder match compare 17 23
    Example: ladder match compare play:2 play:1 --html both.html
    """
    if html is not None:
        check_free(html, over=force)
    both = watched(context, first), watched(context, second)
    comparison = views.turns.watched_match.compare(*both)
    if html is not None:
        view.command.write_page(context, html, *both, over=force)
    return Answer(comparison, lambda: terminal.words.quoted(compared_text(comparison)))


def compared_text(comparison: views.turns.watched_match.ComparedMatches) -> str:
    lines = [
        f"{name}: {' - '.join(players)}  {':'.join(map(str, scores))} ({ended}, {counted(turns, 'turn')})"
        for name, players, scores, ended, turns in zip(
            comparison.names, comparison.players, comparison.scores, comparison.endings, comparison.turns, strict=True
        )
    ]
    parting = comparison.parting
    if parting is None:
        return "\n".join([*lines, "both went the same way"])
    where = f"turn {parting.turn} is the first that differs"
    lines.append(f"{where}; seat {parting.seat} said (its turn {parting.own_turn})")
    width = max(map(len, comparison.names))
    for name, line in zip(comparison.names, parting.lines, strict=True):
        lines.append(f"  in {name:{width}}: {'nothing' if line is None else shortened(line)}")
    return "\n".join(lines)
