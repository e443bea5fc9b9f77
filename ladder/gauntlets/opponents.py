"""The versions in the database that words mean, for a candidate and in a league. See `words` and `lineup`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.errors import Refused, UnknownName
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.choices import VersionState
from ladder.database.connection import Connection
from ladder.gauntlets.lineup import Kind, Participant, Word, participant, read_word, version_before
from ladder.ids import LeagueId, VersionId
from ladder.names import read_name
from ladder.ratings import standings
from ladder.visibility import AsShown


@dataclass(frozen=True, slots=True)
class Opponents:
    """A function from words to versions, or files. `as_shown`: reads the league's board as who asks is shown it."""

    connection: Connection
    candidate: Participant
    league_id: LeagueId
    as_shown: AsShown = nullcontext
    files: Mapping[str, Participant] = field(default_factory=dict[str, Participant])

    def __call__(self, text: str) -> Sequence[Participant]:
        """Return the versions that a word means, of many not the candidate. Raises UsageFault, UnknownName, Refused."""
        if text in self.files:
            return [self.files[text]]
        word = read_word(text)
        return [participant(version) for version in CHOOSE[word.kind](self, word)]

    def one(self, name: str) -> Participant:
        if name in self.files:
            return self.files[name]
        return participant(version_named(self.connection, name, self.candidate.game))


def version_named(connection: Connection, name: str, game: str | None = None) -> Version:
    """Return the version of `kraken@v7`, or the present one of `kraken`, of that game first. Raises UnknownName."""
    named = read_name(name)
    try:
        bot = bots.find_bot(connection, named.bot, game)
    except UnknownName:
        bot = bots.find_bot(connection, named.bot)
    if named.number is not None:
        return versions.numbered(connection, bot, named.number)
    present = standings.present_version(connection, bot.id)
    if present is None:
        raise Refused(f"{bot.name} has no version on a board: name one, as in {bot.name}@v1")
    return versions.find_version(connection, present[0])


def named(asked: Opponents, word: Word) -> list[Version]:
    return [version_named(asked.connection, word.text, asked.candidate.game)]


def prior(asked: Opponents, word: Word) -> list[Version]:
    own = versions.versions_of(asked.connection, asked.candidate.bot_id)
    earlier = [one for one in own if one.number < asked.candidate.number and one.state == VersionState.ACCEPTED]
    return sorted(earlier, key=lambda version: version.number, reverse=True)[: word.most]


def predecessor(asked: Opponents, _: Word) -> list[Version]:
    """Return its bot's present version; for that itself the last before it on a board, or the first after it."""
    bot_id, candidate = asked.candidate.bot_id, asked.candidate
    present = standings.present_version(asked.connection, bot_id)
    if present is not None and present[0] != candidate.id:
        return [find(asked, present[0])]
    let_in = {stay.version_id for stay in standings.stays_of(asked.connection, bot_id)} - {candidate.id}
    others = {one.number: one for one in versions.versions_of(asked.connection, bot_id) if one.id in let_in}
    before = version_before(candidate.number, others)
    return [] if before is None else [others[before]]


def others_on_board(asked: Opponents) -> list[standings.Standing]:
    with asked.as_shown():
        rows = standings.board(asked.connection, asked.league_id)
    return [row for row in rows if row.version_id != asked.candidate.id]


def find(asked: Opponents, version_id: VersionId) -> Version:
    return versions.find_version(asked.connection, version_id)


Choose: TypeAlias = Callable[[Opponents, Word], list[Version]]
CHOOSE: Mapping[Kind, Choose] = {
    Kind.VERSION: named,
    Kind.BOSS: lambda asked, _: [find(asked, row.version_id) for row in others_on_board(asked) if row.is_boss],
    Kind.PREDECESSOR: predecessor,
    Kind.PRIOR: prior,
    Kind.BOARD_TOP: lambda asked, word: [find(asked, row.version_id) for row in others_on_board(asked)[: word.most]],
}
