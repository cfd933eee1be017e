"""The door to commands: what a command line would run, and the rules that allow it."""
