"""Exact nearest-neighbour search: in memory, and in the base's own SQLite file."""
