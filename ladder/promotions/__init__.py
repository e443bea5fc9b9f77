"""Who goes up a league, and who goes back.

rules             decided from a league's board alone: pure
needless_battles  whose remaining battles change nothing and are not played: pure
outlook           what a version may expect: whether it goes up, and what is missing: pure
lifecycle         how versions come onto boards, leave them and change leagues
membership        leaving boards and coming back; promotions that are earned
"""
