"""The door to secrets: given by name, taken out of everything else."""
