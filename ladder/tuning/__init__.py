"""Tunes: with which values of its parameters does a bot play best?

parameters  parameters, their ranges, and the values in them: pure
plan        which matches a pair is, and the rule by which pairs move the values: pure
report      what the pairs say: paths with their uncertainty, the expected gain, what is not read; in words too: pure
execution   from what somebody asks for to a tune that can begin; going on, and asking for the gauntlet that confirms
tunes       their rows
local       a tune that one process plays by itself, and its file
"""
