"""Command guard: finds the programs a command line would run, and applies the owner's rules."""
