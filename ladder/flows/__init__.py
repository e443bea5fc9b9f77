"""Transactions that tie several concepts together.

submission    a version: stored, built, tried, let onto the board or rejected
scheduling    promotions, new matches, and the sweep after lost workers
recording     a match's result, ratings and ledger lines: all or nothing
installation  the games' leagues and their bosses
"""
