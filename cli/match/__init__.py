"""`ladder match`: what was played, how it went, and asking for more.

commands       the commands
failure_texts  what went wrong with a match, for people
allowances     what a match used of the allowance for runtimes' own work
replay         a stored match played again
requests       battles that somebody asks for
request_texts  how such requests look
"""
