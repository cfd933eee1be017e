"""Exact arithmetic with units and dates, by a parser that never runs code."""
