"""Boards that everybody but operators sees as they were at a moment.

freezes         since when the boards of a game are frozen
past_standings  standings as they were at a moment that is over
"""
