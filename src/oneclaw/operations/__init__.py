"""Use-cases of every door: each takes the app or the store and returns records; doors parse and render."""
