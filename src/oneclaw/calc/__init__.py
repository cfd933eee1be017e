"""Exact arithmetic with units and dates: numbers, quantities, a parser, and nothing that runs code."""
