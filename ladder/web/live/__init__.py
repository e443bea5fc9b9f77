"""What changes while somebody looks: who listens, what for, and the watcher that looks for it.

watcher  who listens, and the one watcher that looks at the database while somebody does
topics   what can be listened for
"""
