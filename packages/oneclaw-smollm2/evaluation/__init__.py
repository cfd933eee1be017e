"""Everyday messages that the tiny model is judged by."""
