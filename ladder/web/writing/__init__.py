"""What every request goes through that changes something by a program. Imported where the ladder is served.

gate    by whom, how long, under which key; done once, and the first answer given again
bodies  JSON without doubts: what it may hold, and a sentence for what it may not
"""
