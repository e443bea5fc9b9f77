"""The workers: which ones live, and what they can do.

workers    the rows of worker processes, the advisory locks that say which of them live, and which are out of reach
rounds     when the scheduler, and the rounds for which it asks workers, were last at work
room       whether there is room for further matches where the database is
fleet      what the live workers can build and play together
"""
