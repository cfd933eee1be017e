"""SmolLM2-135M for OneClaw: a tiny model that chooses tools, so that OneClaw can be tried without a key."""
