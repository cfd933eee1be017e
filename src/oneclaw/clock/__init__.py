"""Times and time zones."""
