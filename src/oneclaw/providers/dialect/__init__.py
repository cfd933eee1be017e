"""From one JSON Schema to what each provider takes of it; what it cannot say is put into words."""
