"""Search by words: in memory, and in the base's own SQLite file."""
