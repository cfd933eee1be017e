"""web_search: one file per search provider."""
