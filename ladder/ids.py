"""The numbers by which rows are known: a type for each kind, so that mypy finds a match's number in a version's place.

A number gets its type where it comes in: where a row is read, and where a word is read that somebody typed
(`cli.options.numbers`). From there on it is handed on as it is. While the program runs all of them are plain integers.
A local gauntlet has no rows: there `ladder.gauntlets.words` numbers the versions.
"""

from __future__ import annotations

from typing import NewType

MatchId = NewType("MatchId", int)
GauntletId = NewType("GauntletId", int)
SeasonId = NewType("SeasonId", int)
RequestId = NewType("RequestId", int)
WorkerId = NewType("WorkerId", int)
LeagueId = NewType("LeagueId", int)
BotId = NewType("BotId", int)
PlayerId = NewType("PlayerId", int)
VersionId = NewType("VersionId", int)
