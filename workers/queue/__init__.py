"""The queue's messages, by Celery. Each is one id: PostgreSQL holds the truth.

doorbell    sends messages: the ladder's queue
order       from which queue a worker takes its next message
"""
