"""Kind `command`: one command plays a whole match, and starts the bots itself.

Nothing of such a match is Ladder's: no questions, no clock, no boxes between the bots. So it is played only where
somebody has said that the bots are trusted.

words     the words of the command: what stands for the seed and the bots, and what takes its place
playing   one match: everything in one box, with a limit on the whole
"""
