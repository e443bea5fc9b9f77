"""Whether the ledger can be trusted: every number reproduced, every finished match rated once, every count adding up.

How this works. Each league's finished matches are replayed in the ledger's order, from the ratings that versions began
with there. What the replay gives must be what the ledger says, bit for bit; what the ledger says last must be what the
standings say; and the standings' counts must be those of the matches: the record, and what promotions go by, with which
seats are marked (`beat_boss` and `discounted`). Everybody must have begun with the league's fresh rating. It reads in
its caller's one snapshot, so a ladder under load is seen between two recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, field

from engine.text import listed
from ladder.bots import versions
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.ids import VersionId
from ladder.leagues.leagues import League
from ladder.ratings import ledger, standings
from ladder.ratings.counts import HEADS, SUMS, Record, places_words
from ladder.ratings.ledger import Line, PlayedMatch, PlayedSeat, StrangeLine
from ladder.ratings.models import Rating, fresh, score
from ladder.ratings.rerate import Replay
from ladder.ratings.standings import Tally

COUNTED = (*(HEADS[name] for name in SUMS), "as places")
MARKED = ("wins against the boss", "matches from before it went back")
"""What promotions go by, besides the rank and the number of matches."""
BROKEN_ROWS = ("missing seat", "unclear result", "no standing")
"""Kinds of differences that rating again cannot mend: it does not know what the rows have said."""
KINDS = (
    *BROKEN_ROWS,
    *("rated without cause", "not rated", "out of order", "other beginning"),
    *("other number", "other standing", "other score", "other count"),
)
"""All kinds, causes before what may follow from them."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(slots=True)
class Difference:
    """One kind of thing that does not fit: the first that was found, in a sentence, and how many there are."""

    kind: str
    first: str
    count: int = 1


@dataclass(slots=True)
class Report:
    """What a check has looked at and what it found."""

    leagues: int = 0
    matches: int = 0
    lines: int = 0
    versions: int = 0
    differences: list[Difference] = field(default_factory=list[Difference])

    @property
    def is_clean(self) -> bool:
        return not self.differences

    @property
    def can_be_rebuilt(self) -> bool:
        return not any(difference.kind in BROKEN_ROWS for difference in self.differences)

    def add(self, kind: str, sentence: str) -> None:
        """Write down something that does not fit. Causes stand before what may follow from them."""
        for difference in self.differences:
            if difference.kind == kind:
                difference.count += 1
                return
        self.differences.append(Difference(kind, sentence))
        self.differences.sort(key=lambda difference: KINDS.index(difference.kind))


def verify(connection: Connection, leagues: Iterable[League], on_match: Callable[[], None] = lambda: None) -> Report:
    """Check the ledger of leagues and return what was found. `on_match` is called for every match, for progress."""
    report = Report()
    for league in leagues:
        LeagueCheck(connection, league, report).run(on_match)
    return report


