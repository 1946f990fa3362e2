"""Record formats: how matches are written down elsewhere, and by us."""
