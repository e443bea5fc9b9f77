"""What pages show that takes more than a view: texts, plots and parts, ready for templates.

gauntlets        a gauntlet: its sentences, its plots, its tables cut to what a page holds
documents        the guide and the documents beside it, from Markdown
"""
