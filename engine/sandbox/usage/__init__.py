"""What a program in a box uses: its time, its waits, its memory, and who else used its core.

meter       CPU time, waits and memory of a running program, with what the kernel holds for files that it watches
budget      the same of a program with all that it started; what a build is charged, and when that is too much
standstill  who has had the core of a match; seeing that a stopped program has stopped
"""
