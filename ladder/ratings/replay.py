"""Matches rated again, in the ledger's order: to see whether the ledger can be trusted, and to put it right.

How this works. A replay holds a rating and a record for each version. Versions begin with the ratings they began with
in the league, or with the league's fresh one. Fed with the same matches in the same order it comes to the same numbers,
to the last bit, as it rates by the very function that rates live; so comparing is by equality.

`verify` replays each league's finished matches from the ratings that versions began with there. What the replay gives
must be what the ledger says; what the ledger says last must be what the standings say; and the standings' counts must
be those of the matches: the record, and what promotions go by, with which seats are marked (`beat_boss` and
`discounted`). Everybody must have begun with the league's fresh rating. It reads in its caller's one snapshot, so a
ladder under load is seen between two recordings.

`rate_again` and what calls it: after a match is taken back, after rating settings changed, or to mend a broken ledger.
It first locks the standings (see `standings.hold`): it waits for what is being recorded, and later recordings wait for
it, so nothing comes between. A line keeps its place and only gets other numbers if it has them wrong; so the ledger
stays in its order, and little is written where little has changed. All of it is the caller's one transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from itertools import islice

from engine.errors import ArenaError, Refused, UnknownName
from engine.immutable import immutable
from engine.text import listed
from ladder.bots import versions
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.ids import LeagueId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.leagues.file import SettingChange
from ladder.leagues.leagues import League
from ladder.leagues.settings import RANKED_BY
from ladder.matches import match_rows, matches
from ladder.ratings import ledger, standings
from ladder.ratings.counts import HEADS, SUMS, Record, places_words
from ladder.ratings.ledger import MATCHES_AT_ONCE, LedgerMatch, Line, NewLine, PlayedSeat, StrangeLine
from ladder.ratings.models import Rating, RatingSettings, fresh, model_of, score
from ladder.ratings.standings import LedgerTally, begin_afresh, correct, marked, tallies

RATING_SETTINGS = frozenset({"rating_system", "mu", "sigma", "beta", "tau", "draw_probability"})
SCORE_SETTINGS = frozenset({"score_formula"})
"""The settings that only its board's order depends on."""
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

Outcome = tuple[VersionId, int, int, int, str | None]
"""A version's id, how many opponents were below, level and above, and its verdict."""


@dataclass(slots=True)
class RatingReplay:
    """Where a replay has come to. `ratings`: at first those that versions begin with; others begin fresh."""

    settings: RatingSettings
    ratings: dict[VersionId, Rating] = field(default_factory=dict[VersionId, Rating])
    _outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome], init=False)

    def rating_of(self, version_id: VersionId) -> Rating:
        return self.ratings.setdefault(version_id, fresh(self.settings))

    def rate(self, match: LedgerMatch) -> list[tuple[Rating, Rating]]:
        """Rate one more match; return the rating before and after, of each seat."""
        version_ids = [seat.version_id for seat in match.seats]
        before = [self.rating_of(version_id) for version_id in version_ids]
        after = model_of(self.settings).rate(before, match.places)
        self.ratings.update(zip(version_ids, after, strict=True))
        return list(zip(before, after, strict=True))

    def count(self, match: LedgerMatch) -> None:
        for seat, met in zip(match.seats, opponents_of(match.places), strict=True):
            self._outcomes[seat.version_id, *met, seat.verdict] += 1

    def records(self) -> dict[VersionId, Record]:
        records: dict[VersionId, Record] = {}
        for (version_id, below, level, above, verdict), times in self._outcomes.items():
            records[version_id] = records.get(version_id, Record()).plus(below, level, above, verdict, times)
        return records


@lru_cache(1000)
def opponents_of(places: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (sum(other > place for other in places), places.count(place) - 1, sum(other < place for other in places))
        for place in places
    )


@dataclass(slots=True)
class LedgerDifference:
    """One kind of thing that does not fit: the first that was found, in a sentence, and how many there are."""

    kind: str
    first: str
    count: int = 1


@dataclass(slots=True)
class LedgerReport:
    """What a check has looked at and what it found."""

    leagues: int = 0
    matches: int = 0
    lines: int = 0
    versions: int = 0
    differences: list[LedgerDifference] = field(default_factory=list[LedgerDifference])

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
        self.differences.append(LedgerDifference(kind, sentence))
        self.differences.sort(key=lambda difference: KINDS.index(difference.kind))


def verify(
    connection: Connection, leagues: Iterable[League], on_match: Callable[[], None] = lambda: None
) -> LedgerReport:
    """Check the ledger of leagues and return what was found. `on_match` is called for every match, for progress."""
    report = LedgerReport()
    for league in leagues:
        LeagueCheck(connection, league, report).run(on_match)
    return report


