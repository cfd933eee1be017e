"""Local models: any GGUF file, through llama.cpp."""
