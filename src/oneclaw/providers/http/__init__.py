"""How a provider is reached over HTTP, whatever it speaks."""
