"""Gauntlets: is one version better than others?

verdict              what pairs say: is the question answered, and how?
order                from what somebody asks for, in words, to a gauntlet that can begin; the versions that words mean
lineup               words that name opponents, who takes part, and the one set of rules that says who can: pure
plan                 which pairs are played
local                a gauntlet that one process plays by itself
variants             variants of one bot, each compared with each other
execution            asking for, going on, stopping, resuming, cleaning; the gate before a board
gauntlets            their rows
host_check           machines whose results differ from the others'
report               all there is to say about one
rendering            the same in words: sentences, tables
junit                the same as JUnit XML, for CI systems
automatic_gauntlets  gauntlets played whenever a version is submitted, and the versions that wait for the verdict: rows
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.gauntlets import automatic_gauntlets as automatic_gauntlets
    from ladder.gauntlets import host_check as host_check
    from ladder.gauntlets import order as order
    from ladder.gauntlets import rendering as rendering
else:
    __getattr__ = lazily(__name__)
