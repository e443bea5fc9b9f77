"""What people do: one function for each thing, for any interface.

Each takes an `Actor`, what it needs of pool, connection and queue, checks `ladder.access`, and returns a view.
"""
