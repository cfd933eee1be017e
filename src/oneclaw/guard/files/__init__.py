"""The door to files: nothing outside the workspace is reached."""
