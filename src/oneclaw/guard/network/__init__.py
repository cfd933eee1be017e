"""Network guard: every request connects only to the address that was checked."""
