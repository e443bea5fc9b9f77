"""`ladder gauntlet`: is this version better than the ones before it?

run          `run`: begins a gauntlet, and follows it
show         `show`
commands     `list`, `stop`, `resume` and `purge`
printing     how it goes and its result, as they are printed
options      the options that say what is played, shared by `run` and `auto`
lineup       the participants of a local gauntlet: files and stored versions
results      the gauntlets of a bot's versions
auto         `auto`: gauntlets that are played whenever a version is submitted
stats        `stats`: what counts of pairs say
"""
