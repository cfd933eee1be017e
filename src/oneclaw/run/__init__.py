"""How the work of a call is run: inline, in a thread, in a process that can be killed."""
