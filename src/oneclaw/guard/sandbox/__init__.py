"""The door to programs: what a command may see, change and reach, and for how many processes."""
