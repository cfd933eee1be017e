"""Models that run on this machine: any GGUF file through llama.cpp, and the small one that comes with us."""
