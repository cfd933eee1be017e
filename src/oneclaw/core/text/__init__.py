"""Text for display, decoding and matching."""
