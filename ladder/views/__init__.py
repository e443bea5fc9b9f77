"""What is read, ready for any screen.

progress  how far the ladder is, and one version on its way to its rank
summary   what happened on a ladder, in numbers
"""
