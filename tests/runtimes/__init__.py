"""Bots in languages whose runtimes compile while they run, of the kind that people write for CodinGame."""