class LeagueCheck:
    """The check of one league."""

    def __init__(self, connection: Connection, league: League, report: LedgerReport) -> None:
        self._connection = connection
        self._league = league
        self._report = report
        self._tallies = standings.tallies(connection, league.id)
        self._marked = standings.marked(connection, league.id)
        settings = ledger.rating_settings(connection, league.id)
        self._replay = RatingReplay(settings, {version_id: tally.first for version_id, tally in self._tallies.items()})
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

    def _check_match(self, match: LedgerMatch) -> None:
        if not match.is_sound:
            self._tell("unclear result", f"match {match.id} is finished, but {what_seats_say(match)}")
            return
        self._replay.count(match)
        for seat in match.seats:
            if seat.version_id not in self._tallies:
                name = self._name(seat.version_id)
                self._tell("no standing", f"match {match.id} was played by {name}, which has no standing in the league")
            if seat.line is None:
                missing = f"has no line for {self._name(seat.version_id)} in the league's ledger"
                self._tell("not rated", f"match {match.id} is finished, but {missing}")
        if any(seat.line is not None for seat in match.seats):
            for seat, (before, after) in zip(match.seats, self._replay.rate(match), strict=True):
                self._check_line(match, seat, before, after)

    def _check_line(self, match: LedgerMatch, seat: PlayedSeat, before: Rating, after: Rating) -> None:
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

    def _check_standing(self, tally: LedgerTally, record: Record) -> None:
        beginning = fresh(self._replay.settings)
        if tally.first != beginning:
            words = f"{numbers_of(tally.first)}, the league's fresh rating is {numbers_of(beginning)}"
            self._tell("other beginning", f"{tally.name} began with {words}")
        line = self._last_lines.get(tally.version_id)
        rating = tally.first if line is None else line.after
        if tally.rating != rating:
            words = f"{numbers_of(tally.rating)}, the last of its lines that can be checked says {numbers_of(rating)}"
            self._tell("other standing", f"{tally.name} stands at {words}")
        right_score = score(self._replay.settings, tally.rating)
        if tally.score != right_score:
            formula = self._replay.settings.score_formula
            self._tell("other score", f"the score of {tally.name} is {tally.score!r}, {formula} gives {right_score!r}")
        by_matches = counts_of(record, self._marked.get(tally.version_id, (0, 0)))
        standings = counts_of(tally.record, tally.marked)
        for what, standing, counted in zip(COUNTED + MARKED, standings, by_matches, strict=True):
            if standing != counted:
                self._tell("other count", f"{tally.name} stands with {standing} {what}, its matches give {counted}")


def counts_of(record: Record, marked: tuple[int, int]) -> tuple[object, ...]:
    *numbers, places = astuple(record)
    return (*numbers, places_words(places) or "none", *marked)


def seats_left(left: int, players: int) -> str:
    return f"{NUMBERS[left]} {'seat' if left < 2 else 'seats'} instead of {NUMBERS[players]}"


def what_seats_say(match: LedgerMatch) -> str:
    for number, seat in enumerate(match.seats):
        for what, word in (("result", seat.result), ("verdict", seat.verdict)):
            if word is None:
                return f"seat {number} has no {what}"
    results = [str(seat.result) for seat in match.seats]
    if len(results) == 2 and sorted(results) not in (["loss", "win"], ["draw", "draw"]):
        return f"its seats say {' and '.join(results)}"
    return f"its seats say {listed([f'{seat.result} at place {seat.place}' for seat in match.seats])}"


def numbers_of(rating: Rating) -> str:
    return f"{rating.mu!r} ± {rating.sigma!r}"


@immutable
class Rewritten:
    """What rating a league again came to. `changed_lines`: removed, added, or with other numbers."""

    league_id: LeagueId
    matches: int
    changed_lines: int
    changed_standings: int


@immutable
class Voided:
    """A match that was taken back, and what that changed in its league; None where it was unrated."""

    match_id: MatchId
    league: str
    rewritten: Rewritten | None


def void_match(connection: Connection, match_id: MatchId, by: str, why: str) -> Voided:
    """Take a finished match back, its record kept, and rate its league again. Raises UnknownName, Refused."""
    standings.hold(connection)
    match = match_rows.find_match(connection, match_id)
    if match is None:
        raise UnknownName(f"there is no match {match_id}; `ladder match list` shows the latest")
    if match.state == MatchState.VOID:
        raise Refused(f"match {match_id} is void already: {match.reason}")
    league_id = matches.take_back(connection, match_id, by, why)
    if league_id is None:
        raise Refused(f"match {match_id} is {match.state}; only a finished match can be taken back")
    removed = connection.execute("DELETE FROM ledger WHERE match_id = %s", [match_id]).rowcount
    if not (match.rates or removed):
        return Voided(match_id, match.league, None)
    rewritten = rate_again(connection, league_id)
    return Voided(match_id, match.league, replace(rewritten, changed_lines=rewritten.changed_lines + removed))


