"""Python plugins: tools of packages and single files, found, described and run in processes of their own."""
