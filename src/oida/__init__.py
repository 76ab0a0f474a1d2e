"""OIDA."""
