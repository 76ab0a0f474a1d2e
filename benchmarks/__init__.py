"""Measurements, run from the root of the project: `python -m benchmarks.NAME`."""
