"""How the embedded model's adapter is made: sentences, training, measuring. Not needed to run."""
