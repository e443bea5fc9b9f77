"""Plots as texts of SVG, for pages and for single files: pure functions of numbers and names.

svg     what all plots are made of: elements, scales, ticks, words
gauges  what a gauntlet has found: gauge, estimates, pairs by outcome, path; plain columns
"""
