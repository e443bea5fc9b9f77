"""Who goes up a league, and who goes back.

rules      decided from a league's board alone: pure
lifecycle  how versions come onto boards, leave them and change leagues
"""
