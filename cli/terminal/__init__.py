"""How anything looks in a terminal.

table             tables that fit: numbers are never cut
steps             the progress of long work
words             short texts that several commands share
harmless_console  a console that emits no control character but its own
"""
