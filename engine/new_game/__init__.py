"""A new game from the folder `template`, a small game that passes the conformance kit. See docs/new-game.md.

skeleton  copies the template under another name
"""
