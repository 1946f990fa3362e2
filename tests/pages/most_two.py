"""No more than two may be added."""

MOST = 2
