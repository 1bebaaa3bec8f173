"""Text to entries and back, one file a format."""
