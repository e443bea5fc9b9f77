"""Plots as texts of SVG, for pages and for single files: pure functions of numbers and names.

svg              what all plots are made of: elements, scales, ticks, words
gauges           what a gauntlet has found: gauge, estimates, pairs, path; a version beside its boss; plain columns
rating_history   a rating with its band, and marks for versions and for moves between leagues
histogram        what turns took: how often which time was charged, and each turn of a match by its number
curves           the numbers of both seats over the turns of a match; a parameter's value over the pairs of a tune
simulated_ranks  what `ladder simulate` has found
"""
