"""What earlier revisions of the race (`tests.core.toy`) did otherwise, one page each."""
