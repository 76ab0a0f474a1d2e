"""Statements to classes: the trained model that ships with OIDA, and a scripted stand-in for tests."""
