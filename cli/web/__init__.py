"""`ladder web`: the pages in a browser, and the same data as JSON.

command  what it does: on a port of this machine, or on a socket
process  the process that it turns into then
address  the address of the pages of a running ladder, for other commands
"""
