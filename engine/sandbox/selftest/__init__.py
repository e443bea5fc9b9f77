"""Attacking our own sandbox from within, to see what it guarantees on this machine.

examine  runs the attacks and reads what came of them
attack   what is tried; runs inside the box
clock    whether the meters add up, so that the clock can be fair
"""
