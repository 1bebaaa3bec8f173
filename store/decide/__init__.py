"""Everything that decides; agents never import it."""
