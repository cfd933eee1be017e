"""The settings: one typed tree of them, and the check that holds values to it."""
