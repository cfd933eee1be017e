"""The Model Context Protocol: tools of other programs for our agents, and ours for theirs."""
