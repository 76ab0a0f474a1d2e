"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import stores

PROJECT_ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The benchmark organisations and public data that stand beside a checkout; not part of the product."""
    folder = PROJECT_ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder `shared` beside the checkout (benchmark organisations and public exports)")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _bases_on_the_server() -> Iterator[None]:
    """With OIDA_TEST_SERVER every base that a test makes through the program is a tenant of a server."""
    if not stores.SERVER:
        yield
        return
    import oida.bootstrap

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oida.bootstrap, "_create_database", stores.create_in_place_of)
        patch.setattr(oida.bootstrap, "_open_database", stores.open_in_place_of)
        yield


@pytest.fixture(autouse=True, scope="module")
def _connections_end_with_the_module() -> Iterator[None]:
    yield
    stores.close_all()
