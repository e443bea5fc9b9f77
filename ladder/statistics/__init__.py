"""What results say: pure mathematics.

pair_counts     a gauntlet's results as counts of pairs
elo             differences of strength
seats           does somebody do better in one seat than in the other?
points          how well the mean of a series of fixed length is known
sprt            the sequential test
sprt_settings   the question that it answers
defaults        what tests take where nothing is said
early_stopping  an estimate of strength after a test that stopped early
common_seeds    two versions compared on the same seeds and opponents
davidson        the strength of versions by all their matches at once
similarity      how alike two sources are
residuals       does one machine bring other results than the rest?
"""
