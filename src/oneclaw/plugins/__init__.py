"""Python plugins: discovered, described and run in their own processes."""
