"""Text to vectors: the model that ships with OIDA, any folder like it, and a model-free stand-in for tests."""
