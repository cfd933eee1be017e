"""JavaScript tools: manifests, folders and workers."""
