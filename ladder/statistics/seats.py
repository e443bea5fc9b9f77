"""Does somebody do better in one seat than in another, by more than chance?

How this works. If the seat made no difference, any match could as well have been played in the other one. So the
difference of the two shares of points is compared with how far it would scatter if the results were dealt out to the
seats by chance (the permutation test, by its normal approximation: its variance is that of all results together).

Of more than two seats it is the same test of all of them at once (Kruskal and Wallis), whose distance has a chi-square
distribution. There each opponent of a match counts once. Their results share the luck of the match: two of them against
equals correlate by a third, so those of n players scatter (n + 1) / 3 times as much as independent ones would.
"""

from collections.abc import Iterable, Sequence
from math import erfc, exp, fsum, gamma, sqrt

from engine.immutable import immutable

FEWEST_MATCHES = 10
"""In each seat; fewer prove nothing."""
RARE = 0.001
"""A difference is clear where chance alone brings one as large more rarely than this: many bots are looked at."""


@immutable
class SeatRecord:
    """How somebody did in one seat."""

    seat: int
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        return self.won + self.drawn / 2

    @property
    def share(self) -> float:
        """Return the share of the points, 0 to 1; one half while nothing was played."""
        return self.points / self.matches if self.matches else 0.5

    @property
    def text(self) -> str:
        """Return won, drawn and lost as `12-3-4`."""
        return f"{self.won}-{self.drawn}-{self.lost}"


BySeat = tuple[SeatRecord, ...]
"""As player 0, as player 1, and so on; two at least."""


def every_seat(seat_records: Iterable[SeatRecord]) -> BySeat:
    """Return records in the order of their seats, with empty ones of those that were not played up to the last one."""
    by_seat = {record.seat: record for record in seat_records}
    return tuple(by_seat.get(seat, SeatRecord(seat)) for seat in range(max([1, *by_seat]) + 1))


def records(half_points: Sequence[Sequence[int]], players: int = 2) -> BySeat:
    """Count half points by seat: 2 for each opponent left behind counts as a win, a single one as a draw."""
    seat_records: list[SeatRecord] = []
    for seat in range(players):
        won = sum(of_match[seat] // 2 for of_match in half_points)
        drawn = sum(of_match[seat] % 2 for of_match in half_points)
        seat_records.append(SeatRecord(seat, won, drawn, (players - 1) * len(half_points) - won - drawn))
    return tuple(seat_records)


def p_value(by_seat: BySeat) -> float:
    """Return how often chance alone brings so large a difference between the seats, 0 to 1."""
    played = [record for record in by_seat if record.matches]
    matches = sum(record.matches for record in played)
    if len(played) < 2:
        return 1.0
    mean = sum(record.points for record in played) / matches
    squares = sum(record.won for record in played) + sum(record.drawn for record in played) / 4
    variance = (squares - matches * mean**2) / (matches - 1)
    if variance <= 0:
        return 1.0
    if len(by_seat) == 2:
        first, second = by_seat
        deviation = sqrt(variance * (1 / first.matches + 1 / second.matches))
        return erfc(abs(first.share - second.share) / deviation / sqrt(2))
    apart = sum(record.matches * (record.share - mean) ** 2 for record in played) / variance
    return chance_beyond(apart / ((len(by_seat) + 1) / 3), len(played) - 1)


def chance_beyond(distance: float, freedom: int) -> float:
    """Return how likely a chi-square variable of that many degrees of freedom is beyond a distance."""
    half = distance / 2
    if freedom % 2 == 0:
        return exp(-half) * fsum(half**power / gamma(power + 1) for power in range(freedom // 2))
    terms = (half ** (power + 0.5) / gamma(power + 1.5) for power in range(freedom // 2))
    return erfc(sqrt(half)) + exp(-half) * fsum(terms)


def differ(by_seat: BySeat) -> bool:
    enough = min(record.matches for record in by_seat) >= FEWEST_MATCHES
    return enough and p_value(by_seat) < RARE


def sentence(name: str, by_seat: BySeat) -> str:
    """Say in which seat somebody does better, where that is clear; else ""."""
    if not differ(by_seat):
        return ""
    better, *_, worse = sorted(by_seat, key=lambda record: record.share, reverse=True)
    return (
        f"{name} takes {100 * better.share:.0f} % of the points as player {better.seat} and {100 * worse.share:.0f} % "
        f"as player {worse.seat}: more than chance. If the game favours no seat, look for a bug as player {worse.seat}"
    )
