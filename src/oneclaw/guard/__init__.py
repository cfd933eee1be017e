"""One door per dangerous power: paths, network, secrets."""
