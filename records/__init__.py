"""The store: journal, archive, import and export of match records."""
