"""How anything looks in a terminal.

table             tables that fit: numbers are never cut
typed             how this program is typed, and lists of commands to type next
steps             the progress of long work
words             short texts that several commands share
quoting           strangers' words shown harmlessly
harmless_console  a console that emits no control character but its own
"""
