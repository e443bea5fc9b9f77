"""How many matches may wait, by the size of the fleet and its pace: pure functions.

How this works. Only what waits is bounded, not what is being played. What waits has to last until the scheduler comes
again, or processes stand idle; but whatever waits stands before a newcomer. So a battle waits for each process, and
where matches are quick as many as the whole fleet plays in two seconds. Small ladders keep a fixed number at least.
Each kind of battle has the same share of the room, whatever its size.
"""

from __future__ import annotations

from dataclasses import dataclass

from ladder.matchmaking.matchmaker import ASKED_AHEAD, IDLE_AHEAD

MOST_WAITING = 64
"""This many matches may wait on the smallest ladder."""
MATCHES_EACH = 2
"""This many matches may wait for each process: a battle."""
LOOK_AHEAD_S = 2
"""As many matches may wait as were finished in this many seconds: twice the time between two looks of the scheduler."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much may wait. `matches`: in all, an even number."""

    matches: int = MOST_WAITING

    @property
    def failed(self) -> int:
        """Return how many failed ones count as waiting: a version that nobody can play must not stop all others."""
        return self.matches // 2

    @property
    def asked_battles(self) -> int:
        """Return how many battles that were asked for may wait: half of the room, the other half is for newcomers."""
        return self.matches * ASKED_AHEAD // MOST_WAITING

    @property
    def idle_battles(self) -> int:
        """Return below how many waiting battles more are made than versions lack: enough for busy workers."""
        return self.matches * IDLE_AHEAD // MOST_WAITING


def room_for(processes: int, finished_lately: int) -> Room:
    """Return the room for that many live processes. `finished_lately`: matches within the last LOOK_AHEAD_S seconds."""
    most = max(MOST_WAITING, MATCHES_EACH * processes, finished_lately)
    return Room(most + most % 2)
