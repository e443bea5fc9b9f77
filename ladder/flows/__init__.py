"""Transactions that tie several concepts together.

submission    a version: stored, built, tried, let onto the board or rejected
scheduling    promotions, new matches, and the sweep after lost workers
leaving       bots that are retired, or disqualified and reinstated
recording     a match's result, ratings and ledger lines: all or nothing
recordings    the statements that write how a match ended
held_standings  those that write its ratings and ledger lines
games         games of the ladder as they come, change and go
installation  the games' leagues and their bosses
"""
