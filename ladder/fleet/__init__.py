"""The workers: which ones live, and what they can do.

workers    the rows of worker processes, the advisory locks that say which of them live, and which are out of reach
fleet      what the live workers can build and play together
"""
