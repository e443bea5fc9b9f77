"""`ladder gauntlet auto`: what is played by itself whenever a version is submitted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.gauntlet.options import (
    AgainstOption,
    AlphaOption,
    BetaOption,
    ModelOption,
    PairsOption,
    SprtOption,
    test_of,
    words_in,
)
from cli.options.names import game_option, league_option
from cli.options.people import player_named
from ladder.gauntlets.defaults import OPPONENTS
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE

if TYPE_CHECKING:
    from ladder.bots.bots import Bot
    from ladder.database.connection import Connection
    from ladder.gauntlets.automatic_gauntlets import StandingGauntlet, Terms, Whose
    from ladder.leagues.leagues import League


def auto(
    typer_context: typer.Context,
    bot: Annotated[
        str | None, typer.Argument(help="The bot whose versions play it. [default: show all that stand]")
    ] = None,
    against: AgainstOption = None,
    pairs: PairsOption = None,
    sprt: SprtOption = None,
    model: ModelOption = ELO_MODEL,
    alpha: AlphaOption = ERROR_RATE,
    beta: BetaOption = ERROR_RATE,
    gate: Annotated[
        bool, typer.Option("--gate", help="A version comes onto the board only when it has passed.")
    ] = False,
    off: Annotated[bool, typer.Option("--off", help="Let nothing stand any more.")] = False,
    league: Annotated[
        str | None, league_option("All bots of this league, its boss aside, in place of one bot.")
    ] = None,
    game: Annotated[str | None, game_option("The league's game, or the bot's if several have one.")] = None,
    player: Annotated[
        str | None, typer.Option("--player", "-p", help="Whose the bot is. [default: LADDER_PLAYER or your login name]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Play a gauntlet whenever a version is submitted; without options show what stands.

    It begins when the version is accepted. With --gate the version waits for it: where it fails, stays undecided or is
    stopped, the version before plays on, and `ladder bot activate` puts the new one on the board all the same. A bot's
    own comes before its league's. Where there is nobody to play, as for a first version, the version is let in at once.

    Example: ladder gauntlet auto kraken --against prior:5 --sprt -5,0 --gate
    """
    from engine.errors import UsageFault
    from ladder.gauntlets.automatic_gauntlets import Terms
    from ladder.gauntlets.order import number_of_pairs

    context = this(typer_context)
    asker = player_named(player)
    asks = against is not None or pairs is not None or sprt is not None or gate
    if bot is not None and league is not None:
        raise UsageFault("name a bot or a --league, not both")
    if off and asks:
        raise UsageFault("--off takes back what stands; it cannot be used together with what is to be played")
    if bot is None and league is None:
        if off or asks:
            raise UsageFault("say for whom: name a bot, or a league with --league and --game")
        return show_all(context, game, as_json=as_json)
    test = test_of(sprt, alpha, beta, model)
    if off:
        return take_back(context, bot, league, game, asker, as_json=as_json)
    if asks:
        terms = Terms(words_in(against) or OPPONENTS, number_of_pairs(pairs, None, test), test, gate, asker)
        return put_up(context, bot, league, game, terms, as_json=as_json)
    return show_one(context, bot, league, game, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Target:
    """The bot or league that is meant. `name`: as people call it."""

    whose: Whose
    name: str
    game: str
    bot: Bot | None


def target(
    connection: Connection, bot: str | None, league: str | None, game: str | None, player: str | None = None
) -> Target:
    """Find who is meant. `player`: whose the bot must be. Raises UnknownName, UsageFault, NotYourBot."""
    from ladder.bots import bots
    from ladder.gauntlets.automatic_gauntlets import Whose

    if league is not None:
        place = league_named(connection, league, game)
        return Target(Whose(league_id=place.id), place.title, place.game, None)
    name = bot or ""
    found = (
        bots.find_bot(connection, name, game)
        if player is None
        else bots.find_players_bot(connection, name, player, game)
    )
    return Target(Whose(bot_id=found.id), found.name, found.game, found)


def league_named(connection: Connection, name: str, game: str | None) -> League:
    """Return a league. Raises UsageFault where no game is named, UnknownName."""
    from engine.errors import UsageFault
    from ladder.leagues import leagues

    if game is None:
        raise UsageFault(f"every game has leagues: say with --game in which game {name} is")
    return leagues.find_league(connection, game, name)


def put_up(
    context: Context, bot: str | None, league: str | None, game: str | None, terms: Terms, *, as_json: bool
) -> None:
    """Let something stand from now on, and show it."""
    from ladder.database.connection import transaction
    from ladder.gauntlets import automatic
    from ladder.gauntlets.automatic_gauntlets import find

    with context.pool() as pool, transaction(pool) as connection:
        meant = target(connection, bot, league, game, terms.asked_by)
        automatic.ask(connection, meant.whose, meant.game, terms)
        standing = find(connection, meant.whose)
    show(context, standing, meant.name, as_json=as_json)


def take_back(
    context: Context, bot: str | None, league: str | None, game: str | None, player: str, *, as_json: bool
) -> None:
    """Let nothing stand any more. Raises Refused where nothing did."""
    from engine.errors import Refused
    from ladder.database.connection import transaction
    from ladder.gauntlets import automatic_gauntlets

    with context.pool() as pool, transaction(pool) as connection:
        meant = target(connection, bot, league, game, player)
        if not automatic_gauntlets.remove(connection, meant.whose):
            raise Refused(f"{meant.name} has no standing gauntlet of its own")
    if as_json:
        context.show_json({"for": meant.name, "game": meant.game, "off": True})
    else:
        context.show(f"nothing is played by itself for {meant.name} any more; gauntlets that run go on")


def show_one(context: Context, bot: str | None, league: str | None, game: str | None, *, as_json: bool) -> None:
    """Show what stands for a bot, be it its league's, or for a league."""
    from ladder.gauntlets.automatic import applying_to
    from ladder.gauntlets.automatic_gauntlets import find

    with context.database() as connection:
        meant = target(connection, bot, league, game)
        standing = find(connection, meant.whose) if meant.bot is None else applying_to(connection, meant.bot)
    show(context, standing, meant.name, as_json=as_json)


def show_all(context: Context, game: str | None, *, as_json: bool) -> None:
    """Show all that stands."""
    from ladder.gauntlets import automatic_gauntlets

    found_game = None if game is None else context.games.find(game).name
    with context.database() as connection:
        found = automatic_gauntlets.all_of(connection, found_game)
    if as_json:
        context.show_json([asdict(one) for one in found])
        return
    for one in found:
        context.show(standing_text(one))
    if not found:
        context.show("no gauntlet is played by itself; `ladder gauntlet auto BOT --against prior:5` asks for one")


def show(context: Context, standing: StandingGauntlet | None, name: str, *, as_json: bool) -> None:
    """Print what stands for somebody, or that nothing does."""
    if as_json:
        context.show_json(None if standing is None else asdict(standing))
    elif standing is None:
        context.show(f"nothing is played by itself for {name}")
    else:
        context.show(standing_text(standing))


def standing_text(standing: StandingGauntlet) -> str:
    """Tell in one sentence what is played by itself, for whom, and what hangs on it."""
    from cli.gauntlet.tables import question

    whose = standing.bot if standing.bot is not None else f"every bot in {standing.league}"
    hangs = "; it comes onto the board when it has passed" if standing.gates else ""
    return (
        f"each new version of {whose} ({standing.game}) plays {', '.join(standing.opponents)}: {question(standing)}"
        f"{hangs} (asked for by {standing.asked_by})"
    )
