"""The exit statuses of every command."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """What a command's exit status means; the errors of `engine.errors` carry the same numbers."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    MISSING_TOOL = 5
    UNDECIDED = 6
    BUSY = 7
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """The reader of the output is gone, as after `| head`; shells use this for programs that end by SIGPIPE."""
