"""Options of each command, apart from its work: `--help` loads nothing else."""
