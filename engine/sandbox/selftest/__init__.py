"""Attacking our own sandbox from within, to see what it guarantees on this machine.

examine  runs the attacks and reads what came of them; whether the clock can be fair here
attack   what is tried; runs inside the box
"""
