"""Matches in lists: the latest of a bot, or those that a filter picks, with their seats."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from engine.conversation import reason_word
from engine.errors import Refused
from engine.immutable import immutable
from ladder.bots import versions
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.filters import RESULTS, Filter, Option, bot_in, check_names, from_options
from ladder.matches.match_rows import MatchRow, SeatRow, latest_matches
from ladder.names import NamedVersion, read_name, read_version
from ladder.row_limits import require_limit

RESULT_WORDS = {stored: word for word, stored in RESULTS.items()}


@immutable
class ListedMatch:
    """A match in a list with its seats. `own_result`: won, drawn or lost, from the side that the list is about."""

    MERGED: ClassVar = ("match",)

    match: MatchRow
    seats: list[SeatRow]
    own_result: str | None = None


def with_seats(connection: Connection, matches: list[MatchRow], of: NamedVersion | None = None) -> list[ListedMatch]:
    """Add their seats to matches. `of`: the bot or version that the list is about."""
    by_match = match_rows.seats_by_match(connection, [match.id for match in matches])
    return [
        ListedMatch(plainly_ended(match, seats := by_match[match.id]), seats, own_result(seats, of))
        for match in matches
    ]


def plainly_ended(match: MatchRow, seats: Sequence[SeatRow]) -> MatchRow:
    """Return a match with the fault by which it ended in the place of its game's own word for that."""
    if match.state != MatchState.FINISHED:
        return match
    return replace(match, reason=reason_word(match.reason, [seat.verdict for seat in seats]))


def own_result(seats: list[SeatRow], of: NamedVersion | None) -> str | None:
    """Return how a match ended for a bot or version; None where it is not known, or has both seats."""
    results = [seat.result for seat in seats if of is not None and is_of(seat, of)]
    return RESULT_WORDS.get(results[0] or "") if len(results) == 1 else None


def is_of(seat: SeatRow, of: NamedVersion) -> bool:
    bot, number = read_version(seat.version)
    return bot.lower() == of.bot.lower() and of.number in {None, number}


@immutable
class Listing:
    """Matches that are over, and the bot or version that they are listed for, if they are."""

    matches: list[ListedMatch]
    of: NamedVersion | None


def wanted_by(options: Sequence[tuple[str, str, str, str | None]], where: str | None) -> Filter | None:
    """Read what a command's options with a text, and its filter in words, pick. Raises FilterFault."""
    options_given = [Option(name, field, sign, text) for name, field, sign, text in options if text is not None]
    return from_options(options_given, where)


def latest(
    connection: Connection, limit: int, bot: str | None = None, game: str | None = None, wanted: Filter | None = None
) -> Listing:
    """Return the matches that were over last, perhaps of one bot. Raises UnknownName, UsageFault, FilterFault."""
    require_limit(limit)
    leagues.check_game(connection, game)
    if wanted is not None:
        check_names(connection, wanted)
    name = bot if bot is not None or wanted is None else bot_in(wanted)
    if name is None:
        return Listing(with_seats(connection, latest_matches(connection, limit, game=game, wanted=wanted)), None)
    named = read_name(name)
    bot_row, version = versions.find_named(connection, named, game)
    meant = NamedVersion(bot_row.name, named.number)
    rows = latest_matches(connection, limit, bot_row.id, game, None if version is None else version.id, wanted)
    return Listing(with_seats(connection, rows, meant), meant)


def latest_of_bot(connection: Connection, bot: str, game: str | None = None, wanted: Filter | None = None) -> MatchId:
    """Return the latest match of a bot or version, of those that a filter picks. Raises as `latest`, or Refused."""
    matches = latest(connection, 1, bot, game, wanted).matches
    if not matches:
        fits = "no match that fits" if wanted else "no match that is over"
        raise Refused(f"{bot} has {fits}; `ladder match list --bot {bot}` lists its matches")
    return matches[0].match.id
