"""Hypothesis without deadlines: the machine that runs the tests may be busy."""

from hypothesis import settings

settings.register_profile("kifold", deadline=None)
settings.load_profile("kifold")
