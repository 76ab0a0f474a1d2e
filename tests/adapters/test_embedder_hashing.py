"""The stand-in embedder of tests."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oida.adapters.embedder.hashing import HashingEmbedder


@given(st.lists(st.text(max_size=40), max_size=6), st.integers(1, 100))
def test_vectors_are_unit_and_do_not_depend_on_the_batch(texts: list[str], dimension: int) -> None:
    embedder = HashingEmbedder(dimension)
    vectors = embedder.embed(texts)
    assert (len(texts), dimension) == vectors.shape
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert [embedder.embed([text])[0].tobytes() for text in texts] == [vector.tobytes() for vector in vectors]


def test_bits_are_the_same_in_every_process() -> None:
    (vector,) = HashingEmbedder(4).embed(["night loading"])
    assert vector.tobytes().hex() == "8c026d3fb3011e3eb3019e3eb3011e3e"
