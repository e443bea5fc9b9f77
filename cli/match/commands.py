"""`ladder match`: what was played and how it went, and asking for more.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.match.detail_text import detail_text
from cli.match.local_texts import local_text
from cli.match.rematch import play_again
from cli.options.files import check_free, file_option, force_option, write_file
from cli.options.matches import MatchArgument, MatchName
from cli.options.names import SandboxOption
from cli.options.numbers import id_argument, reason_in
from cli.options.people import ByOption, operator_named
from cli.terminal.words import quoted
from engine.bot.clock import Clock, Policy, TimeRule
from engine.errors import Refused, UsageFault
from engine.records.again import put_again
from engine.records.runner_file import runner_text
from engine.referees.edition import game_played
from engine.series import opened
from engine.text import counted
from ladder import actions
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalMatches, LocalName
from ladder.views.turns.local import read_local
from ladder.views.turns.match import RUNNER_FILE, read_match, read_stored, runner_file


def played_again(
    context: Context,
    match_id: MatchId,
    file: Path | None,
    seat: int | None,
    tier: str | None,
    *,
    is_recorded: bool,
    as_json: bool,
) -> int:
    """Play a stored match again, with bots, or with what was said then; return the exit status."""
    if is_recorded:
        return play_recorded(context, match_id, file, seat, tier, as_json=as_json)
    play_again(context, match_id, file, seat, tier, as_json=as_json)
    return ExitStatus.OK


def play_recorded(
    context: Context, match_id: MatchId, file: Path | None, seat: int | None, tier: str | None, *, as_json: bool
) -> int:
    """Put a stored match to a fresh referee and print whether it asks the same; return the exit status.

    Raises UnknownName, UsageFault, Refused, MissingTool, SandboxFault, Unavailable; RefereeFault where it breaks.
    """
    if file is not None or seat is not None:
        raise UsageFault("--recorded plays what was said then: leave --with and --seat out")
    stored = context.read(read_stored, context.games, match_id)
    game = stored.result.spec.game
    if game.program is None:
        raise Refused(
            f"{game.name} has rules in Python, which lead its recorded matches whenever one is shown: "
            "--recorded is for games whose referee is a program"
        )
    game.require_lines("--recorded")
    game.require_repeatable("--recorded")
    again = put_again(stored.result, opened(tier), stored.conditions)
    if as_json:
        context.show_json(again)
    elif again.difference is None:
        asked = counted(again.questions, "question")
        context.show(f"match {match_id} goes the same way again: the same {asked}, and the same scores")
    else:
        context.show(quoted(f"match {match_id} goes another way now: {again.difference}"))
    return ExitStatus.OK if again.difference is None else ExitStatus.FAILED


def show(context: Context, match: MatchName, *, turns: bool, as_json: bool) -> None:
    """Show a match; `turns`: also every line that was said. Raises UnknownName, Refused, Unavailable."""
    width = context.width
    if isinstance(match.words, LocalName):
        local = read_local(LocalMatches(context.home.played), context.games, match.words)
        context.show_json(local) if as_json else context.show(local_text(local, width, turns=turns))
        return
    found = context.read(read_match, context.games, match.words)
    context.show_json(found) if as_json else context.show(detail_text(found, width, turns=turns))


def write_runner_file(context: Context, match: MatchName, path: Path, *, over: bool) -> None:
    """Write a match as the SDK's runner does. Raises UnknownName, Refused, Unavailable, UsageFault."""
    check_free(path, over=over)
    write_file(path, runner_file_of(context, match).encode("utf-8", "replace"), over=over)
    context.say(f"{path} holds the match in the form of the SDK's runner")


def runner_file_of(context: Context, match: MatchName) -> str:
    """Return a finished match as the SDK's runner writes it. Raises UnknownName, Refused, Unavailable."""
    if not isinstance(match.words, LocalName):
        return context.read(runner_file, context.games, match.words)
    _, local = LocalMatches(context.home.played).read(match.words)
    game = game_played(context.games, local.head.game, local.head.edition)
    game.require_lines(RUNNER_FILE)
    return runner_text(local.result(game), local.head.players)


