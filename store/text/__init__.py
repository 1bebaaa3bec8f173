"""What text holds: suspicious characters, threats, fingerprints, differences."""