def settings_changed(connection: Connection, league_id: LeagueId, changed: Collection[str]) -> None:
    """Rate a league again, as from its start, if what changed bears on ratings or scores. Standings are held."""
    if not (RATING_SETTINGS | SCORE_SETTINGS).isdisjoint(changed):
        rate_again(connection, league_id)
    if RANKED_BY in changed:
        standings.forget_fit(connection, league_id)


@immutable
class RatedAgain:
    """What changed settings mean for a league's ratings. `matches`: those that are rated again with them.

    None: no rating changes, and only the board has another order.
    """

    league: str
    matches: int | None


def rated_again(connection: Connection, game: str, changes: Iterable[SettingChange]) -> list[RatedAgain]:
    """Return what changes mean for the ratings of a game's leagues, of those that they concern."""
    changed = defaultdict[str, set[str]](set)
    for change in changes:
        changed[change.league].add(change.setting)
    concerned: list[RatedAgain] = []
    for league, settings in changed.items():
        if not RATING_SETTINGS.isdisjoint(settings):
            league_id = leagues.find_league(connection, game, league).id
            concerned.append(RatedAgain(league, ledger.count_finished(connection, [league_id])))
        elif not SCORE_SETTINGS.isdisjoint(settings):
            concerned.append(RatedAgain(league, None))
    return concerned


def recompute(
    connection: Connection, league_ids: Iterable[LeagueId], on_match: Callable[[], None] = lambda: None
) -> list[Rewritten]:
    """Rebuild ledger and standings of leagues from their finished matches; return what that changed in each."""
    standings.hold(connection)
    return [rate_again(connection, league_id, on_match) for league_id in league_ids]


def rate_again(connection: Connection, league_id: LeagueId, on_match: Callable[[], None] = lambda: None) -> Rewritten:
    """Bring a league's ledger and standings to what its finished matches give. The caller holds the standings.

    Everybody begins with the league's fresh rating. A match keeps its place in the ledger as long as its lines are
    sound; what was not rated is rated last. Raises ArenaError for a match that cannot be rated.
    """
    for match_id, left, players in ledger.lacking_seats(connection, league_id):
        raise ArenaError(f"match {match_id} has {seats_left(left, players)}: {take_back(match_id)}")
    changed = ledger.remove_unsound(connection, league_id)
    begin_afresh(connection, league_id)
    before = tallies(connection, league_id)
    settings = ledger.rating_settings(connection, league_id)
    replay = RatingReplay(settings, {version_id: tally.first for version_id, tally in before.items()})
    rated = 0
    played = ledger.played_in_order(connection, league_id)
    while batch := list(islice(played, MATCHES_AT_ONCE)):
        rated += len(batch)
        changed += rate_batch(connection, league_id, replay, batch, before)
        for _ in batch:
            on_match()
    marks = marked(connection, league_id)
    records = replay.records()
    corrected = 0
    for id_, tally in before.items():
        rating = replay.rating_of(id_)
        right = replace(
            tally,
            rating=rating,
            score=score(settings, rating),
            record=records.get(id_, Record()),
            marked=marks.get(id_, (0, 0)),
        )
        if right != tally:
            correct(connection, league_id, right)
            corrected += 1
    return Rewritten(league_id, rated, changed, corrected)


def rate_batch(
    connection: Connection,
    league_id: LeagueId,
    replay: RatingReplay,
    batch: Iterable[LedgerMatch],
    tallies: Container[VersionId],
) -> int:
    wrong: list[Line] = []
    missing: list[NewLine] = []
    for match in batch:
        check_can_be_rated(connection, match, tallies)
        replay.count(match)
        for seat, (before, after) in zip(match.seats, replay.rate(match), strict=True):
            if seat.line is None:
                missing.append(
                    NewLine(match.id, seat.version_id, league_id, before.mu, before.sigma, after.mu, after.sigma)
                )
            elif (seat.line.before, seat.line.after) != (before, after):
                wrong.append(Line(seat.line.sequence, before, after))
    ledger.correct(connection, wrong)
    connection.execute(ledger.APPEND, {"lines": ledger.as_objects(missing)})
    return len(wrong) + len(missing)


def check_can_be_rated(connection: Connection, match: LedgerMatch, tallies: Container[VersionId]) -> None:
    if not match.is_sound:
        raise ArenaError(f"match {match.id} cannot be rated, since {what_seats_say(match)}: {take_back(match.id)}")
    for seat in match.seats:
        if seat.version_id not in tallies:
            name = versions.find_version(connection, seat.version_id).name
            raise ArenaError(
                f"match {match.id} was played by {name}, which has no standing in the league: give it one with "
                f"`ladder bot activate {name}` if its bot plays there, or {take_back(match.id)}"
            )


def take_back(match_id: MatchId) -> str:
    return f"take it back with `ladder match void {match_id}`"
