"""Seasons: closing them, their last series, their final boards.

season           which one is on, who plays a series, what a final board says: pure
seasons          their rows
ending           closing one
plans            ends that are planned
unplayed         what a season still lacks
"""
