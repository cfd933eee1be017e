"""Text: shown to people, decoded from bytes, matched."""
