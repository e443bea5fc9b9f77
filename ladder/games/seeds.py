"""Seeds of games whose referee is a program: some take only seeds of 31 bits, and some repeat no match by anything."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Refused, UsageFault
from engine.referees.program import NARROW_BITS
from ladder.database.connection import Connection
from ladder.ids import LeagueId

USUAL_BITS = 64


@dataclass(frozen=True, slots=True)
class Seeds:
    """What is known of a game's seeds. `bits`: how wide they are; 0: none is known. `repeatable`: see `RepeatedBy`."""

    game: str
    bits: int
    repeatable: bool

    def require(self, *seeds: int) -> None:
        for seed in seeds:
            if self.bits == NARROW_BITS and not 0 <= seed < 2**NARROW_BITS:
                raise UsageFault(f"seeds of {self.game} are 0 to {2**NARROW_BITS - 1}; {seed} is none of them")

    def require_repeatable(self, what: str) -> None:
        """Raise Refused where no match can be repeated. `what`: what needs that, as the beginning of a sentence."""
        if not self.repeatable:
            raise Refused(
                f"{what} needs matches that can be repeated, and those of {self.game} cannot as far as is known: "
                f"`ladder game check {self.game} --bots A B` finds out what repeats them"
            )


def seeds_in(connection: Connection, league_id: LeagueId) -> Seeds:
    row = connection.execute(
        """
        SELECT leagues.game, seed_bits, repeatable
        FROM leagues LEFT JOIN game_editions ON game_editions.hash = present_edition(leagues.id)
        WHERE leagues.id = %s
        """,
        [league_id],
    ).fetchone()
    game, bits, repeatable = row or ("", None, None)
    return Seeds(game, USUAL_BITS if bits is None else bits, repeatable is not False)


def narrow_leagues(connection: Connection) -> frozenset[LeagueId]:
    rows = connection.execute(
        """
        SELECT leagues.id
        FROM games JOIN game_editions ON hash = edition JOIN leagues ON leagues.game = games.name
        WHERE seed_bits = %s
        """,
        [NARROW_BITS],
    )
    return frozenset(LeagueId(row[0]) for row in rows)
