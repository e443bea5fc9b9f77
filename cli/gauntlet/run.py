"""`ladder gauntlet run` and `auto`: is this version, or whichever is submitted, better than the ones before it?"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cli import gauntlet
from cli.answer import Answer, Found, Options, argument, option
from cli.context import Context
from cli.gauntlet.commands import WorseOnlyOption
from cli.options.files import GameFolderOption
from cli.options.folder_defaults import bot_here, bot_of, candidate_here, named_version
from cli.options.names import SandboxOption, game_option, league_option, operator_named, owner_named, player_option
from cli.options.numbers import finite, jobs_option, read_seeds, real_option, seed_option, seed_or_drawn
from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.interrupts import interrupts_delayed
from engine.referees.edition import load_any_folder
from engine.text import listed
from engine.toolchains.given_bot import means_file
from engine.toolchains.params import read_params
from ladder import actions, gauntlets, views
from ladder.access import Actor
from ladder.gauntlets.lineup import GauntletRequest, asked_or_usual, words_or_usual
from ladder.gauntlets.plan import BOUNDS, CONTEXT, LEAST_MINUTES, MOST_MINUTES, PAIRS, PAIRS_OF_A_TEST
from ladder.gauntlets.variants import chosen_variants
from ladder.row_limits import MOST_PAIRS
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings

USUAL_BOUNDS = ",".join(f"{bound:g}" for bound in BOUNDS)


@immutable
class QuestionOptions(Options):
    """Whom a gauntlet plays, and what it asks. `against`, `for_information`: as typed, see `words_in`."""

    against: Annotated[
        list[str] | None,
        option(
            "--against",
            "Opponents, several times or with commas: kraken@v7, kraken, prior:5, boss, board:top10. "
            "[default: predecessor, the version that it would replace]",
        ),
    ] = None
    for_information: Annotated[
        list[str] | None,
        option(
            "--context",
            "Opponents that are met for information and do not decide, on every fifth seed; or none. "
            f"[default: {','.join(CONTEXT)}; none with --against]",
        ),
    ] = None
    baseline: Annotated[
        str | None, option("--baseline", "A version that plays the same opponents on the same seeds.")
    ] = None
    pairs: Annotated[
        int | None,
        option(
            "--pairs",
            "At most this many per opponent; without --sprt as many. "
            f"[default: {PAIRS_OF_A_TEST}, or {PAIRS} of variants]",
            min=1,
            max=MOST_PAIRS,
        ),
    ] = None
    players: Annotated[
        int | None,
        option(
            "--players",
            "Of each match, in a game that can have several numbers. [default: the most that it can have]",
            min=2,
            max=MOST_PLAYERS,
        ),
    ] = None
    sprt: Annotated[
        str | None,
        option(
            "--sprt",
            "Stop as soon as it is clear whether the difference is ELO0 or ELO1, as in -30,30 or 0,10. "
            f"[default: {USUAL_BOUNDS}; none with --pairs, --seeds or --vary]",
        ),
    ] = None
    minutes: Annotated[
        float | None,
        real_option(
            "--minutes",
            LEAST_MINUTES,
            MOST_MINUTES,
            "In place of --sprt: the narrowest symmetric bounds by which an equally good version takes so long.",
        ),
    ] = None
    model: Annotated[str, option("--model", "The Elo of --sprt: logistic or normalized.")] = ELO_MODEL
    alpha: Annotated[float, option("--alpha", "The chance to pass what is only ELO0 better.", callback=finite)] = (
        ERROR_RATE
    )
    beta: Annotated[float, option("--beta", "The chance to fail what is ELO1 better.", callback=finite)] = ERROR_RATE

    @property
    def context(self) -> tuple[str, ...] | None:
        if self.for_information is None:
            return None
        return () if self.for_information == ["none"] else words_in(self.for_information)

    @property
    def test(self) -> SprtSettings | None:
        """The bounds of --sprt, as in -20,20. What only a test has asks for one, too. Raises UsageFault."""
        if self.sprt is None and (self.alpha, self.beta, self.model) == (ERROR_RATE, ERROR_RATE, ELO_MODEL):
            return None
        try:
            elo0, elo1 = (float(part) for part in (self.sprt or USUAL_BOUNDS).split(","))
        except ValueError as error:
            words = f"the lower and the upper bound, as in {USUAL_BOUNDS}"
            raise UsageFault(f"--sprt {self.sprt} should be two numbers: {words}") from error
        return SprtSettings(elo0, elo1, self.alpha, self.beta, self.model)


SeedOption = Annotated[int | None, seed_option("From which the pairs' seeds come. [default: random]")]
LeagueOption = Annotated[str | None, league_option("Whose rules, boss and board. [default: where the bot plays]")]


@immutable
class LocalOptions(Options):
    """How something is played here."""

    game_folder: GameFolderOption = None
    trusted: Annotated[
        bool,
        option("--trusted", "With --local, in games whose own command starts the bots: that you trust all that play."),
    ] = False
    jobs: Annotated[int, jobs_option("With --local: matches at once")] = 0
    sandbox: SandboxOption = None
    bot: Annotated[
        str | None,
        option(
            "--bot -b",
            "With --local: the bot whose next version the file is. [default: its folder's, or the file's name]",
        ),
    ] = None


def run_gauntlet(
    context: Context,
    candidate: Annotated[
        str | None,
        argument(
            "The version in question, as in kraken@v8; with --local a file. [default: the folder's bot or source]",
            callback=named_version,
        ),
    ] = None,
    *,
    asked: QuestionOptions,
    seed: SeedOption = None,
    seeds: Annotated[str | None, option("--seeds", "The pairs' seeds: 1..200, 1,2,3, or a file.")] = None,
    league: LeagueOption = None,
    game: Annotated[str | None, game_option("The game, if several have such a bot.")] = None,
    local: Annotated[
        bool, option("--local", "Play here and now, without workers; opponents can be files too.")
    ] = False,
    here: LocalOptions,
    param: Annotated[
        list[str] | None,
        option(
            "--param",
            "A parameter of the candidate, besides its version's own, as in DEPTH=6. Can be given again.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        option(
            "--vary",
            "Compare these variants of the candidate with each other on the same seeds, as in DEPTH=4,6,8; "
            "those of a file here and now.",
            metavar="NAME=VALUES",
        ),
    ] = None,
    worse_only: WorseOnlyOption = False,
    cases: Annotated[
        bool,
        option("--cases", "With --local: ask the candidate in the folder's cases first, and play only if they hold."),
    ] = False,
    detach: Annotated[bool, option("--detach -d", "Do not wait for the verdict.")] = False,
    as_json: Annotated[bool, option("--json", "Print the result as JSON.")] = False,
) -> Annotated[Answer, "Print the result as JSON."]:
    """Say whether a version is better than the one it would replace, or than others, by playing against them.

    The version that it would replace decides; the opponents of --context are shown beside it for information. Each pair
    is one seed in both seat orders. It stops as soon as it is clear whether the candidate is 20 Elo better or worse, or
    what --sprt or --minutes says; with --pairs alone all of them are played, and the verdict needs 95 % confidence.
    Where --against names earlier versions of its bot, the last of them decides, else all that it names together. Exit
    status: 0 passed, 1 failed, 6 undecided. Ctrl-C ends the waiting, not the gauntlet; with --local both. With --vary
    there is no verdict, but a table of the variants, and the exit status is 0; those of a file are played here.

    Example: ladder gauntlet run kraken@v8
    Example: ladder gauntlet run kraken@v8 --against kraken@v7 --sprt -30,30
    Example: ladder gauntlet run kraken@v8 --minutes 20
    Example: ladder gauntlet run ./kraken.py --against kraken@v7 --local --worse-only
    Example: ladder gauntlet run ./kraken.py --against kraken@v7 --local --cases
    Example: ladder gauntlet run kraken@v8 --vary DEPTH=4,6,8
    """
    numbers = read_seeds(seeds) if seeds is not None else None
    actor = operator_named(None)
    params = read_params(param or ())
    request = GauntletRequest(
        candidate=candidate_here(local=local or bool(vary)) if candidate is None else candidate,
        asked_by=actor.player,
        against=words_in(asked.against),
        baseline=asked.baseline,
        pairs=asked.pairs,
        test=asked.test,
        seed=seed_or_drawn(seed),
        seeds=numbers,
        league=league,
        game=game,
        context=asked.context,
        variants=chosen_variants(vary or (), params),
        players=asked.players,
        minutes=asked.minutes,
    )
    if asked.minutes is not None and (asked.sprt is not None or vary):
        raise UsageFault("--minutes chooses the bounds of the test: leave --sprt and --vary out")
    is_here = local or (bool(vary) and means_file(request.candidate))
    if not is_here:
        refuse_local_only(**here.values, cases=cases)
    if here.game_folder is not None:
        request = replace(request, game=known_folder(context, here.game_folder, game))
    elif game is not None and is_here:
        context.games.find(game)
    elif game is not None:
        context.game_named(game)
    if is_here and detach:
        raise UsageFault("--local plays here and now, so there is nothing that --detach could leave behind")
    if worse_only and (vary or detach):
        raise UsageFault("--worse-only prints where a gauntlet was lost: leave --vary and --detach out")
    if is_here:
        here = replace(here, bot=bot_of(request.candidate) if here.bot is None else here.bot)
        how = gauntlet.local.LocalPlay(
            **here.values, as_json=as_json, params=params, worse_only=worse_only, cases=cases
        )
        play = gauntlet.local.run_varied if vary else gauntlet.local.run_local
        return play(context, request, how)
    return run_on_ladder(context, actor, request, detach=detach, as_json=as_json, worse_only=worse_only)


def words_in(against: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for part in against or () for word in part.split(","))


LOCAL_ONLY = {
    "--game-folder": "the ladder's workers play the games that the ladder has",
    "--trusted": "on a ladder the league's setting trusted = true says it",
    "--cases": "the cases are files of this machine",
    "--jobs": "the ladder's workers play as many matches at once as they have been given processes",
    "--sandbox": "the ladder's workers have theirs",
    "--bot": "a version's name says its bot",
    "--state": "the ladder keeps what its workers find",
}
"""What only gauntlets and tunes of this machine have, and why others have it not."""


def refuse_local_only(**given: object) -> None:
    """Refuse options of LOCAL_ONLY. `given`: their values, by the names of their parameters. Raises UsageFault."""
    for name, value in given.items():
        if value not in {None, False}:
            option = f"--{name.replace('_', '-')}"
            raise UsageFault(f"{option} goes with --local: {LOCAL_ONLY[option]}")


def known_folder(context: Context, folder: Path, game: str | None) -> str:
    rules = load_any_folder(folder)
    if game not in {None, rules.name}:
        raise UsageFault(f"--game says {game}, and the game in {folder} is {rules.name}: leave one of them out")
    context.know_game(rules)
    return rules.name


def run_on_ladder(
    context: Context, actor: Actor, request: GauntletRequest, *, detach: bool, as_json: bool, worse_only: bool
) -> Answer:
    with ExitStack() as ctrl_c_waits:
        begun = context.act(actions.gauntlets.begin, actor, AskingTheScheduler(context, ctrl_c_waits), request)
        with gauntlet.output.announced_at_end(context, begun.gauntlet):
            ctrl_c_waits.close()
            if begun.outlook and not as_json:
                context.say(begun.outlook)
            if detach:
                return Answer(begun, begun_text(begun))
            report = gauntlet.output.follow(context, begun.gauntlet, as_json=as_json)
            return gauntlet.output.result_of(report, worse_only=worse_only)


@immutable
class AskingTheScheduler:
    """The queue, joined only when a gauntlet has begun: Ctrl-C waits from then on, as much is imported here."""

    context: Context
    ctrl_c_waits: ExitStack

    def enqueue_schedule(self) -> None:
        """See `ladder.queue.Scheduling`."""
        self.ctrl_c_waits.enter_context(interrupts_delayed())
        self.context.queue.enqueue_schedule()


def begun_text(begun: actions.gauntlets.BegunGauntlet) -> str:
    if begun.variants:
        question = f"which of {listed(begun.variants)} is the best {begun.candidate}?"
    else:
        beside = [name for name in begun.opponents if name not in begun.deciding]
        also = f" It also meets {listed(beside)} for information." if beside else ""
        question = f"is {begun.candidate} better than {listed(begun.deciding)}?{also}"
    watched = f"`ladder gauntlet show {begun.gauntlet} --watch` follows it"
    return f"gauntlet {begun.gauntlet} has begun: {question} {watched}"


def auto(
    context: Context,
    bot: Annotated[
        str | None, argument("The bot whose versions play it. [default: the folder's; elsewhere show all that stand]")
    ] = None,
    *,
    asked: Annotated[QuestionOptions, {"baseline", "players", "minutes"}],
    gate: Annotated[bool, option("--gate", "A version comes onto the board only when it has passed.")] = False,
    off: Annotated[bool, option("--off", "Turn it off.")] = False,
    league: Annotated[
        str | None, league_option("All bots of this league, its boss aside, in place of one bot.")
    ] = None,
    game: Annotated[str | None, game_option("The league's game, or the bot's if several have one.")] = None,
    player: Annotated[str | None, player_option("Whose the bot is.")] = None,
) -> Found:
    """Play a gauntlet whenever a version is submitted; without options show what is set.

    It begins when the version is accepted, and asks whether it is better than the one it would replace. With --gate the
    version waits for it: where it fails, stays undecided or is stopped, the version before plays on, and `ladder bot
    activate` puts the new one on the board all the same. A bot's own comes before its league's. A first version
    replaces none, so it is let in at once.

    Example: ladder gauntlet auto kraken --gate
    """
    actor = owner_named(player)
    asks = gate or any(word is not None for word in (asked.against, asked.for_information, asked.pairs, asked.sprt))
    if league is None:
        bot = bot_here() if bot is None else bot
    elif bot is not None:
        raise UsageFault("name a bot or a --league, not both")
    if off and asks:
        raise UsageFault("--off takes back what stands; it cannot be used together with what is to be played")
    if bot is None and league is None:
        if off or asks:
            raise UsageFault("say for whom: name a bot, or a league with --league and --game")
        every = context.read(views.gauntlets.all_automatic, None if game is None else context.game_named(game))
        nothing = "no gauntlet is played by itself; `ladder gauntlet auto BOT --gate` asks for one"
        return Answer(every, list(map(standing_text, every)) or nothing)
    test = asked.test
    if off:
        ended = context.act(actions.gauntlets.end_automatic, actor, bot, league, game)
        return Answer(ended, f"automatic gauntlets for {ended.for_} are off; running ones continue")
    if asks:
        test = asked_or_usual(test, asked.pairs)
        words = words_or_usual(words_in(asked.against), asked.context, has_baseline=False)
        number = gauntlets.order.number_of_pairs(asked.pairs, None, test)
        terms = gauntlets.automatic_gauntlets.GauntletTerms(words, number, test, gate, actor.player)
        return automatic_answer(context.act(actions.gauntlets.automate, actor, bot, league, game, terms))
    if league is not None:
        return automatic_answer(context.read(views.gauntlets.automatic_of_league, league, game))
    return automatic_answer(context.read(views.gauntlets.automatic_of_bot, bot or "", game))


def automatic_answer(setting: views.gauntlets.Automatic) -> Answer:
    nothing, standing = f"nothing is played by itself for {setting.name}", setting.gauntlet
    return Answer(standing, nothing if standing is None else standing_text(standing))


def standing_text(standing: gauntlets.automatic_gauntlets.AutomaticGauntlet) -> str:
    whose = standing.bot if standing.bot is not None else f"every bot in {standing.league}"
    terms = f"{', '.join(standing.opponents)}: {gauntlets.rendering.question(standing)}"
    terms += f"; for information {', '.join(standing.context)}" if standing.context else ""
    terms += "; it comes onto the board when it has passed" if standing.gates else ""
    takes = f"; {words}" if (words := gauntlets.rendering.outlook(standing.test, standing.pairs)) else ""
    return f"each new version of {whose} ({standing.game}) plays {terms} (asked for by {standing.asked_by}){takes}"
