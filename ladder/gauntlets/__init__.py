"""Gauntlets: is one version better than others?

verdict              what pairs say: is the question answered, and how?
order                from what somebody asks for, in words, to a gauntlet that can begin
lineup               words that name opponents, who takes part, and the one set of rules that says who can: pure
opponents            the versions that words mean
plan                 which pairs are played
local                a gauntlet that one process plays by itself
variants             variants of one bot, each compared with each other
running              asking for, going on, stopping, resuming, cleaning
gauntlets            their rows
host_check           machines whose results differ from the others'
report               all there is to say about one
headline             what one has found, in one sentence
gate                 gauntlets played whenever a version is submitted; versions that wait for the verdict
automatic_gauntlets  the rows of these
rendering            what people are shown of one: words, tables, JUnit XML
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.gauntlets import automatic_gauntlets as automatic_gauntlets
    from ladder.gauntlets import order as order
else:
    __getattr__ = lazily(__name__)
