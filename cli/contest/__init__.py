"""`ladder contest`: a class or a contest.

commands        opens one, and shows how it goes
clarifications  announcements, questions and their answers
results         what one leaves: final boards and pages as files, and grades
"""
