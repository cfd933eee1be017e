"""Agent Skills and AGENTS.md: know-how in files, found, checked and given to models."""
