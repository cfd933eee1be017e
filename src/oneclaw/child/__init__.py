"""Supervised child processes: started, spoken with, and ended with everything they started."""
