"""Guards for files, network, commands, programs and secrets."""
