"""Referee programs of our own: one small game, Foragers, in Java, Python and C, with all that the protocols can do."""
