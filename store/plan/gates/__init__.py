"""The gates, pure functions over a draft."""
