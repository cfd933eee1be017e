"""OpenAI's Responses API: requests out, answers in."""
