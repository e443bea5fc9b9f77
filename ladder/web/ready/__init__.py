"""What pages show that takes more than a view: texts, plots and parts, ready for templates.

gauntlets        a gauntlet: its sentences, its plots, its tables cut to what a page holds
ended_gauntlets  the results of gauntlets that have ended, kept for the next reader
kept             whole pages that were made lately, for all who ask for the same
documents        the guide and the documents beside it, from Markdown
"""
