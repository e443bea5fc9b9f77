"""`ladder game`: the games, their rules, maps and starters, and locking them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Answer, Rows, Whole
from cli.context import this
from cli.game.referee_text import players_words
from cli.options.names import game_argument, league_option
from cli.options.numbers import checked_seed, seed_number
from cli.terminal.words import quoted
from engine.conversation import FOR_TWO
from ladder.views.games import GameMap, listed

if TYPE_CHECKING:
    from engine.game import Game

OfGame = Annotated[str, game_argument()]
OfLeague = Annotated[str | None, league_option("Whose rules. [default: the highest league's]")]


def list_games(typer_context: typer.Context) -> Rows:
    """List the games and their leagues.

    Example: ladder game list --json
    """
    context = this(typer_context)
    for fault in context.games.faults.values():
        context.say(quoted(f"ladder: {fault}"))
    return Answer(listed(context.games.all), [quoted(listed_line(game)) for game in context.games.all])


def listed_line(game: Game) -> str:
    line = f"{game.name}: {game.title}; {', '.join(league.title for league in game.leagues)}"
    if game.players != FOR_TWO:
        line += f"; {players_words(game)}"
    return line if game.program is None else f"{line}; its referee is a program ({game.program.kind})"


def show_map(
    typer_context: typer.Context,
    game: OfGame,
    seed: Annotated[
        int, typer.Option("--seed", "-s", callback=seed_number, help="A signed 64-bit number.", show_default=False)
    ],
    league: OfLeague = None,
) -> Annotated[Answer, "Print it as golden records hold it."]:
    """Show the map that a seed gives.

    The same map as on CodinGame for the same seed.

    Example: ladder game map ocean-of-code --seed 1337
    """
    context = this(typer_context)
    found, checked = context.games.find(game), checked_seed(seed)
    level, maps = level_of(found, league), found.maps_or_refuse()
    facts = GameMap(found.name, checked, maps.facts(checked, level))
    return Answer(facts, lambda: Whole("\n".join(maps.draw(checked, level))))


def level_of(game: Game, league: str | None) -> int:
    """Return the rules level of a game's league, or of its highest. Raises UnknownName."""
    return (game.leagues[-1] if league is None else game.league(league)).rules_level
