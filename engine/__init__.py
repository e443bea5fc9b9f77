"""What happens in one match: games, referee loop, sandbox, clock, toolchains. Imports nothing else of the project."""