def show_match(
    typer_context: typer.Context,
    match: MatchArgument,
    turns: Annotated[bool, typer.Option("--turns", help="Also every line that was said, and what it took.")] = False,
    runner_json: Annotated[
        Path | None,
        file_option("--runner-json", "Write it into this new file, in the form of the SDK's own runner."),
    ] = None,
    force: Annotated[bool, force_option("--runner-json")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, the turns too.")] = False,
) -> None:
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

    context = this(typer_context)
    if runner_json is not None:
        write_runner_file(context, match, runner_json, over=force)
        return
    show(context, match, turns=turns, as_json=as_json)


def rejudge_match(
    typer_context: typer.Context,
    match: Annotated[MatchId, id_argument("match")],
    policy: Annotated[
        Policy, typer.Option("--policy", help="What an overrun means. strict: a loss; codingame: grace, three strikes.")
    ] = Policy.STRICT,
    clock: Annotated[
        Clock, typer.Option("--clock", help="What counts. fair: not the waiting for a busy host; wall: all time.")
    ] = Clock.FAIR,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Say how a match would have ended under another rule for time.

    It would have ended the same; or a seat would have lost by time-out on a turn; or it would have gone on after the
    turn that was lost by time-out. Nothing is changed. Turns are counted as `ladder match show --turns` counts them.

    Example: ladder match rejudge 17 --policy codingame --clock wall
    """
    from ladder.views.turns.match import rejudged

    context = this(typer_context)
    found = context.read(rejudged, context.games, match, TimeRule(policy, clock))
    if as_json:
        context.show_json(found)
    else:
        context.show(f"match {match} under policy {policy}, {clock} clock: {found.sentence}")


def rematch(
    typer_context: typer.Context,
    match: Annotated[MatchId, id_argument("match")],
    file: Annotated[
        Path | None,
        file_option("--with", "A file or folder that takes the place of the version whose bot it is named like."),
    ] = None,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, max=7, help="Whose place it takes, where the name does not say.")
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Play what was said then to the referee program, and compare.")
    ] = False,
    sandbox: SandboxOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print both matches as JSON.")] = False,
) -> int:
    """Play a finished match again here, with your file in place of a version.

    On the same seed and rules, in the same seats, with the same limits and rule for time; all other limits are those
    that the league has now. Nothing is stored. Without --with the same two versions play again. No services have to
    run.

    --recorded plays no bot: a fresh referee program is given the answers of the match, and it is said whether it asks
    the same and gives the same scores, or what the first difference is; exit status 1 then. A game whose matches
    cannot be repeated is refused with 3.

    Example: ladder match rematch 17 --with ./kraken.py

    Example: ladder match rematch 17 --recorded
    """

    return played_again(this(typer_context), match, file, seat, sandbox, is_recorded=recorded, as_json=as_json)


def void_match(
    typer_context: typer.Context,
    match: Annotated[MatchId, id_argument("match")],
    why: Annotated[str, typer.Option("--why", help="The reason; it is kept with the match.", show_default=False)],
    player: ByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take back a finished match.

    The match keeps its record and no longer counts: its league is rated again without it, unless it was unrated.
    That cannot be undone. A match that is not finished, or was taken back before, is refused with exit status 3. It is
    an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder match void 17 --why "the referee let a dead submarine fire"
    """
    context = this(typer_context)
    reason = reason_in(why)
    done = context.act(actions.matches.void, operator_named(player), match, reason)
    if as_json:
        context.show_json(done)
    elif (again := done.rewritten) is None:
        context.show(f"match {match} is void; it was unrated, so no rating has changed")
    else:
        context.show(
            f"match {match} is void; {counted(again.matches, 'other match', 'other matches')} of {done.league} rated "
            f"again, which changed {counted(again.changed_lines, 'ledger line')} and "
            f"{counted(again.changed_standings, 'standing')}"
        )
