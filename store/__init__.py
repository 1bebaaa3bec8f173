"""The shared module: reads, plans, decides and remembers; knows no interface."""
