"""Which versions are submitted in the demo's two rounds, and who submits them: always the same.

How this works. All play sources that ship with the game, as they are: where no sandbox works, workers run nothing else.
Matches are drawn from SEED, so the same two versions play the same matches in every run.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace

from engine.games.catalogue import shipped_games
from ladder.actions import installation

GAME = "ocean-of-code"
PREPARE = f"{__name__}:bring_up_to_date"
"""What the supervisor calls when the database answers."""

SEED = "ladder demo 3"
"""What the seeds of all matches follow from: one of those by which each bot clearly ends where it belongs."""


@dataclass(frozen=True)
class Entry:
    """A version that is submitted. `league`: the title of the league where its bot ends."""

    bot: str
    player: str
    file: str
    league: str


ROUNDS = (
    (
        Entry("minnow", "mia", "drifter_v1.py", "Wood 2"),
        Entry("orca", "olga", "tracker_v1.py", "Bronze"),
        Entry("kraken", "kim", "kraken.cpp", "Legend"),
    ),
    (Entry("kraken", "kim", "leviathan.cpp", "Legend"),),
)
"""First versions, then a better one of the best bot."""


def bring_up_to_date(database_url: str) -> None:
    """Bring the demo's game into its database. With the other games the first match would wait for their bosses."""
    games = shipped_games()
    installation.bring_up_to_date(database_url, replace(games, here=(games.find(GAME),)))


def entries_here(entries: tuple[Entry, ...]) -> list[Entry]:
    """Return those that this machine can build: the ones in C++ need a compiler."""
    return [entry for entry in entries if not entry.file.endswith(".cpp") or shutil.which("g++") is not None]
