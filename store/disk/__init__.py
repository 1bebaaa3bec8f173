"""Reading, locking and replacing files safely."""
