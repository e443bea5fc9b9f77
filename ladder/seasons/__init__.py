"""Seasons: closing them, their last series, their final boards.

season           which one is on, who plays a series, what a final board says: pure
seasons          their rows
ending           closing one
"""
