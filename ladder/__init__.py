"""What is true: players, bots, versions, leagues, matches and ratings, in PostgreSQL. Knows no queue, no terminal."""
