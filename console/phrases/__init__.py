"""What is said to people, by subject: the console and the command line say it in the same words."""
