"""What results say: pure mathematics.

elo            results as counts of pairs, and differences of strength after a series of fixed length
seats          does somebody do better in one seat than in the other?
sprt           the sequential test, and an estimate of strength after one that stopped early
sprt_settings  the question that it answers
common_seeds   two versions compared on the same seeds and opponents
davidson       the strength of versions by all their matches at once
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.statistics import common_seeds as common_seeds
    from ladder.statistics import sprt as sprt
else:
    __getattr__ = lazily(__name__)
