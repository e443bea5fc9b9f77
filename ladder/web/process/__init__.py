"""The process behind the pages.

server       its priority, its log and its end
listening    where it listens: a free port, or a socket in the file system
connections  the way to a database that may go and come back
"""
