"""Variants of one bot, which differ in their parameters: each is compared with each other on the same seeds. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from engine.errors import UsageFault
from engine.immutable import immutable
from engine.text import listed, shortened
from engine.toolchains.params import Params, check_params, params_text
from ladder.gauntlets.plan import Slot, seed_of
from ladder.ids import VersionId
from ladder.statistics.elo import EloInterval, estimate

MOST = 8
"""Compared with each other; each further one takes as many matches more as there are others."""


def variants_of(words: Iterable[str], common: Params) -> list[dict[str, str]]:
    """Read DEPTH=4,6,8: each value with each of the others. `common`: what all have besides. Raises UsageFault."""
    values: dict[str, list[str]] = {}
    for word in words:
        name, equals, rest = word.partition("=")
        several = rest.split(",")
        if not equals or len(several) < 2:
            raise UsageFault(f"--vary {shortened(word)} does not name several values: write it as in DEPTH=4,6,8")
        if name in values or name in common:
            raise UsageFault(f"--vary: the parameter {shortened(name)} comes twice")
        if len(set(several)) < len(several):
            raise UsageFault(f"--vary {shortened(word)} names a value twice")
        values[name] = several
    variants = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    if len(variants) > MOST:
        raise UsageFault(f"--vary makes {len(variants)} variants; {MOST} is the limit")
    for variant in variants:
        check_params({**common, **variant})
    return variants


def chosen_variants(words: Sequence[str], common: Params) -> tuple[Params, ...]:
    if words:
        return tuple({**common, **variant} for variant in variants_of(words, common))
    return (common,) if common else ()


def names_of(variants: Sequence[Params]) -> list[str]:
    names = {
        name for params in variants for name in params if any(other.get(name) != params[name] for other in variants)
    }
    return [params_text({name: value for name, value in params.items() if name in names}) for params in variants]


@immutable
class RoundRobin:
    """The pairs that variants play: all meet all on each seed, in turn with one seat or all others. `pairs`: of two."""

    variants: int
    pairs: int
    seed: int
    seeds: Sequence[int] | None = None
    seed_bits: int = 64
    players: int = 2

    @property
    def meetings(self) -> list[tuple[VersionId, VersionId]]:
        return list(combinations([VersionId(number) for number in range(self.variants)], 2))

    @property
    def slots(self) -> int:
        return self.pairs * len(self.meetings)

    def slot(self, number: int) -> Slot:
        seed_number, meeting = divmod(number, len(self.meetings))
        seed = seed_of(self.seed, self.seeds, seed_number, self.seed_bits)
        first, second = self.meetings[meeting]
        if self.players == 2:
            return Slot(number, seed, first, second)
        single, many = (second, first) if seed_number % 2 else (first, second)
        return Slot(number, seed, single, many, (many,) * (self.players - 1))


@immutable
class ComparedVariants:
    """What two variants did: `counts` of pairs, and the first's `share` of points, 0 to 1; None while unknown."""

    first: str
    second: str
    pairs: int
    counts: list[int]
    share: float | None
    elo: EloInterval | None


@immutable
class VariantScore:
    """A variant and the share of all its points, 0 to 1; None before anything was played."""

    name: str
    params: Params
    share: float | None


@immutable
class VariantComparison:
    """All variants, best first, and how each two did. `pairs`: planned for each two; `state`: finished or stopped."""

    game: str
    league: str
    bot: str
    seed: int
    pairs: int
    state: str
    variants: list[VariantScore]
    compared: list[ComparedVariants]


@dataclass(slots=True)
class PairPoints:
    """Half-points of pairs that the first of each two took. `most`: that a pair has."""

    most: int
    played: dict[tuple[VersionId, VersionId], list[int]] = field(
        default_factory=dict[tuple[VersionId, VersionId], list[int]]
    )

    def take(self, slot: Slot, half_points: int) -> None:
        """Count a pair. `half_points`: of the variant that had every seat once, also where it is the second one."""
        first, second = sorted((slot.version_id, slot.opponent_id))
        of_first = half_points if first == slot.version_id else self.most - half_points
        self.played.setdefault((first, second), []).append(of_first)

    def compared(self, names: Sequence[str]) -> list[ComparedVariants]:
        return [
            compared(names[first], names[second], self.played.get((first, second), []), self.most)
            for first, second in combinations([VersionId(number) for number in range(len(names))], 2)
        ]

    def share_of(self, variant: int) -> float | None:
        played = [(first, pairs) for (first, second), pairs in self.played.items() if variant in {first, second}]
        points = [pair if first == variant else self.most - pair for first, pairs in played for pair in pairs]
        return sum(points) / (self.most * len(points)) if points else None

    def scores(self, names: Sequence[str], params: Sequence[Params]) -> list[VariantScore]:
        scores = [VariantScore(name, params[number], self.share_of(number)) for number, name in enumerate(names)]
        return sorted(scores, key=lambda score: -(score.share or 0.0))


def compared(first: str, second: str, half_points: Sequence[int], most: int) -> ComparedVariants:
    """Sum up the pairs that two played. `half_points`: that the first took of each; `most`: that a pair has."""
    shares = [pair / most for pair in half_points]
    share = sum(shares) / len(shares) if shares else None
    counts = [half_points.count(outcome) for outcome in range(most + 1)]
    elo = None
    if len(shares) > 1:
        by_pairs = estimate(counts)
        elo = EloInterval(by_pairs.elo, by_pairs.low, by_pairs.high)
    return ComparedVariants(first, second, len(shares), counts, share, elo)


def conclusion(comparison: VariantComparison) -> str:
    best = comparison.variants[0]
    if best.share is None:
        return "nothing was played, so nothing is known"
    share = f"{100 * best.share:.1f} % of all points"
    equal = [variant.name for variant in comparison.variants if variant.share == best.share]
    if len(equal) > 1:
        return f"{listed(equal)} did equally well ({share})"
    beaten = beaten_by(comparison, best.name)
    rivals = [other.name for other in comparison.variants[1:] if other.name not in beaten]
    if not rivals:
        return f"{best.name} is better than every other variant with 95 % confidence ({share})"
    return f"{best.name} did best ({share}), but is not clearly better than {listed(rivals)}"


def beaten_by(comparison: VariantComparison, name: str) -> set[str]:
    rows = [(row.first, row.second, row.elo) for row in comparison.compared if row.elo is not None]
    as_first = {second for first, second, elo in rows if first == name and elo.low > 0}
    return as_first | {first for first, second, elo in rows if second == name and elo.high < 0}
