"""Exports of other memories, read as sources: mem0, Graphiti, Cognee."""
