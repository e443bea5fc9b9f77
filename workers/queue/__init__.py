"""The queue's messages, by Celery. Each is one id: PostgreSQL holds the truth.

broker        its address, whether it answers, what waits
celery_queue  sends messages: the ladder's queue, by Celery
order         from which queue a worker takes its next message
"""
