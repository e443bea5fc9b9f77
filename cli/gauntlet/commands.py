"""`ladder gauntlet list | show | stop | resume | purge | stats`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cli import gauntlet as parts
from cli import terminal
from cli.answer import Answer, Done, ExitStatus, Found, Options, Rows, argument, listing, option
from cli.context import Context, this
from cli.options.files import file_option, force_option
from cli.options.folder_defaults import is_typed
from cli.options.names import ByOption, bot_option, game_option, operator_named, player_option
from cli.options.numbers import LimitOption, id_argument, pair_counts, reason_in
from engine.errors import UsageFault
from engine.immutable import immutable
from ladder import actions, views
from ladder.access import Actor, Role
from ladder.choices import GauntletState, GauntletVerdict
from ladder.ids import GauntletId
from ladder.statistics.elo import PENTANOMIAL, TRINOMIAL
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings

WHY = "what this machine played differs from the others' results"
WorseOnlyOption = Annotated[
    bool, option("--worse-only", "Print only where the candidate lost and the version before did not.")
]


@immutable
class ActorOptions(Options):
    """Who does something with a gauntlet or a tune."""

    player: Annotated[str | None, player_option("Who began it.")] = None
    operator: Annotated[
        bool, option("--operator", "Act as an operator, also on what others began; the record names you.")
    ] = False

    @property
    def actor(self) -> Actor:
        """An operator or a player, by default this person. Raises UsageFault as `operator_named`."""
        actor = operator_named(self.player)
        return actor if self.operator else Actor(actor.player, Role.PLAYER)


def list_gauntlets(
    typer_context: typer.Context,
    bot: Annotated[str | None, bot_option("Only gauntlets of this bot's versions.")] = None,
    game: Annotated[str | None, game_option("The bot's game, if several have that name.")] = None,
    limit: LimitOption = 20,
) -> Rows:
    """List the latest gauntlets.

    Example: ladder gauntlet list --bot kraken
    """
    context = this(typer_context)
    if is_typed(typer_context, "game") and bot is None:
        raise UsageFault("--game says which game the bot of --bot plays: say --bot too")
    rows = context.read(views.gauntlets.latest, limit, bot, game)
    nothing = "there is no gauntlet yet: begin one with `ladder gauntlet run`"
    return listing(rows, lambda: terminal.table.FittingTable(parts.output.GAUNTLETS, rows), nothing)


def show_gauntlet(
    context: Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    watch: Annotated[bool, option("--watch -w", "Follow it to its end; the exit status is the verdict's.")] = False,
    as_json: Annotated[bool, option("--json", "Print everything as JSON.")] = False,
    junit: Annotated[Path | None, file_option("--junit", "Write it as JUnit XML, for CI systems.")] = None,
    html: Annotated[
        Path | None,
        file_option("--html", "Write it as a page, FILE.html, or into a folder with a page for each lost pair too."),
    ] = None,
    force: Annotated[bool, force_option("--html")] = False,
    worse_only: WorseOnlyOption = False,
) -> Found:
    """Show a gauntlet: each opponent, the verdict, the pairs that were lost.

    With --worse-only: all pairs that it lost to the version that decides; with a baseline, all matches that it lost and
    the baseline, in the same seat on the same seed, did not; each with the commands to see it and to play it again.

    The pages need no network. In a lost pair's both matches are side by side, to be played, paused and stepped through.

    Example: ladder gauntlet show 12 --junit gauntlet.xml
    Example: ladder gauntlet show 12 --html gauntlet-12
    """
    if html is not None:
        parts.files.check_html(html, over=force)
    report = context.read(views.gauntlets.read_report, gauntlet)
    if worse_only or junit is not None or html is not None:
        parts.files.with_verdict(report)
    if watch and report.gauntlet.state == GauntletState.RUNNING:
        with parts.output.announced_at_end(context, gauntlet):
            report = parts.output.follow(context, gauntlet, as_json=as_json)
    answer = parts.output.result_of(report, worse_only=worse_only)
    return replace(
        answer,
        after=parts.files.files_written(context, report, junit, html, over=force),
        status=answer.status if watch else ExitStatus.OK,
    )


def stop_gauntlet(context: Context, gauntlet: Annotated[GauntletId, id_argument("gauntlet")], by: ActorOptions) -> Done:
    """Stop a gauntlet that runs. What it has played stays, and it can be resumed.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet stop 12
    """
    stopped = context.act(actions.gauntlets.stop, by.actor, gauntlet)
    return Answer(stopped, f"gauntlet {gauntlet} is stopped; `ladder gauntlet resume {gauntlet}` lets it go on")


def resume_gauntlet(
    context: Context, gauntlet: Annotated[GauntletId, id_argument("gauntlet")], by: ActorOptions
) -> Done:
    """Let a stopped gauntlet go on from where it was.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet resume 12
    """
    resumed = context.act(actions.gauntlets.resume, by.actor, gauntlet)
    return Answer(resumed, f"gauntlet {gauntlet} goes on; `ladder gauntlet show {gauntlet} --watch` follows it")


def purge(
    context: Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    host: Annotated[str, option("--host", "The machine, as `ladder gauntlet show` names it.")],
    why: Annotated[str, option("--why", "The reason; it is kept with the matches.")] = WHY,
    player: ByOption = None,
) -> Done:
    """Take back what one machine played of a gauntlet, and count again without it.

    The matches keep their records. Their pairs are played again, by whichever machine is free, so a finished gauntlet
    goes on until its question is answered anew. That cannot be undone. A machine that has played none of it is refused
    with exit status 3.

    A version that its gauntlet has let onto the board stays there meanwhile, and after any new verdict too: others have
    been rated by its matches. `ladder bot activate` puts another version in its place.

    Example: ladder gauntlet purge 12 --host lab-3 --why "its CPU was throttled"
    """
    reason = reason_in(why)
    purged = context.act(actions.gauntlets.purge, operator_named(player), context.queue, gauntlet, host, reason)
    goes_on = "it goes on" if purged.state == "running" else f"`ladder gauntlet resume {gauntlet}` lets it go on"
    lines = [f"{purged.pairs} pairs that {host} played of gauntlet {gauntlet} no longer count; {goes_on}"]
    if purged.stays_on_board is not None:
        lines.append(
            f"{purged.stays_on_board} stays on the board, whatever the new verdict; `ladder bot activate` puts another "
            "version there"
        )
    return Answer(purged, lines)


MEANINGS: dict[GauntletVerdict, str] = {
    GauntletVerdict.PASSED: "passed, elo1 is the better explanation",
    GauntletVerdict.FAILED: "failed, elo0 is the better explanation",
    GauntletVerdict.UNDECIDED: "undecided, play on",
}

UNITS = {TRINOMIAL: "matches", PENTANOMIAL: "pairs"}
"""What is counted, by the number of outcomes; of more players it is seeds with every seat once."""


def statistics_text(stats: views.pair_statistics.PairStatistics, *, stopped: bool) -> str:
    """Say it in a few lines. `stopped`: the estimate is that after a sequential test, else that of a fixed length."""
    counts, ratio = stats.results, stats.pair_ratio
    middle = len(counts) // 2
    unit = UNITS.get(len(counts), "seeds")
    shares = f"{sum(counts[middle + 1 :])} won, {counts[middle]} even, {sum(counts[:middle])} lost"
    won = f", {ratio:.2f} won for each lost" if ratio is not None else ""
    lower, upper = stats.bounds
    elo, (low, high), los = stats.elo, stats.ci, stats.los
    if stopped:
        elo, (low, high), los = stats.sprt.elo, stats.sprt.ci, stats.sprt.LOS
    test = f"{stats.elo0:g} to {stats.elo1:g} Elo ({stats.elo_model})"
    lines = (
        f"{unit:18}{sum(counts)}: {shares}; {stats.draw_ratio:.1%} even{won}",
        f"Elo               {elo:+z.1f}, {low:+z.1f} to {high:+z.1f} (95 %), LOS {los:.1%}",
        f"SPRT              {test}: LLR {stats.llr:z.2f} in {lower:.2f} to {upper:.2f}: {MEANINGS[stats.state]}",
    )
    return "\n".join(lines)


def show_statistics(
    counts: Annotated[
        list[int],
        argument(
            "Five counts of pairs, from two losses to two wins; or three: losses, draws, wins; or of games of "
            "three, four .. players 13, 25 .. counts of seeds with every seat once, by points.",
            metavar="COUNT",
            callback=pair_counts,
        ),
    ],
    elo0: Annotated[float | None, option("--elo0", "What H0 says the difference is.", show_default="0")] = None,
    elo1: Annotated[float | None, option("--elo1", "What H1 says it is.", show_default="10")] = None,
    alpha: Annotated[float, option("--alpha", "The chance to pass where H0 is true.")] = ERROR_RATE,
    beta: Annotated[float, option("--beta", "The chance to fail where H1 is true.")] = ERROR_RATE,
    model: Annotated[str, option("--model", "The Elo of the bounds: logistic or normalized.")] = ELO_MODEL,
) -> Annotated[Answer, "Print everything as JSON."]:
    """Print what results of pairs say: log-likelihood ratio, Elo with its interval, likelihood of superiority.

    Needs no services. The estimate is in logistic Elo, and that of a gauntlet of fixed length; with --elo0 or --elo1
    it is the one after a sequential test that stopped there. --json has both.

    Example: ladder gauntlet stats 3 25 60 40 9 --elo0 0 --elo1 10
    """
    settings = SprtSettings(0.0 if elo0 is None else elo0, 10.0 if elo1 is None else elo1, alpha, beta, model)
    stats = views.pair_statistics.pair_statistics(counts, settings)
    stopped = elo0 is not None or elo1 is not None
    return Answer(stats, statistics_text(stats, stopped=stopped))