class LeagueCheck:
    """The check of one league."""

    def __init__(self, connection: Connection, league: League, report: Report) -> None:
        self._connection = connection
        self._league = league
        self._report = report
        self._tallies = standings.tallies(connection, league.id)
        self._marked = standings.marked(connection, league.id)
        settings = ledger.rating_settings(connection, league.id)
        self._replay = Replay(settings, {version_id: tally.first for version_id, tally in self._tallies.items()})
        self._last_lines: dict[VersionId, Line] = {}

    def run(self, on_match: Callable[[], None]) -> None:
        self._report.leagues += 1
        for match in ledger.played_in_order(self._connection, self._league.id):
            self._report.matches += 1
            self._check_match(match)
            on_match()
        for match_id, left, players in ledger.lacking_seats(self._connection, self._league.id):
            self._report.matches += 1
            self._tell("missing seat", f"match {match_id} is finished, but has {seats_left(left, players)}")
            on_match()
        for line in ledger.strange_lines(self._connection, self._league.id):
            words = f"line {line.sequence} of the ledger rates {line.version} for match {line.match_id}"
            self._tell("rated without cause", f"{words}, {self._why_strange(line)}")
        records = self._replay.records()
        for tally in self._tallies.values():
            self._report.versions += 1
            self._check_standing(tally, records.get(tally.version_id, Record()))

    def _tell(self, kind: str, sentence: str) -> None:
        self._report.add(kind, f"{self._league.game}, {self._league.name}: {sentence}")

    def _name(self, version_id: VersionId) -> str:
        tally = self._tallies.get(version_id)
        return versions.find_version(self._connection, version_id).name if tally is None else tally.name

    def _why_strange(self, line: StrangeLine) -> str:
        if line.state != MatchState.FINISHED:
            return f"which is {line.state}"
        if line.league_id != self._league.id:
            return f"which was played in {line.league}"
        return "in which it did not play" if line.rates else "which is unrated"

    def _check_match(self, match: PlayedMatch) -> None:
        if not match.is_sound:
            self._tell("unclear result", f"match {match.id} is finished, but {what_seats_say(match)}")
            return
        self._replay.count(match)
        for seat in match.seats:
            if seat.version_id not in self._tallies:
                name = self._name(seat.version_id)
                self._tell("no standing", f"match {match.id} was played by {name}, which has no standing in the league")
            if seat.line is None:
                name = self._name(seat.version_id)
                self._tell(
                    "not rated", f"match {match.id} is finished, but has no line for {name} in the league's ledger"
                )
        if any(seat.line is not None for seat in match.seats):
            for seat, (before, after) in zip(match.seats, self._replay.rate(match), strict=True):
                self._check_line(match, seat, before, after)

    def _check_line(self, match: PlayedMatch, seat: PlayedSeat, before: Rating, after: Rating) -> None:
        line = seat.line
        if line is None:
            return
        self._report.lines += 1
        name = self._name(seat.version_id)
        for word, written, replayed in (("before", line.before, before), ("after", line.after, after)):
            if written != replayed:
                numbers = f"the ledger says {numbers_of(written)}, the replay gives {numbers_of(replayed)}"
                self._tell("other number", f"rating of {name} {word} match {match.id}: {numbers}")
        last = self._last_lines.get(seat.version_id)
        if last is not None and last.sequence > line.sequence:
            self._tell("out of order", f"line {line.sequence} of {name} comes before one of an earlier match")
        self._last_lines[seat.version_id] = line

    def _check_standing(self, tally: Tally, record: Record) -> None:
        beginning = fresh(self._replay.settings)
        if tally.first != beginning:
            words = f"{numbers_of(tally.first)}, the league's fresh rating is {numbers_of(beginning)}"
            self._tell("other beginning", f"{tally.name} began with {words}")
        line = self._last_lines.get(tally.version_id)
        rating = tally.first if line is None else line.after
        if tally.rating != rating:
            words = f"{numbers_of(tally.rating)}, the last of its lines that can be checked says {numbers_of(rating)}"
            self._tell("other standing", f"{tally.name} stands at {words}")
        wanted = score(self._replay.settings, tally.rating)
        if tally.score != wanted:
            formula = self._replay.settings.score_formula
            self._tell("other score", f"the score of {tally.name} is {tally.score!r}, {formula} gives {wanted!r}")
        counted = counts_of(record, self._marked.get(tally.version_id, (0, 0)))
        standings = counts_of(tally.record, tally.marked)
        for what, standing, found in zip(COUNTED + MARKED, standings, counted, strict=True):
            if standing != found:
                self._tell("other count", f"{tally.name} stands with {standing} {what}, its matches give {found}")


def counts_of(record: Record, marked: tuple[int, int]) -> tuple[object, ...]:
    *numbers, places = astuple(record)
    return (*numbers, places_words(places) or "none", *marked)


def seats_left(left: int, players: int) -> str:
    return f"{NUMBERS[left]} {'seat' if left < 2 else 'seats'} instead of {NUMBERS[players]}"


def what_seats_say(match: PlayedMatch) -> str:
    for number, seat in enumerate(match.seats):
        for what, held in (("result", seat.result), ("verdict", seat.verdict)):
            if held is None:
                return f"seat {number} has no {what}"
    results = [str(seat.result) for seat in match.seats]
    if len(results) == 2 and sorted(results) not in (["loss", "win"], ["draw", "draw"]):
        return f"its seats say {' and '.join(results)}"
    return f"its seats say {listed([f'{seat.result} at place {seat.place}' for seat in match.seats])}"


def numbers_of(rating: Rating) -> str:
    return f"{rating.mu!r} ± {rating.sigma!r}"
