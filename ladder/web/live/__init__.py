"""What changes while pages are open: their listeners, the topics, and the watcher.

watcher  the listeners, and the one watcher that looks at the database while there is one
"""
