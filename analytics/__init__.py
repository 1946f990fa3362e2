"""Questions to the store: SQL catalogue, openings, scores and reports."""
