"""`ladder gauntlet auto`: what is played by itself whenever a version is submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, Found
from cli.context import Context
from cli.gauntlet import options
from cli.gauntlet.options import context_in, test_of, words_in
from cli.options.here import bot_here
from cli.options.names import game_option, league_option, owner_named, player_option
from cli.program.parameters import argument, option
from engine.errors import UsageFault
from ladder import actions, gauntlets, views
from ladder.gauntlets.lineup import asked_or_usual, words_or_usual
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE

if TYPE_CHECKING:
    from ladder.gauntlets.automatic_gauntlets import AutomaticGauntlet
    from ladder.views.gauntlets import Automatic


def auto(
    context: Context,
    bot: Annotated[
        str | None, argument("The bot whose versions play it. [default: the folder's; elsewhere show all that stand]")
    ] = None,
    against: options.AgainstOption = None,
    for_information: options.ContextOption = None,
    pairs: options.PairsOption = None,
    sprt: options.SprtOption = None,
    model: options.ModelOption = ELO_MODEL,
    alpha: options.AlphaOption = ERROR_RATE,
    beta: options.BetaOption = ERROR_RATE,
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
    asks = gate or any(given is not None for given in (against, for_information, pairs, sprt))
    if bot is None and league is None:
        bot = bot_here()
    if bot is not None and league is not None:
        raise UsageFault("name a bot or a --league, not both")
    if off and asks:
        raise UsageFault("--off takes back what stands; it cannot be used together with what is to be played")
    if bot is None and league is None:
        if off or asks:
            raise UsageFault("say for whom: name a bot, or a league with --league and --game")
        return show_all(context, game)
    test = test_of(sprt, alpha, beta, model)
    if off:
        done = context.act(actions.gauntlets.end_automatic, actor, bot, league, game)
        return Answer(done, f"automatic gauntlets for {done.for_} are off; running ones continue")
    if asks:
        test = asked_or_usual(test, pairs)
        words = words_or_usual(words_in(against), context_in(for_information), has_baseline=False)
        number = gauntlets.order.number_of_pairs(pairs, None, test)
        terms = gauntlets.automatic_gauntlets.Terms(words, number, test, gate, actor.player)
        return automatic(context.act(actions.gauntlets.automate, actor, bot, league, game, terms))
    if league is not None:
        return automatic(context.read(views.gauntlets.automatic_of_league, league, game))
    return automatic(context.read(views.gauntlets.automatic_of_bot, bot or "", game))


def show_all(context: Context, game: str | None) -> Answer:
    found = context.read(views.gauntlets.all_automatic, None if game is None else context.game_named(game))
    nothing = "no gauntlet is played by itself; `ladder gauntlet auto BOT --gate` asks for one"
    return Answer(found, list(map(standing_text, found)) or nothing)


def automatic(found: Automatic) -> Answer:
    nothing = f"nothing is played by itself for {found.name}"
    return Answer(found.gauntlet, nothing if found.gauntlet is None else standing_text(found.gauntlet))


def standing_text(standing: AutomaticGauntlet) -> str:
    whose = standing.bot if standing.bot is not None else f"every bot in {standing.league}"
    opponents = ", ".join(standing.opponents)
    beside = f"; for information {', '.join(standing.context)}" if standing.context else ""
    hangs = "; it comes onto the board when it has passed" if standing.gates else ""
    asks = gauntlets.rendering.question(standing)
    takes = f"; {words}" if (words := gauntlets.rendering.outlook(standing.test, standing.pairs)) else ""
    return (
        f"each new version of {whose} ({standing.game}) plays {opponents}: {asks}"
        f"{beside}{hangs} (asked for by {standing.asked_by}){takes}"
    )
