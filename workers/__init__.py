"""When and where things run: Celery tasks and settings, and the embedded services that `ladder up` starts."""
