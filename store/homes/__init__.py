"""Where agents keep their memory, and how it is configured."""
