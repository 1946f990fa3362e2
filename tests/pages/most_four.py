"""Four may be added."""

MOST = 4
