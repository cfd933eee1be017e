"""Use cases shared by all doors: each takes the app or the store and returns records."""
