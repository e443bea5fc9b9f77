"""Recorded matches of referee programs: put to the program once more, and as files that other programs write.

repeat_match  a match once more, with the same answers: whether the referee asks the same
runner_file   the file that runners of CodinGame's SDK write
verifying     whether a referee does what such a file says
"""
