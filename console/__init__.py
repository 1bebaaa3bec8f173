"""What a person touches: the full-screen application and the command line."""
