"""A match as one HTML file that needs no network: its picture, its turns, and what is known of each.

page     the file: what is in it, and what it may do

The folder `assets` has the page itself: its modules (the first to read is `main.js`), its style sheet, its frame.
"""
