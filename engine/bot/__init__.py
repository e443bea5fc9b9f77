"""A live bot: its bytes, its time, its end.

process       a program in a sandbox that is asked and answers, one line a turn, within its time
output        what comes out of one: replies, their lines, debug output and the metrics in it
clock         what a turn costs, and when that is too much: pure
stopwatch     taking the times that the clock judges
runtime_work  the work of compilers' and collectors' threads, and the allowance for it
conditions    what a league's bots may use, and how their time is counted
"""
