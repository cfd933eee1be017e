"""What a call is: definitions, checks, permission, results and the road between them; no I/O."""
