"""The workers: which ones live, and what they can do.

workers  their rows and the locks that say which of them live; what these can do; the scheduler's rounds
room     whether there is room for further matches where the database is
"""
