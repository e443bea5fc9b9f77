"""Games with waiting work that no live worker can do, as it lacks the game or what its referee program needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text import counted, listed
from engine.toolchains.languages import languages
from ladder.database.connection import Connection, one
from ladder.fleet.fleet import Fleet
from ladder.promotions.lifecycle import boards
from ladder.views.progress import still_to_make


@dataclass(frozen=True, slots=True)
class UnplayableGame:
    """A game that no live worker can play. `needs`: the languages that its referee needs; None: rules in Python.

    `matches`: those that wait or are still to be made; `builds`: versions to be built.
    """

    game: str
    needs: Sequence[str] | None
    matches: int
    builds: int

    @property
    def has_work(self) -> bool:
        """Say whether anything waits for such a worker."""
        return self.matches + self.builds > 0


def unplayable_games(connection: Connection, fleet: Fleet) -> list[UnplayableGame]:
    """Return the games with work that none of the workers that live can do; none where no worker lives."""
    rows = connection.execute(
        """
        SELECT DISTINCT game FROM leagues
        WHERE game NOT IN (SELECT name FROM games WHERE removed_at IS NOT NULL) ORDER BY game
        """
    )
    lacking = [game for (game,) in rows if fleet.for_game(game).lacks_game]
    found = [unplayable(connection, fleet, game) for game in lacking]
    return [game for game in found if game.has_work]


def unplayable(connection: Connection, fleet: Fleet, game: str) -> UnplayableGame:
    """Return what waits for a worker that can play this game."""
    waiting, builds = one(
        connection,
        """
        SELECT (SELECT count(*)::int FROM matches JOIN leagues ON leagues.id = league_id
                WHERE is_waiting(state) AND leagues.game = %(game)s),
               (SELECT count(*)::int FROM versions JOIN bots ON bots.id = bot_id
                WHERE state = 'building' AND bots.game = %(game)s)
        """,
        {"game": game},
    )
    to_make = sum(still_to_make(board) for board in boards(connection, game) if len(board.standings) > 1)
    return UnplayableGame(game, fleet.needs.get(game), waiting + to_make, builds)


def unplayable_text(found: UnplayableGame) -> str:
    """Say that nobody can play a game, why, what waits for that, and what to do."""
    waiting = [
        counted(number, thing, things)
        for number, thing, things in ((found.matches, "match", "matches"), (found.builds, "build", "builds"))
        if number
    ]
    verb = "waits" if found.matches + found.builds == 1 else "wait"
    work = f"{listed(waiting)} {verb}"
    if found.needs is None:
        return (
            f"no worker has the game {found.game}, and {work}: start one with the game's folder in LADDER_GAMES, or "
            "where its package is installed"
        )
    known = languages()
    titles = [known[name].title if name in known else name for name in found.needs]
    return (
        f"no worker can lead matches of {found.game}, and {work}: start one where {listed(titles)} "
        f"{'is' if len(titles) == 1 else 'are'} installed, which its referee needs (`ladder doctor` on a machine says "
        "what it lacks)"
    )
