"""The workers: which ones live, and what they can do.

workers    the rows of worker processes, and the advisory locks that say which of them live
contact    workers whose machine or network was lost
fleet      what the live workers can build and play together
"""
