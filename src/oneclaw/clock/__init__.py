"""Moments, and the zones people name: what stands between the machine's clock and a date."""
