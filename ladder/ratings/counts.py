"""A version's record in a league: how many matches it played, and how they ended for it.

How this works. Every object that holds such counts embeds one `Record`, whose own keys stand in that object's JSON (see
`ladder.views.encoding`). In the database the counts are columns of their own, by the names of its fields: statements
are made from those, and `with_record` reads them. A field that counts verdicts says which, and how tables head it:
recording, rating again, `rating verify`, frozen boards, terminal, pages and CSV follow that one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, ClassVar, LiteralString, TypeVar

from engine.conversation import Verdict
from engine.immutable import immutable
from engine.text import ordinal
from ladder.database.schema import names_of_fields

T = TypeVar("T")


def verdicts(head: str, *counted: Verdict) -> int:
    """Return a field of `Record` that counts matches by the own verdict. `head`: of its column."""
    return field(default=0, metadata={"head": head, "verdicts": sorted(counted)})


def battles_text(matches: int, battle_matches: int) -> str:
    """Write matches as battles, of each `battle_matches`."""
    return f"{matches / battle_matches:.{1 if matches % battle_matches else 0}f}"


@immutable
class Record:
    """How often a version has played, won, and so on.

    In a match of more than two players each opponent counts once: one that is placed below as a win, and so on.
    `places`: how often it came 1st, 2nd and so on in such matches; none where every match has two players.
    """

    IF_ANY: ClassVar = ("places",)

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = verdicts("time-outs", Verdict.TIMEOUT)
    faults: int = verdicts("faults", *set(Verdict) - {Verdict.OK, Verdict.TIMEOUT})
    places: tuple[int, ...] = ()

    @property
    def met(self) -> int:
        """Return how many opponents it met, each as often as it did."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def won_drawn_lost(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"

    @property
    def mean_place(self) -> float | None:
        times = sum(self.places)
        return sum(place * count for place, count in enumerate(self.places, 1)) / times if times else None

    def plus(self, below: int, level: int, above: int, verdict: str | None, times: int = 1) -> Record:
        return Record(
            self.matches + times,
            self.wins + times * below,
            self.draws + times * level,
            self.losses + times * above,
            **{name: getattr(self, name) + times * (verdict in which) for name, which in BY_VERDICT.items()},
            places=with_place(self.places, above + 1, times) if below + level + above > 1 else self.places,
        )

    def for_players(self, players: Iterable[int]) -> Record:
        """Return the same with a count for each place that there is in matches of these numbers of players."""
        most = max(players)
        return replace(self, places=with_place(self.places, most, 0)) if most > 2 else self


COUNTS: tuple[LiteralString, ...] = names_of_fields(Record)
SUMS: tuple[LiteralString, ...] = tuple(name for name in COUNTS if name != "places")
HEADS: Mapping[str, str] = {one.name: one.metadata.get("head", one.name) for one in fields(Record)}
"""What each is called above its column."""
BY_VERDICT: Mapping[LiteralString, Sequence[LiteralString]] = {
    name: list[LiteralString](one.metadata["verdicts"])
    for name, one in zip(COUNTS, fields(Record), strict=True)
    if one.metadata
}
FAULT_COUNTS: Mapping[str, str] = {HEADS[name]: name for name in BY_VERDICT}
"""Those that tables show one by one: what a version lost by its own doing, by the heads of their columns."""
COLUMNS: LiteralString = ", ".join(COUNTS)
COLUMNS_AS_SHOWN: LiteralString = ", ".join(SUMS) + ", every_place(places, players) AS places"
"""As a statement reads them with each place that there is, where `players` are the league's."""
COUNTED_VERDICTS: LiteralString = ", ".join(
    "count(*) FILTER (WHERE verdict = ANY('{" + ",".join(which) + "}')) AS " + name
    for name, which in BY_VERDICT.items()
)
"""As a statement counts them in seats."""


def most_places(records: Iterable[Record]) -> int:
    """Return how many places there are for these records; 0 where every match has two players."""
    return max((len(record.places) for record in records), default=0)


def with_place(places: Sequence[int], place: int, times: int) -> tuple[int, ...]:
    counts = [*places, *[0] * (place - len(places))]
    counts[place - 1] += times
    return tuple(counts)


def places_words(places: Sequence[int]) -> str:
    return "/".join(map(str, places))


def places_text(places: Sequence[int]) -> str:
    """Say how often each place was taken: "1st 12 times, 3rd once"; "" where none was."""
    return ", ".join(
        f"{ordinal(place)} {'once' if times == 1 else f'{times} times'}"
        for place, times in enumerate(places, 1)
        if times
    )


def record_of(columns: Iterable[Any]) -> Record:
    """Return a record of its columns, which are in the order of `COUNTS`."""
    values = dict(zip(COUNTS, columns, strict=True))
    return Record(**{**values, "places": tuple(values["places"])})


def columns_of(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in SUMS} | {"places": list(record.places)}


def with_record(of: Callable[..., T]) -> Callable[..., T]:
    """Return what makes a row of its columns, and puts those of a record into the field `record`."""

    def make(**columns: Any) -> T:
        record = record_of([columns.pop(name) for name in COUNTS])
        return of(record=record, **columns)

    return make
