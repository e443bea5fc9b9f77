"""Gauntlets in words, for terminals, pages and files alike.

sentences    what one has found and how far it is, in sentences
table        how it did against each opponent, as a table; what it is called
comparisons  a gauntlet of variants
junit        a gauntlet as JUnit XML, for CI systems
path         how the log-likelihood ratio of a sequential test went
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.gauntlets.rendering import table as table
else:
    __getattr__ = lazily(__name__)
