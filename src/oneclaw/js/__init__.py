"""JavaScript tools: manifests, folders, and the workers that run them."""
