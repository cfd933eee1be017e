"""Gemini's generateContent: requests out, answers in."""
