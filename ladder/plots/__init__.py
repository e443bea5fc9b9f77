"""Plots as texts of SVG, for pages and for single files: pure functions of numbers and names.

svg        what all plots are made of: elements, scales, ticks, words
gauges     what a gauntlet has found: gauge, estimates, pairs, path; a version beside its boss; plain columns
histogram  what turns took: how often which time was charged, and each turn of a match by its number
curves     a rating, numbers over the turns of a match, a tuned value, what `ladder simulate` has found
"""
