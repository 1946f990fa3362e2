"""Timelines, seats' views, verification and pictures of recorded matches."""
