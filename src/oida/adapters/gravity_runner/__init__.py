"""The engine over more than one process: rows in shards, K broadcast, the bits of the local engine (spec section 9)."""
