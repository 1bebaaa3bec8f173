"""What is drawn of a plan, an entry or an event, line by line; knows no widgets."""
