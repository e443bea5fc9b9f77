"""Views for the program itself on another machine.

named  the views that can be read from there, each by a name
acts   the actions that can be asked for from there, likewise
whole  a view as bytes, every field as it is, and back
"""
