"""What is read, ready for any screen: frozen dataclasses and the functions that fill them from a connection.

plain     any view as plain values, and as JSON
progress  how far the ladder is, and one version on its way to its rank
summary   what happened on a ladder, in numbers
"""
