"""The numbers by which rows are known: a type for each kind, so that mypy finds a match's number in a version's place.

A number gets its type where it comes in: where a row is read, and where a word is read that somebody typed
(`cli.options.numbers`). From there on it is handed on as it is. While the program runs all of them are plain integers.
Files that take part in a gauntlet have no rows: `cli.gauntlet.local` gives them ids of versions below 0, and the
variants of `ladder gauntlet run --vary` are counted from 0.
"""

from typing import NewType

PlayerId = NewType("PlayerId", int)
LeagueId = NewType("LeagueId", int)
BotId = NewType("BotId", int)
VersionId = NewType("VersionId", int)
WorkerId = NewType("WorkerId", int)
MatchId = NewType("MatchId", int)
RequestId = NewType("RequestId", int)
GauntletId = NewType("GauntletId", int)
SeasonId = NewType("SeasonId", int)
ShareId = NewType("ShareId", int)
ClarificationId = NewType("ClarificationId", int)
HookId = NewType("HookId", int)

LARGEST_ID = 2**63 - 1
"""PostgreSQL has no larger number for a row."""
