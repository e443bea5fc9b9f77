"""`ladder web`: the pages in a browser, and the same data as JSON.

command   what it does: on a port of this machine, or on a socket
serving   the process that it turns into then
finding   the address of the pages of a running ladder, for other commands
"""
