"""The door to the network: what is checked is what is dialled."""
