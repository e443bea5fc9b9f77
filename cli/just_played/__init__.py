"""Matches that were just played here, by `ladder play` or `ladder match rematch`.

seating  who sat where, and what the bot that was named first got
texts    how such a match looks
"""
