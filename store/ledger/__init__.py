"""What is remembered: database, log, refusals, bytes."""
