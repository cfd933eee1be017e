"""What is known of providers and models, as tables with a date."""
