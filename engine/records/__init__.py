"""Recorded matches of referee programs: put to the program once more, and as files that other programs write.

repeat_match   a match once more, with the answers of a record or a file: whether the referee asks the same
runner_file    the file that runners of CodinGame's SDK write
case_file      a position in which a bot must answer otherwise than it did
official_file  a match of the official site, as players save it, led again by the referee that is here
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from engine.records import official_file as official_file
else:
    __getattr__ = lazily(__name__)
