"""web_search: what a search provider finds; one file per provider."""
