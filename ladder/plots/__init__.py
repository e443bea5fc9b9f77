"""Plots as texts of SVG, for pages and for single files: pure functions of numbers and names.

svg  what all plots are made of: elements, scales, ticks, words
"""
