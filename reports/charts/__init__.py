"""The geometry of the dashboard's charts: from counts to paths and places, as values that a template draws.

Lengths are units of the chart's own view box, the origin at the upper left. Each chart brings the one
sentence that says what it shows, and the rows of its data table.
"""
