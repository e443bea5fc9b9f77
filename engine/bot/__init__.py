"""A live bot: its bytes, its time, its end.

reply         what comes back from a bot that is asked, and how one ended
process       a program in a sandbox that is asked and answers, one line a turn, within its time
lines         lines out of bytes, as CodinGame reads them
stderr        what is kept of a bot's debug output
clock         what a turn costs, and when that is too much: pure
stopwatch     taking the times that the clock judges
runtime_work  the work of compilers' and collectors' threads, and the allowance for it
conditions    what a league's bots may use, and how their time is counted
"""
