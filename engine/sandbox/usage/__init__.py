"""What a program in a box uses: its time, its waits, its memory, and who else used its core.

meter       CPU time, waits and memory of a running program
family      the same of a program with all processes that it started
epolls      what the kernel holds for files that a program watches
budget      what a build is charged, and when that is too much
core_time   who has had the core of a match
standstill  seeing that a stopped program has stopped
"""
