"""OpenAI Chat Completions and the servers that speak it: requests out, answers in."""
